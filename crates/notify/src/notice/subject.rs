//! The subject and the opening words: how many, when first, how much money. A promise only where
//! the notice makes one.

use reaper_model::Totals;

use super::view::{Fallback, Kind, Notice, Planned, Row};
use crate::words::{count, in_full};

impl Notice {
    /// The machines that this notice promises to do something to.
    fn promised(&self) -> impl Iterator<Item = &Row> {
        let promises = self.kind == Kind::Stop;
        self.rows.iter().filter(move |row| promises && row.planned.due().is_some())
    }

    pub(super) fn subject(&self) -> String {
        match self.promise() {
            Some(promise) => {
                let stake = monthly(self.promised());
                format!("reaper: {promise}, {stake} at stake")
            }
            None => format!("reaper: {}, {}", self.statement(), monthly(self.rows.iter())),
        }
    }

    /// The subject's statement as a headline.
    pub(super) fn headline(&self) -> String {
        let mut text = self.promise().unwrap_or_else(|| self.statement());
        if let Some(first) = text.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        text
    }

    /// `3 machines will be stopped, first Fri 4 Dec 09:00 CET`.
    fn promise(&self) -> Option<String> {
        let first = self.promised().filter_map(|row| row.planned.due()).min()?;
        let number = self.promised().count();
        let ended = self.promised().filter(|row| row.planned.terminates()).count();
        let machines = count(number, "machine");
        let what = match ended {
            0 => format!("{machines} will be stopped"),
            all if all == number => format!("{machines} will be terminated"),
            some => format!("{machines} will be stopped, {some} of them terminated"),
        };
        let when = first.with_timezone(&self.zone).format("%a %-d %b %H:%M %Z");
        let order = if number == 1 { "" } else { "first " };
        Some(format!("{what}, {order}{when}"))
    }

    fn statement(&self) -> String {
        let number = self.rows.len();
        let machines = count(number, "machine");
        let (s, was) = if number == 1 { ("s", "was") } else { ("", "were") };
        match self.kind {
            Kind::Found | Kind::Stop => format!("{machines} look{s} forgotten"),
            Kind::Reminder => format!("reminder: {machines} still look{s} forgotten"),
            Kind::Contested => format!("{machines} {was} started again after a stop"),
        }
    }

    /// The sentences before the first machine.
    pub(super) fn opening(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let fallback = self.rows.iter().filter(|row| row.fallback.is_some()).count();
        let why = match self.rows.len() {
            _ if fallback == 0 => "you are named as their owner",
            all if fallback == all => "their owners could not be written to; each says why",
            _ => {
                "you are named as their owner or, as each says, their owners could not be written to"
            }
        };
        sentences.push(format!("You get this mail about these machines because {why}."));
        sentences.push(
            match (self.kind, self.promise().is_some()) {
                (Kind::Stop, true) if self.rows.iter().any(|row| !row.hastened_by.is_empty()) => {
                    "What is announced below happens at the time given there or later, and earlier only where a budget is named that ends the notice period when it is used up. To prevent it, tag the machine as its \"Why\" asks, stop it yourself, or keep it in one of the ways named below; any later date will do. If you can do none of these, answer this mail."
                }
                (Kind::Stop, true) => {
                    "What is announced below happens at the time given there or later, never before. To prevent it, tag the machine as its \"Why\" asks, stop it yourself, or keep it in one of the ways named below; any later date will do. If you can do none of these, answer this mail."
                }
                (Kind::Found | Kind::Stop, _) => {
                    "Nothing will be done to them on the strength of this mail. Please stop what is not needed, or keep it."
                }
                (Kind::Reminder, _) => {
                    "They have been reported before and nothing has changed. This reminder announces nothing new."
                }
                (Kind::Contested, _) => {
                    "reaper stopped them after a notice and somebody started them again. It will not stop them another time on its own: please stop what is not needed, or keep it."
                }
            }
            .to_owned(),
        );
        sentences.push(match sums(self.rows.iter()) {
            Some(sums) => format!("Left running, compute costs {sums} a month."),
            None => "What the compute costs is not known.".to_owned(),
        });
        sentences
    }

    /// What is planned for a machine, in words that fit the notice.
    pub(super) fn planned(&self, row: &Row) -> String {
        let when = |due| in_full(due, self.zone);
        match (self.kind, row.planned) {
            (Kind::Contested, _) => {
                "is only reported: it was started again after a stop".to_owned()
            }
            (_, Planned::Report) => "is only reported".to_owned(),
            (Kind::Stop, Planned::Stop { due }) => format!("will be stopped {}", when(due)),
            (Kind::Stop, Planned::Terminate { due }) => {
                format!("will be terminated {}", when(due))
            }
            (Kind::Reminder, Planned::Stop { due }) => {
                format!("its stop was announced for {}", when(due))
            }
            (Kind::Reminder, Planned::Terminate { due }) => {
                format!("its termination was announced for {}", when(due))
            }
            (_, Planned::WouldStop | Planned::Stop { .. }) => {
                "would be stopped if enforcing".to_owned()
            }
            (_, Planned::WouldTerminate | Planned::Terminate { .. }) => {
                "would be terminated if enforcing".to_owned()
            }
        }
    }
}

/// Why the fallback has it, with the owner's text; else the owner's text.
pub(super) fn owner(row: &Row) -> Option<String> {
    let why = row.fallback.map(Fallback::words);
    match (row.owner.as_deref(), why) {
        (Some(owner), Some(why)) => Some(format!("{owner} ({why})")),
        (Some(owner), None) => Some(owner.to_owned()),
        (None, why) => why.map(str::to_owned),
    }
}

fn monthly<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    sums(rows).map_or_else(|| "price unknown".to_owned(), |sums| format!("{sums} a month"))
}

/// `1,240.00 EUR and 100.00 USD`; says so where the price of some is missing.
fn sums<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<String> {
    let mut totals = Totals::default();
    let mut unpriced = false;
    for row in rows {
        match row.per_month {
            Some(money) => totals.add(money),
            None => unpriced = true,
        }
    }
    let sums: Vec<String> = totals.iter().map(|money| money.to_string()).collect();
    let least = if unpriced { "at least " } else { "" };
    (!sums.is_empty()).then(|| format!("{least}{}", sums.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notice::fixture;

    #[test]
    fn a_promise_counts_what_is_promised_and_names_the_first_hour() {
        let mut notice = fixture::notice(Kind::Stop);
        assert_eq!(
            notice.subject(),
            "reaper: 2 machines will be stopped, 1 of them terminated, first Fri 4 Dec 09:00 CET, 2,640.00 EUR a month at stake"
        );
        notice.rows.truncate(1);
        assert_eq!(
            notice.subject(),
            "reaper: 1 machine will be stopped, Fri 4 Dec 09:00 CET, 2,520.00 EUR a month at stake"
        );
    }

    #[test]
    fn only_the_kind_stop_promises() {
        for kind in [Kind::Found, Kind::Reminder, Kind::Contested] {
            let notice = fixture::notice(kind);
            let rows = notice.rows.iter().map(|row| notice.planned(row));
            for text in rows.chain([notice.subject(), notice.headline()]).chain(notice.opening()) {
                assert!(!text.contains("will be stopped"), "{kind:?}: {text}");
                assert!(!text.contains("will be terminated"), "{kind:?}: {text}");
            }
        }
    }

    #[test]
    fn a_stop_notice_in_which_nothing_is_due_promises_nothing() {
        let mut notice = fixture::notice(Kind::Stop);
        notice.rows.iter_mut().for_each(|row| row.planned = Planned::Report);
        assert_eq!(
            notice.subject(),
            "reaper: 3 machines look forgotten, at least 2,640.00 EUR a month"
        );
        assert!(notice.opening()[1].starts_with("Nothing will be done"));
    }

    #[test]
    fn fl_106_amounts_of_two_currencies_stand_side_by_side_with_their_codes() {
        let mut notice = fixture::notice(Kind::Found);
        notice.rows[1].per_month = Some("100 USD".parse().expect("money"));
        assert_eq!(
            notice.subject(),
            "reaper: 3 machines look forgotten, at least 2,520.00 EUR and 100.00 USD a month"
        );
        notice.rows.iter_mut().for_each(|row| row.per_month = None);
        assert!(notice.subject().ends_with("price unknown"));
    }

    #[test]
    fn times_have_weekday_and_zone_on_both_sides_of_the_clock_change() {
        let zone = chrono_tz::Europe::Amsterdam;
        let at = |text: &str| text.parse().expect("a time");
        assert_eq!(in_full(at("2026-12-04T08:00:00Z"), zone), "Fri 4 Dec 2026 09:00 CET (+01:00)");
        assert_eq!(
            in_full(at("2026-10-25T00:30:00Z"), zone),
            "Sun 25 Oct 2026 02:30 CEST (+02:00)"
        );
        assert_eq!(in_full(at("2026-10-25T01:30:00Z"), zone), "Sun 25 Oct 2026 02:30 CET (+01:00)");
    }
}
