//! What pieces come to within a span of time. Parts of a span add up to the whole exactly, because
//! each is what the run has come to at its end beyond what it had come to at its beginning.

use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use chrono_tz::Tz;
use reaper_model::{Charge, Money, Noted, Span, Unit};
use rust_decimal::Decimal;

use crate::month::Month;
use crate::piece::{Piece, is_monthly};

/// Billed time, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Amount {
    /// Billed seconds, by the provider's rounding; 0 for a monthly plan.
    pub seconds: u64,
    /// Renewals of a monthly plan.
    pub renewals: u32,
    /// What they cost; `None`: nobody knows the price, or a commitment that was paid otherwise.
    pub money: Option<Money>,
}

impl Amount {
    /// Billed hours.
    pub fn hours(&self) -> Decimal {
        Decimal::from(self.seconds) / Decimal::from(3600)
    }

    /// Whether nothing was billed.
    pub const fn is_nothing(&self) -> bool {
        self.seconds == 0 && self.renewals == 0
    }
}

/// What a piece comes to from `from`, inclusive, until `until`, exclusive. `zone` has the months of
/// monthly plans: each calendar month that a run touches is paid once, when it begins.
pub fn amount(piece: &Piece<'_>, from: DateTime<Utc>, until: DateTime<Utc>, zone: Tz) -> Amount {
    let (from, until) = (from.max(piece.from), until.min(piece.until));
    if from >= until {
        return Amount { seconds: 0, renewals: 0, money: piece.free() };
    }
    let (mut seconds, mut renewals) = (0, 0);
    if is_monthly(piece.reading) {
        renewals = self::renewals(piece, from, until, zone);
    } else {
        seconds = piece.billed_at(until).saturating_sub(piece.billed_at(from));
    }
    let money = piece.reading.price.filter(|_| !piece.reading.committed).map(|price| {
        match price.unit {
            // The division last: thirds of hours then cost whole cents where they can.
            Unit::Hour => {
                let amount = price.money.times(Decimal::from(seconds)).amount;
                Money { amount: amount / Decimal::from(3600), ..price.money }
            }
            Unit::Month => price.money.times(Decimal::from(renewals)),
        }
    });
    Amount { seconds, renewals, money }
}

/// What an open piece will come to from its end until `until`, if nothing changes.
pub fn ahead(piece: &Piece<'_>, until: DateTime<Utc>, zone: Tz) -> Amount {
    let longer = Piece { until: until.max(piece.until), ..piece.clone() };
    amount(&longer, piece.until, until, zone)
}

/// What pieces come to, machine by machine and UTC day by UTC day; days on which nothing was billed
/// are left out.
pub fn charges(
    pieces: &[Piece<'_>],
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    zone: Tz,
) -> Vec<Charge> {
    let mut charges = Vec::new();
    for piece in pieces {
        let end = until.min(piece.until);
        let mut day = from.max(piece.from);
        while day < end {
            let next = day_after(day);
            let amount = amount(piece, day, next.min(end), zone);
            if !amount.is_nothing() {
                charges.push(charge(piece, day, amount));
            }
            day = next;
        }
    }
    charges
}

fn charge(piece: &Piece<'_>, day: DateTime<Utc>, amount: Amount) -> Charge {
    let reading = piece.reading;
    Charge {
        id: piece.id.clone(),
        day: day.date_naive(),
        hours: amount.hours(),
        money: amount.money,
        price: reading.price,
        machine_type: reading.machine_type.clone(),
        name: reading.name.clone(),
        account: reading.account.clone(),
        owners: reading.owners.clone(),
        tags: reading.tags.clone(),
    }
}

fn day_after(time: DateTime<Utc>) -> DateTime<Utc> {
    let midnight = time.date_naive().and_time(NaiveTime::MIN).and_utc();
    midnight + TimeDelta::days(1)
}

/// How often a monthly plan begins a month within a span of the piece.
fn renewals(piece: &Piece<'_>, from: DateTime<Utc>, until: DateTime<Utc>, zone: Tz) -> u32 {
    let first = Month::holding(from, zone);
    let paid = piece.plan_before.is_some_and(|before| before > first.start);
    let begins = from == piece.from && !paid;
    let mut count = u32::from(begins || from == first.start);
    let mut next = first.end;
    while next < until {
        count += 1;
        next = Month::holding(next, zone).end;
    }
    count
}

impl Piece<'_> {
    /// Seconds that the run is billed up to a time.
    fn billed_at(&self, time: DateTime<Utc>) -> u64 {
        if time <= self.run_start {
            return 0;
        }
        self.rounding.billed(Span::between(self.run_start, time)).as_secs()
    }

    /// Nothing, in the currency of the price.
    fn free(&self) -> Option<Money> {
        let Noted { money, .. } = self.reading.price.filter(|_| !self.reading.committed)?;
        Some(Money { amount: Decimal::ZERO, ..money })
    }
}
