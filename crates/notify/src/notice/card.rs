//! One machine as labelled lines.

use super::subject;
use super::view::{Notice, Row};
use crate::field::{Field, MISSING};
use crate::words::outside;

/// A machine, ready to be shown.
#[derive(Debug)]
pub(super) struct Card {
    pub(super) title: String,
    pub(super) planned: String,
    /// Whether that is something to hurry for.
    pub(super) urgent: bool,
    pub(super) fields: Vec<Field>,
}

impl Card {
    pub(super) fn of(notice: &Notice, row: &Row) -> Self {
        let id = &row.id;
        let place =
            format!("{}, account {} ({}), {}", row.provider, row.account, id.account, id.location);
        let gpu = shown(row.gpu.as_deref());
        let money = |amount: Option<reaper_model::Money>| amount.map(|amount| amount.to_string());
        let mut fields = vec![
            Field::evidence("Why", &row.reasons),
            Field::text("Owner", subject::owner(row)),
            Field::text("Where", [place]),
            Field::text("Name", row.name.as_deref()),
            Field::code("Id", [&id.native]),
            Field::text("Type", [format!("{}, {gpu}", row.machine_type)]),
            Field::text("Age", row.age.as_deref()),
            Field::text("Cost so far", money(row.cost_so_far)),
            Field::text(
                "If left",
                money(row.per_month).map(|sum| format!("{sum} of compute a month")),
            ),
            Field::text("Goes on costing", &row.still_charged),
            Field::text("Is lost", lost(row)),
            Field::code("To keep it", &row.keep),
            Field::code("To start it again", restart(row)),
        ];
        if !row.hastened_by.is_empty() {
            let budgets = row.hastened_by.join(", ");
            let early =
                format!("when the budget {budgets} is used up, from 6 hours after this mail on");
            fields.push(Field::text("Or earlier", [early]));
        }
        if row.scarce {
            let warning = "a GPU of this type may be hard to get back: a restart can fail for lack of capacity";
            fields.push(Field::text("Mind", [warning]));
        }
        Self {
            title: title(row),
            planned: notice.planned(row),
            urgent: notice.kind == super::Kind::Stop && row.planned.due().is_some(),
            fields,
        }
    }
}

/// What is lost; for a machine that ends for good that is more than any list of disks says.
fn lost(row: &Row) -> Vec<String> {
    let for_good = row.planned.terminates().then(|| {
        "the machine itself and ALL DATA ON IT: it cannot be started again. Copy what you need first."
            .to_owned()
    });
    for_good.into_iter().chain(row.losses.iter().cloned()).collect()
}

/// A machine that was terminated does not come back, whatever the command says.
fn restart(row: &Row) -> Option<&str> {
    row.restart.as_deref().filter(|_| !row.planned.terminates())
}

/// Name and GPUs; where they are missing, id and type, so that two machines never look alike.
fn title(row: &Row) -> String {
    let name = [row.name.as_deref(), Some(&row.id.native)].map(shown);
    let kind = [row.gpu.as_deref(), Some(row.machine_type.as_str())].map(shown);
    let first = |texts: [String; 2]| texts.into_iter().find(|text| text != MISSING);
    let [name, kind] = [name, kind].map(|texts| first(texts).unwrap_or_else(|| MISSING.to_owned()));
    format!("{name} · {kind}")
}

fn shown(text: Option<&str>) -> String {
    let text = text.map(|text| outside(text, 60)).unwrap_or_default();
    if text.is_empty() { MISSING.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::{Kind, Planned, fixture};

    fn values(card: &Card, label: &str) -> Vec<String> {
        let field = card.fields.iter().find(|field| field.label == label);
        field.unwrap_or_else(|| panic!("no field {label}")).values.clone()
    }

    #[test]
    fn fl_139_a_row_says_everything_and_what_is_missing_is_a_dash() {
        let notice = fixture::notice(Kind::Stop);
        let full = Card::of(&notice, &notice.rows[0]);
        assert!(full.fields.iter().all(|field| field.label == "Owner" || field.values != ["-"]));
        assert_eq!(values(&full, "Where"), ["AWS, account research (111122223333), eu-west-1"]);
        assert_eq!(full.planned, "will be stopped Fri 4 Dec 2026 09:00 CET (+01:00)");
        assert_eq!(full.title, "notebook-test · 8 × A100");
        let bare = Card::of(&notice, &notice.rows[2]);
        for label in ["Name", "Age", "Cost so far", "If left", "To start it again", "Is lost"] {
            assert_eq!(values(&bare, label), ["-"], "{label}");
        }
        assert_eq!(bare.title, "2a6b · b3-9");
    }

    #[test]
    fn a_machine_that_ends_for_good_says_that_its_data_is_lost_and_offers_no_restart() {
        let notice = fixture::notice(Kind::Stop);
        let mut row = notice.rows[1].clone();
        row.restart = Some("start".to_owned());
        let card = Card::of(&notice, &row);
        assert!(values(&card, "Is lost")[0].contains("ALL DATA"));
        assert_eq!(values(&card, "To start it again"), ["-"]);
        row.planned = Planned::WouldTerminate;
        assert!(values(&Card::of(&notice, &row), "Is lost")[0].contains("ALL DATA"));
    }

    #[test]
    fn a_budget_that_ends_the_period_early_is_named() {
        let mut notice = fixture::notice(Kind::Stop);
        assert!(notice.opening().iter().any(|sentence| sentence.contains("never before")));
        notice.rows[0].hastened_by = vec!["all-gpu".to_owned()];
        let card = Card::of(&notice, &notice.rows[0]);
        assert_eq!(
            values(&card, "Or earlier"),
            ["when the budget all-gpu is used up, from 6 hours after this mail on"]
        );
        assert!(notice.opening().iter().all(|sentence| !sentence.contains("never before")));
    }

    #[test]
    fn fl_054_a_scarce_type_says_that_a_restart_may_fail() {
        let notice = fixture::notice(Kind::Stop);
        let card = Card::of(&notice, &notice.rows[0]);
        assert!(values(&card, "Mind")[0].contains("lack of capacity"));
    }

    #[test]
    fn fl_055_the_money_is_of_compute_and_what_goes_on_is_listed() {
        let notice = fixture::notice(Kind::Stop);
        let card = Card::of(&notice, &notice.rows[0]);
        assert_eq!(values(&card, "If left"), ["2,520.00 EUR of compute a month"]);
        assert_eq!(values(&card, "Goes on costing"), ["volume vol-01: 80.00 EUR a month"]);
    }

    #[test]
    fn fl_098_the_evidence_of_an_idle_machine_is_told_to_its_end() {
        let mut notice = fixture::notice(Kind::Stop);
        let evidence = "8 of 8 GPUs never above 2 % (threshold 5 %) in the last 6 h, highest 1.5 % \
                        at 13:40, 98 % of samples present, source DCGM in Prometheus; no process, \
                        no memory in use (rule idle)";
        notice.rows[0].reasons = vec![evidence.to_owned()];
        assert_eq!(values(&Card::of(&notice, &notice.rows[0]), "Why"), [evidence]);
        assert!(notice.render().expect("renders").html.contains(evidence));
    }

    #[test]
    fn fl_030_the_fallback_sees_the_owner_as_written_and_why() {
        let notice = fixture::notice(Kind::Stop);
        let card = Card::of(&notice, &notice.rows[1]);
        assert_eq!(values(&card, "Owner"), ["r.example (no mail address is known for its owner)"]);
    }

    #[test]
    fn text_from_outside_is_cleaned_cut_and_no_link() {
        let mut notice = fixture::notice(Kind::Found);
        notice.rows[0].name = Some(format!("\u{202e}https://evil.example/{}", "x".repeat(9_000)));
        notice.rows[0].reasons = vec!["why".to_owned(); 9];
        let card = Card::of(&notice, &notice.rows[0]);
        let name = &values(&card, "Name")[0];
        assert!(name.starts_with("⟨202e⟩https:⟨2f⟩/evil") && name.ends_with('…'), "{name}");
        assert!(name.chars().count() < 200);
        assert_eq!(values(&card, "Why").last().map(String::as_str), Some("and 3 more"));
    }
}
