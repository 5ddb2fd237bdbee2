//! The dearest machines of a budget, and the stops that would lower its forecast. Everything from
//! outside is cleaned and cut here; escaping is the template's.

use reaper_model::document::Verdict;
use reaper_model::{InstanceId, Money};

use super::view::{Alert, Row, Stop};
use crate::words::{in_full, outside};

const LONGEST: usize = 60;

/// A machine, ready to be shown.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) name: String,
    /// Id, place and type.
    pub(super) which: String,
    pub(super) owner: String,
    pub(super) spent: String,
    /// `None` where it costs nothing any more, or nobody knows.
    pub(super) hourly: Option<String>,
    pub(super) verdict: &'static str,
    /// Whether a rule says that it is not needed.
    pub(super) orphan: bool,
}

impl Machine {
    pub(super) fn of(row: &Row) -> Self {
        let id = &row.id;
        let place = format!("{}/{}/{}", id.provider, row.account, id.location);
        let name = name(row.name.as_deref(), id);
        let which: Vec<String> = [id.native.as_str(), row.machine_type.as_str(), &place]
            .into_iter()
            .map(|text| outside(text, LONGEST))
            .filter(|text| *text != name)
            .collect();
        let sum = |sum: Option<Money>| sum.map(|sum| sum.to_string());
        Self {
            name,
            which: which.join(" · "),
            owner: row
                .owner
                .as_deref()
                .map_or_else(|| "nobody".to_owned(), |owner| outside(owner, LONGEST)),
            spent: sum(row.month_to_date).unwrap_or_else(|| "price unknown".to_owned()),
            hourly: sum(row.hourly),
            verdict: row.verdict.map_or("gone", Verdict::name),
            orphan: row.verdict == Some(Verdict::Orphan),
        }
    }

    /// The machine as an item of the plain part: what it costs, then which it is.
    pub(super) fn item(&self) -> [String; 2] {
        let Self { name, which, owner, spent, hourly, verdict, .. } = self;
        let hourly = hourly.as_ref().map(|sum| format!(", {sum} an hour")).unwrap_or_default();
        [format!("{name}: {spent}{hourly}, {verdict}, owner {owner}"), which.clone()]
    }
}

/// A proposed stop, ready to be shown.
#[derive(Debug)]
pub(super) struct Proposal {
    pub(super) name: String,
    pub(super) id: String,
    pub(super) what: String,
    pub(super) saves: String,
}

impl Proposal {
    pub(super) fn of(alert: &Alert<'_>, stop: &Stop) -> Self {
        let when = match stop.due {
            Some(due) => format!("not before {}", in_full(due, alert.zone)),
            None => "not before its owner was told".to_owned(),
        };
        Self {
            name: name(stop.name.as_deref(), &stop.id),
            id: outside(&stop.id.native, LONGEST),
            what: format!("{}, {when}", stop.verb.name()),
            saves: stop.saves.map_or_else(|| "unknown".to_owned(), |sum| sum.to_string()),
        }
    }

    /// The stop as an item of the plain part.
    pub(super) fn item(&self) -> [String; 2] {
        let Self { name, id, what, saves } = self;
        [format!("{name}: {saves} less · {id}"), what.clone()]
    }
}

/// The name; where there is none, the id.
fn name(name: Option<&str>, id: &InstanceId) -> String {
    let name = name.map(|name| outside(name, LONGEST)).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| outside(&id.native, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alert::fixture;

    #[test]
    fn fl_103_an_unknown_price_is_never_0_and_a_machine_that_is_gone_costs_no_hour() {
        let mut row = fixture::machines().remove(0);
        row.month_to_date = None;
        row.hourly = None;
        let shown = Machine::of(&row);
        assert_eq!((shown.spent.as_str(), shown.hourly), ("price unknown", None));
        row = fixture::machines().remove(1);
        let shown = Machine::of(&row);
        assert_eq!((shown.verdict, shown.hourly.as_ref()), ("gone", None));
        assert_eq!(shown.item()[0], "sweep-07: 1,776.00 EUR, gone, owner alice");
    }

    #[test]
    fn text_from_outside_is_cleaned_cut_and_no_link() {
        let mut row = fixture::machines().remove(0);
        row.name = Some(format!("\u{202e}https://evil.example/{}", "x".repeat(9_000)));
        let shown = Machine::of(&row);
        assert!(shown.name.starts_with("⟨202e⟩https:⟨2f⟩/evil") && shown.name.ends_with('…'));
        row.name = Some(" ".to_owned());
        assert_eq!(Machine::of(&row).name, row.id.native);
    }
}
