//! A provider's bill held against the estimate for the same time. The two are never added: where
//! the bill is higher, what it has more is what was not seen.

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_model::{AccountName, Bill, BillKind, Money, ProviderName, Totals};
use rust_decimal::Decimal;

use crate::amount::amount;
use crate::exchange::Exchange;
use crate::piece::Piece;

/// What was asked of one account's bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountBill {
    /// The account's name in the configuration.
    pub account: AccountName,
    /// The cloud.
    pub provider: ProviderName,
    /// Whether several configured accounts lead there: the bill may be for more than the parts of
    /// it that they look at, or for less, so it is shown and held against no budget.
    pub shared: bool,
    /// The bill, or why there is none.
    pub bill: Result<Bill, Unbilled>,
}

/// Why a bill was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbilled {
    /// Whether the key may not read it at all. Otherwise it has been read before, perhaps, and may
    /// hold more than was seen.
    pub denied: bool,
    /// For people.
    pub why: String,
}

/// A bill beside the estimate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reconciled {
    /// What accelerated machines were billed.
    pub billed: Totals,
    /// What everything else was billed.
    pub other: Totals,
    /// What was estimated for accelerated machines over the same time.
    pub estimated: Totals,
    /// `billed` minus `estimated`, by currency. Where they are in different currencies both are
    /// converted first; what no rate converts stands for itself.
    pub difference: Totals,
    /// Lines without an amount.
    pub without_amount: usize,
}

impl Reconciled {
    /// The difference in percent of what was billed; `None` over several currencies and where
    /// nothing was billed.
    pub fn percent(&self) -> Option<Decimal> {
        let mut billed = self.billed.iter();
        let mut difference = self.difference.iter();
        let (Some(billed), None) = (billed.next(), billed.next()) else { return None };
        let (Some(difference), None) = (difference.next(), difference.next()) else { return None };
        let same = billed.currency == difference.currency;
        same.then(|| {
            difference.amount.saturating_mul(Decimal::ONE_HUNDRED).checked_div(billed.amount.abs())
        })?
    }

    /// What the bill has more than the estimate, from a cent on: less is the provider's rounding.
    /// Nothing where a part of the estimate stands in a currency that no rate leads to: it may be
    /// the same money.
    pub fn excess(&self) -> impl Iterator<Item = Money> + '_ {
        let comparable = self.difference.iter().all(|one| one.to_cents() >= Decimal::ZERO);
        self.difference
            .iter()
            .filter(move |difference| comparable && difference.to_cents() > Decimal::ZERO)
    }
}

/// Holds a bill against the pieces of its account. The provider's months are those of UTC.
pub fn reconcile(bill: &Bill, pieces: &[Piece<'_>], exchange: &Exchange) -> Reconciled {
    let of = |kind| {
        let lines = bill.lines.iter().filter(move |line| line.kind == kind);
        lines.filter_map(|line| line.amount).collect::<Totals>()
    };
    let here = pieces
        .iter()
        .filter(|piece| piece.id.provider == bill.provider && piece.id.account == bill.account);
    let estimated: Totals =
        here.filter_map(|piece| amount(piece, bill.from, bill.until, Tz::UTC).money).collect();
    let billed = of(BillKind::Compute);
    let currencies = |totals: &Totals| totals.iter().map(|one| one.currency).collect::<Vec<_>>();
    let alike =
        estimated.is_empty() || billed.is_empty() || currencies(&billed) == currencies(&estimated);
    let shown = |money: Money| if alike { money } else { exchange.convert(money) };
    let mut difference: Totals = billed.iter().map(shown).collect();
    for money in estimated.iter() {
        difference.add(shown(money).times(Decimal::NEGATIVE_ONE));
    }
    Reconciled {
        billed,
        other: of(BillKind::Other),
        estimated,
        difference,
        without_amount: bill.lines.iter().filter(|line| line.amount.is_none()).count(),
    }
}

/// Whether a bill is of the month that begins at `start`: the provider's months are those of UTC, and
/// no zone is further away from that.
pub fn is_of_month(bill: &Bill, start: DateTime<Utc>) -> bool {
    (bill.from - start).abs() <= TimeDelta::hours(14)
}
