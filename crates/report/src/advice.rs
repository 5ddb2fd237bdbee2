//! What would do for less, in words that all formats share. Plain text, neither cleaned nor escaped.
//! Advice is never acted upon.

use std::cmp::Ordering;

use reaper_model::document::{AdviceView, AuditDocument, MachineView};
use reaper_model::{Currency, Money, State};

use crate::figures::{self, count};
use crate::machine::MISSING;

/// What the list is. Two pieces for one machine often exclude each other, so there is no sum.
pub const MEANING: &str = "never acted upon; savings are of compute and do not add up";

/// A piece of advice with its machine.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The machine.
    pub machine: &'a MachineView,
    /// What would do for it.
    pub advice: &'a AdviceView,
}

/// All pieces for these machines of the document, the dearest saving first, what saves an unknown
/// amount last. Amounts in the report's currency stand before others: two are never compared.
pub fn pieces<'a>(
    doc: &AuditDocument,
    machines: impl Iterator<Item = &'a MachineView>,
) -> Vec<Piece<'a>> {
    let own = doc.rates.first().map(|rate| rate.to);
    let mut pieces: Vec<Piece<'a>> = machines
        .filter(|machine| machine.state != State::Ended)
        .flat_map(|machine| machine.advice.iter().map(move |advice| Piece { machine, advice }))
        .collect();
    pieces.sort_by(|one, other| {
        by_saving(own, one.advice.saves_per_month, other.advice.saves_per_month)
    });
    pieces
}

/// All pieces of the document.
pub(crate) fn all(doc: &AuditDocument) -> Vec<Piece<'_>> {
    pieces(doc, doc.instances.iter())
}

fn by_saving(own: Option<Currency>, one: Option<Money>, other: Option<Money>) -> Ordering {
    match (one, other) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(one), Some(other)) => {
            let foreign = |money: Money| (Some(money.currency) != own, money.currency);
            foreign(one).cmp(&foreign(other)).then(other.amount.cmp(&one.amount))
        }
    }
}

impl Piece<'_> {
    /// What it saves in a month, else `-`; no 0 for what is not known.
    pub fn saving(&self) -> String {
        match self.advice.saves_per_month {
            None => MISSING.to_owned(),
            Some(saving) if saving.amount.is_zero() => "nothing".to_owned(),
            Some(saving) => saving.to_string(),
        }
    }

    /// What it is about and how sure it is: `oversized, confidence high`.
    pub fn about(&self) -> String {
        format!("{}, confidence {}", self.advice.kind.name(), self.advice.confidence.name())
    }

    /// All of it in one line, for where there is no table.
    pub(crate) fn line(&self) -> String {
        let saving = self.advice.saves_per_month.filter(|saving| !saving.amount.is_zero());
        let saves = saving.map(|saving| format!(" (saves {saving} of compute a month)"));
        format!("{}: {}{}", self.about(), self.advice.text, saves.unwrap_or_default())
    }
}

/// How much advice there is and what the best of it saves, for the top of all formats.
pub(crate) fn headline(doc: &AuditDocument) -> Option<String> {
    let pieces = all(doc);
    let best = pieces.first()?;
    let machines = doc
        .instances
        .iter()
        .filter(|machine| !machine.advice.is_empty() && machine.state != State::Ended);
    let machines = count(machines.count(), "machine");
    let number = pieces.len();
    let pieces = if number == 1 { "piece" } else { "pieces" };
    let said = format!("{} {pieces} of advice for {machines}", figures::number(number));
    let saving = best.advice.saves_per_month.filter(|saving| !saving.amount.is_zero());
    Some(match saving {
        Some(saving) => format!("{said}, the best saves {saving} a month (compute only)"),
        None => said,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn the_dearest_saving_stands_first_and_currencies_are_not_compared() {
        let doc = fixture::mixed();
        let savings: Vec<String> = all(&doc).iter().map(Piece::saving).collect();
        assert_eq!(savings, ["8,760.00 EUR", "1,460.00 EUR", "1,850.00 USD", "-"]);
        assert_eq!(
            headline(&doc).as_deref(),
            Some(
                "4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month \
                 (compute only)"
            )
        );
    }

    #[test]
    fn a_saving_that_is_not_known_is_no_0_and_none_at_all_is_said_in_words() {
        let mut doc = fixture::mixed();
        for machine in &mut doc.instances {
            for advice in &mut machine.advice {
                advice.saves_per_month = None;
            }
        }
        let said = headline(&doc).expect("advice");
        assert_eq!(said, "4 pieces of advice for 3 machines");
        assert!(all(&doc).iter().all(|piece| piece.saving() == "-"));
        let mut nothing = doc.instances.clone();
        for advice in nothing.iter_mut().flat_map(|machine| &mut machine.advice) {
            advice.saves_per_month = Some(fixture::money("0 EUR"));
        }
        let pieces = pieces(&doc, nothing.iter());
        assert_eq!(pieces[0].saving(), "nothing");
        assert!(!pieces[0].line().contains("0.00"));
    }
}
