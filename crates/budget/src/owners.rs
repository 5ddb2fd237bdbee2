//! What was spent by owner. What nobody answers for is a row of its own, never spread over others.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::{InstanceId, Money, Totals};

use crate::amount::amount;
use crate::exchange::Exchange;
use crate::month::Month;
use crate::piece::Piece;

/// One owner's spending in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnerSpend {
    /// As written; `None`: nobody.
    pub owner: Option<String>,
    /// By currency, after conversion.
    pub spent: Vec<Money>,
    /// Machines that were billed.
    pub machines: usize,
    /// Of them those without a price.
    pub unpriced: usize,
}

/// Spending of the month up to `now` by owner, the most first. A machine with several owners is a
/// row of all of them together, so that nothing is counted twice. What bills have more than was
/// seen, `unseen`, is nobody's. Case makes no other owner.
pub fn by_owner(
    pieces: &[Piece<'_>],
    month: &Month,
    now: chrono::DateTime<chrono::Utc>,
    exchange: &Exchange,
    unseen: &Totals,
) -> Vec<OwnerSpend> {
    #[derive(Default)]
    struct Sum<'a> {
        /// As first written.
        owner: Option<String>,
        spent: Totals,
        machines: BTreeSet<&'a InstanceId>,
        unpriced: BTreeSet<&'a InstanceId>,
    }
    let mut sums: BTreeMap<Option<String>, Sum<'_>> = BTreeMap::new();
    for piece in pieces {
        let amount = amount(piece, month.start, now, month.zone);
        if amount.is_nothing() {
            continue;
        }
        let owners = &piece.reading.owners;
        let owner = (!owners.is_empty()).then(|| owners.join(", "));
        let sum = sums.entry(owner.as_ref().map(|owner| owner.to_lowercase())).or_default();
        sum.owner = sum.owner.take().or(owner);
        sum.machines.insert(piece.id);
        match amount.money {
            Some(money) => sum.spent.add(exchange.convert(money)),
            None => {
                sum.unpriced.insert(piece.id);
            }
        }
    }
    for money in unseen.iter() {
        sums.entry(None).or_default().spent.add(exchange.convert(money));
    }
    let mut rows: Vec<OwnerSpend> = sums
        .into_values()
        .map(|sum| OwnerSpend {
            owner: sum.owner,
            spent: sum.spent.iter().collect(),
            machines: sum.machines.len(),
            unpriced: sum.unpriced.len(),
        })
        .collect();
    let worth = |row: &OwnerSpend| {
        let here = row.spent.iter().filter(|money| money.currency == exchange.currency());
        here.map(|money| money.amount).sum::<rust_decimal::Decimal>()
    };
    rows.sort_by(|a, b| worth(b).cmp(&worth(a)).then_with(|| a.owner.cmp(&b.owner)));
    rows
}
