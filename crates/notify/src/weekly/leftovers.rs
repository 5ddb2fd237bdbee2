//! The lists of what was left behind and of what would do for less: the dearest few of each.

use reaper_model::document::LeftoverView;
use reaper_model::{AccountName, Location, ProviderName};
use reaper_report::advice::{self, Piece};
use reaper_report::leftover;

use super::contents::Sum;
use super::machine::known;
use super::reader::Reader;
use super::section::{Amount, Line, Row, Section};
use super::sections::{ELSEWHERE, LONGEST, titled};
use super::view::Weekly;
use crate::field::MISSING;
use crate::words::{outside, sentence};

/// Rows of each list: nothing here is pressing, and a mail is short.
const MOST_ROWS: usize = 5;

/// Characters of a piece of advice with its evidence.
const LONGEST_ADVICE: usize = 320;

impl Weekly<'_> {
    /// What costs money and is used by nobody.
    pub(super) fn left_behind(&self, leftovers: &[&LeftoverView], most: usize) -> Option<Section> {
        let sum = Sum::of(leftovers.iter().map(|leftover| leftover.per_month)).words();
        let together = match sum {
            Some(sums) => format!("Together {sums} a month."),
            None => "What that costs is not known.".to_owned(),
        };
        let meaning = format!("{}.", sentence(leftover::MEANING.to_owned()));
        let shown = leftovers.iter().take(most.min(MOST_ROWS));
        (!leftovers.is_empty()).then(|| Section {
            title: titled("Left behind", leftovers.len()),
            note: vec![together, meaning],
            heads: ["What", "Cost"],
            rows: shown.map(|leftover| self.leftover(leftover)).collect(),
            total: leftovers.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    fn leftover(&self, leftover: &LeftoverView) -> Row {
        let mut beside = vec![leftover::noun(leftover.kind).to_owned()];
        beside.extend(leftover::size(leftover).map(|size| outside(&size, LONGEST)));
        let digest = self.reader == Reader::Digest;
        beside.extend(
            digest.then(|| format!("owner {}", outside(&leftover::owner(leftover), LONGEST))),
        );
        let told = [
            Some(leftover::since(leftover)),
            leftover::of(leftover),
            leftover::price_gap(leftover),
        ];
        let mut lines: Vec<Line> = told
            .into_iter()
            .flatten()
            .map(|text| Line::Plain(outside(&text, 2 * LONGEST)))
            .collect();
        lines.push(Line::Small(which(
            &leftover.native_id,
            (&leftover.provider, &leftover.account, &leftover.location),
        )));
        Row {
            name: known(Some(leftover::known_as(leftover)), LONGEST),
            beside: beside.join(" · "),
            lines,
            right: vec![a_month(Amount::of(leftover.per_month), leftover.per_month.is_some())],
        }
    }

    /// What would do for less. It has no sum: several pieces for one machine exclude each other.
    pub(super) fn advice(&self, pieces: &[Piece<'_>], most: usize) -> Option<Section> {
        let shown = pieces.iter().take(most.min(MOST_ROWS));
        (!pieces.is_empty()).then(|| Section {
            title: titled("Advice", pieces.len()),
            note: vec![format!("{}.", sentence(advice::MEANING.to_owned()))],
            heads: ["Machine", "Saving"],
            rows: shown.map(|piece| self.piece(piece)).collect(),
            total: pieces.len(),
            rest: ELSEWHERE,
            ..Section::default()
        })
    }

    fn piece(&self, piece: &Piece<'_>) -> Row {
        let machine = piece.machine;
        let mut beside = vec![outside(machine.machine_type.as_str(), LONGEST)];
        let digest = self.reader == Reader::Digest;
        beside.extend(digest.then(|| format!("owner {}", super::machine::owner(machine))));
        let saving = Amount { sum: piece.saving(), what: "" };
        let some = piece.advice.saves_per_month.map(|saving| !saving.amount.is_zero());
        let right = some.map(|some| a_month(saving, some));
        Row {
            name: match known(machine.name.as_deref(), LONGEST) {
                name if name == MISSING => known(Some(&machine.native_id), LONGEST),
                name => name,
            },
            beside: beside.join(" · "),
            lines: vec![
                Line::Plain(outside(&piece.advice.text, LONGEST_ADVICE)),
                Line::Small(piece.about()),
                Line::Small(which(
                    &machine.native_id,
                    (&machine.provider, &machine.account, &machine.location),
                )),
            ],
            right: right.into_iter().collect(),
        }
    }
}

/// With what it is of, where there is an amount.
fn a_month(amount: Amount, is_amount: bool) -> Amount {
    Amount { what: if is_amount { "a month" } else { "" }, ..amount }
}

/// Id and place.
fn which(
    id: &str,
    (provider, account, location): (&ProviderName, &AccountName, &Location),
) -> String {
    format!(
        "id {} · {}, account {}, {}",
        outside(id, LONGEST),
        outside(provider.as_str(), LONGEST),
        outside(account.as_str(), LONGEST),
        outside(location.as_str(), LONGEST)
    )
}

#[cfg(test)]
mod tests {
    use reaper_model::AuditDocument;

    use super::*;
    use crate::weekly::contents::Contents;
    use crate::weekly::fixture;

    fn told(weekly: &Weekly<'_>) -> (String, String) {
        let contents = Contents::of(weekly);
        let text = |section: Option<Section>| section.map(|section| section.lines().join("\n"));
        let left = weekly.left_behind(&contents.leftovers, 10);
        let advice = weekly.advice(&contents.advice, 10);
        (text(left).unwrap_or_default(), text(advice).unwrap_or_default())
    }

    #[test]
    fn the_dearest_five_with_the_sum_over_all() {
        let doc = fixture::littered(40);
        let (left, advice) = told(&fixture::digest(&doc));
        assert!(left.starts_with("--- Left behind (40)\nTogether 7,600.00 EUR a month."), "{left}");
        assert_eq!(left.matches("\n- ").count(), 5);
        assert!(left.ends_with("5 of 40 shown; `reaper report` lists all of them."), "{left}");
        assert_eq!(advice.matches("\n- ").count(), 5);
        assert!(advice.starts_with("--- Advice ("), "{advice}");
    }

    #[test]
    fn fl_103_a_price_that_is_not_known_is_no_0() {
        let (left, advice) = told(&fixture::digest(&fixture::weekly()));
        assert!(left.contains("Together at least 216.00 EUR a month."), "{left}");
        assert!(left.contains("- 192.0.2.17 · address · owner none: unknown"), "{left}");
        assert!(left.contains("price unknown: the price list has no addresses"), "{left}");
        assert!(!advice.contains(" 0.00 ") && !advice.contains("unknown"), "{advice}");
    }

    #[test]
    fn fl_135_an_owner_reads_of_their_own_leftovers_and_advice_alone() {
        let doc = fixture::weekly();
        let to = |address: &str| {
            let address = address.parse().expect("an address");
            told(&fixture::to_owner(&doc, &address))
        };
        let (left, advice) = to("alice@example.org");
        assert!(
            left.starts_with("--- Left behind (1)") && left.contains("scratch-llama"),
            "{left}"
        );
        assert!(!left.contains("owner") && !left.contains("shelved"), "{left}");
        assert!(advice.starts_with("--- Advice (1)") && advice.contains("sweep-07"), "{advice}");
        // Who has left owns nothing more: the fallback reads of it.
        assert_eq!(to("bob@example.org"), (String::new(), String::new()));
    }

    #[test]
    fn fl_055_no_sum_of_a_machine_that_is_off_says_0() {
        let mut doc = fixture::weekly();
        doc.instances.truncate(3);
        doc.instances.swap_remove(0);
        for machine in &mut doc.instances {
            machine.billing = reaper_model::document::Billing::NotBilled;
            machine.action.saves_per_month = Some(fixture::money("0 EUR"));
        }
        let mail = fixture::digest(&doc).mail().expect("renders");
        assert!(!mail.text.contains(" 0.00 ") && !mail.subject.contains(" 0/"), "{}", mail.text);
    }

    #[test]
    fn nothing_left_is_no_list() {
        let doc: AuditDocument = fixture::nothing();
        assert_eq!(told(&fixture::digest(&doc)), (String::new(), String::new()));
    }
}
