//! What is asked about a machine, and what the answer is made of.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::{Asset, Fact, Instance, Measured, Money, Offer, Price};

/// A week of measurements, each sample an hour or less: the seven days that end at the clock.
#[derive(Debug, Clone, Copy)]
pub struct Week<'a> {
    /// What the hours tell on average ([`reaper_model::Statistic::Mean`]).
    pub mean: &'a Measured,
    /// What they tell at their highest ([`reaper_model::Statistic::Peak`]).
    pub peak: &'a Measured,
}

/// All that is known of one machine.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The machine.
    pub instance: &'a Instance,
    /// What it costs.
    pub price: &'a Fact<Price>,
    /// What the same provider offers in the machine's location.
    pub offers: &'a [Offer],
    /// What was measured of it in the last seven days; `None` where nobody was asked.
    pub week: Option<Week<'a>>,
    /// What costs money beside it and is in use by it.
    pub assets: &'a [&'a Asset],
    /// What its type costs as spare capacity right now, where that is known.
    pub spot: Option<&'a Price>,
    /// When it was first seen, for machines whose provider shows no launch.
    pub first_seen: Option<DateTime<Utc>>,
    /// Whether it was judged idle in this run.
    pub idle: bool,
    /// Whether something is going to switch it off anyway: a tag with working hours, a date, a plan.
    pub switched_off: bool,
    /// The clock of the run.
    pub now: DateTime<Utc>,
    /// Where weeks begin at midnight.
    pub zone: Tz,
}

/// What would do for less.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// The advice with its evidence, for people.
    pub text: String,
    /// What following it saves in a month, in the currency of the price; `None` where that cannot be
    /// told, never 0. Pieces of advice about one machine are alternatives: their savings have no sum.
    pub saves_per_month: Option<Money>,
    /// How sure it is.
    pub confidence: Confidence,
}
