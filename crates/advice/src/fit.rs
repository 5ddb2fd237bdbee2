//! Which of a location's offers the work of a machine would fit on, for less money.

use reaper_model::document::Confidence;
use reaper_model::{Money, Offer, Price, Purchase, Unit};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;

use crate::models::{Gear, Models};
use crate::question::Question;
use crate::text;
use crate::week::Seen;
use crate::words;

/// Memory beyond the most that was ever in use.
pub(crate) const HEADROOM: f64 = 1.2;
/// How much of another card's bandwidth the work may take on average.
const FILL: f64 = 0.7;
/// What is saved has to be worth the change: a tenth.
const WORTH: Decimal = Decimal::from_parts(1, 0, 0, false, 1);
/// As many types are named at most.
const NAMED: usize = 3;

/// What a machine's work needs of another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Needs {
    /// Cards that somebody needs.
    pub(crate) cards: u32,
    /// The most memory that was in use on one of them, GiB.
    pub(crate) fullest_gib: f64,
    /// Memory traffic of the card that works most, on average, GB/s: at most, for a card that works
    /// need not move all that it can.
    traffic: f64,
    /// The same in its busiest hour.
    busiest: f64,
    /// Whether cards worked at the same time, so that they may talk to each other.
    together: bool,
}

impl Needs {
    /// What a week shows of the need; `None` where it did nothing, or too little is known.
    pub(crate) fn of(seen: &Seen, present: &Gear) -> Option<Self> {
        let (_, most) = present.card.bandwidth?;
        let traffic = |percent: f64| percent / 100.0 * most * present.share;
        let top =
            |of: fn(&crate::week::CardWeek) -> f64| seen.cards.iter().map(of).fold(0.0, f64::max);
        seen.worked().then_some(())?;
        Some(Self {
            cards: u32::try_from(seen.in_use()).ok()?,
            fullest_gib: seen.fullest_gib()?,
            traffic: traffic(top(|card| card.mean)),
            busiest: traffic(top(|card| card.busiest)),
            together: seen.together(),
        })
    }
}

/// An offer that would do.
#[derive(Debug, Clone)]
pub(crate) struct Fit<'a> {
    /// The offer.
    pub(crate) offer: &'a Offer,
    /// What it has.
    pub(crate) gear: Gear,
    /// What speaks against it, in words.
    pub(crate) doubts: Vec<String>,
    /// What it saves in a month; `None` where the machine's own price is not known.
    pub(crate) saves: Option<Money>,
}

impl Fit<'_> {
    /// `g5.xlarge (1 × A10G of 22.35 GiB, 1.006 USD per hour, saves 15,294.43 USD a month; no FP8)`.
    pub(crate) fn words(&self) -> String {
        let Offer { machine_type, price, .. } = self.offer;
        let price = text::price(price.money, price.unit);
        let saves = self.saves.map(|saves| format!(", saves {saves} a month")).unwrap_or_default();
        let doubts: String = self.doubts.iter().flat_map(|doubt| ["; ", doubt]).collect();
        let cards = text::cards(&self.offer.gpu, &self.gear);
        format!("{machine_type} ({cards}, {price}{saves}{doubts})")
    }
}

/// As many doubts as leave nothing sure.
pub(crate) const UNSURE: usize = 2;

/// How sure advice with so many doubts is.
pub(crate) const fn confidence(doubts: usize) -> Confidence {
    match doubts {
        0 => Confidence::High,
        1 => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// What a change that is worth while saves in a month, where that is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saving(pub(crate) Option<Money>);

/// The offers of a location that a machine may be compared with.
#[derive(Debug, Clone)]
pub(crate) struct Market<'a> {
    question: &'a Question<'a>,
    present: &'a Gear,
    price: Option<&'a Price>,
    offers: Vec<(&'a Offer, Gear)>,
}

impl<'a> Market<'a> {
    /// Offers in the unit in which the machine is paid, on cards that run the same programs and for
    /// which software is still made. Money that is spent anyway has no market.
    pub(crate) fn of(
        question: &'a Question<'a>,
        models: &Models,
        present: &'a Gear,
    ) -> Option<Self> {
        let unit = match question.instance.purchase {
            Purchase::OnDemand | Purchase::Spot { .. } => Unit::Hour,
            Purchase::Monthly => Unit::Month,
            Purchase::Reserved(_) | Purchase::Other(_) => return None,
        };
        let offers = question.offers.iter().filter(|offer| {
            offer.price.unit == unit && offer.machine_type != question.instance.machine_type
        });
        let mut offers: Vec<(&Offer, Gear)> = offers
            .filter_map(|offer| Some((offer, models.gear(&offer.gpu)?)))
            .filter(|(_, gear)| gear.card.runs_the_same_as(&present.card) && !gear.card.outdated())
            .collect();
        offers.sort_by(|(one, _), (other, _)| {
            let key = |offer: &Offer| (offer.price.money.currency, offer.price.money.amount);
            (key(one), &one.machine_type).cmp(&(key(other), &other.machine_type))
        });
        Some(Self { question, present, price: question.price.value(), offers })
    }

    /// Those of them that are of some kind.
    pub(crate) fn among(&self, wanted: fn(&Gear) -> bool) -> Self {
        let mut some = self.clone();
        some.offers.retain(|(_, gear)| wanted(gear));
        some
    }

    /// The offers, cheapest first.
    pub(crate) fn offers(&self) -> impl Iterator<Item = (&'a Offer, &Gear)> {
        self.offers.iter().map(|(offer, gear)| (*offer, gear))
    }

    /// What an offer saves in a month; `None` if it is not worth while. Where the machine's own price is
    /// not known the offer has to be smaller, so that it can hardly be dearer.
    pub(crate) fn saving(&self, offer: &Offer, gear: &Gear) -> Option<Saving> {
        let Some(own) = self.price else {
            let smaller =
                gear.total_gib() < self.present.total_gib() && gear.cards <= self.present.cards;
            return smaller.then_some(Saving(None));
        };
        let (own, other) = (own.per_month(), offer.price.per_month());
        let less = own.amount - other.amount;
        (own.currency == other.currency && less > own.amount * WORTH)
            .then(|| Saving(Some(Money::new(less, own.currency))))
    }

    /// The cheapest offers that the work fits on, one of each number of each card, three at most.
    pub(crate) fn fits(&self, needs: &Needs) -> Vec<Fit<'a>> {
        let mut fits: Vec<Fit<'a>> = Vec::new();
        for (offer, gear) in self.offers() {
            let known = fits.iter().any(|fit| fit.gear == *gear);
            if known || fits.len() == NAMED {
                continue;
            }
            if let Some(Saving(saves)) = self.saving(offer, gear)
                && let Some(doubts) = self.doubts(needs, gear)
            {
                fits.push(Fit { offer, gear: gear.clone(), doubts, saves });
            }
        }
        fits
    }

    /// What speaks against a type for this work; `None` if the work does not fit.
    fn doubts(&self, needs: &Needs, gear: &Gear) -> Option<Vec<String>> {
        let sharing = needs.cards.div_ceil(gear.cards);
        let on_one = f64::from(sharing);
        let memory = gear.memory_gib.to_f64()?;
        let bandwidth = gear.bandwidth()?;
        let (present, other) = (&self.present.card, &gear.card);
        let linked = needs.together && gear.cards > 1 && present.nvlink.1;
        let fits = needs.fullest_gib * HEADROOM * on_one <= memory
            && needs.traffic * on_one <= bandwidth * FILL
            && (!linked || other.nvlink.0);
        if !fits {
            return None;
        }
        let mut doubts = Vec::new();
        for (name, had, has, words) in [
            ("FP8", present.fp8, other.fp8, &["fp8", "float8"]),
            ("bfloat16", present.bf16(), other.bf16(), &["bf16", "bfloat16"]),
        ] {
            if had && !has {
                if words::find(self.question.instance, words, &[]).is_some() {
                    return None;
                }
                doubts.push(format!("without {name}"));
            }
        }
        if sharing > 1 {
            doubts.push(format!("the work of {sharing} cards would share one"));
        }
        if gear.share < 1.0 {
            doubts.push("a part of a card, which takes the maker's driver for shared cards".into());
        }
        let (_, most) = present.bandwidth?;
        let slower = most * self.present.share / bandwidth;
        if needs.busiest * on_one > bandwidth {
            let slower = text::tenths(slower * on_one);
            doubts.push(format!("busy hours would take up to {slower} times as long"));
        }
        Some(doubts)
    }
}
