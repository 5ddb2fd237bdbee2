//! `[fx]` and `[[price]]`: dated rates, and what the user says a machine costs.

use std::collections::BTreeSet;

use reaper_model::{Currency, Location, MachineType, PriceOverride, ProviderName, Rate, Unit};

use crate::account;
use crate::context::{Context, help};
use crate::currency;
use crate::section::Section;

/// What to do instead of a price of zero.
const UNKNOWN: &str = "an unknown price is left out, never 0";

/// The rates to `to`, by foreign currency.
pub(crate) fn rates(cx: &mut Context<'_>, root: &Section<'_>, to: Currency) -> Vec<Rate> {
    let mut rates = Vec::new();
    for (code, span, section) in root.map_tables(cx, "fx") {
        let rate = section.decimal(cx, "rate");
        let as_of = section.date(cx, "as_of");
        let Some(from) = currency::read(cx, code, span.clone()) else { continue };
        if from == to {
            let message = format!("{from} is the currency of the report itself");
            cx.refuse(span, message, help("rates are for other currencies; remove it"));
            continue;
        }
        if let (Some(rate), Some(as_of)) = (rate, as_of) {
            cx.record(format!("fx.{from}"), format!("{rate} {to} as of {as_of}"), false);
            rates.push(Rate { from, to, rate, as_of });
        }
    }
    rates
}

/// The prices, in the order of the file; one per provider, type, location.
pub(crate) fn overrides(cx: &mut Context<'_>, root: &Section<'_>) -> Vec<PriceOverride> {
    let mut prices = Vec::new();
    let mut seen = BTreeSet::new();
    for section in root.tables(cx, "price", "price") {
        let Some(price) = price(cx, &section) else { continue };
        let place = (price.provider.clone(), price.machine_type.clone(), price.location.clone());
        if !seen.insert(place) {
            let message =
                format!("there are two prices for {} at {}", price.machine_type, price.provider);
            cx.refuse(section.place("type"), message, help("keep the one that holds"));
        }
        prices.push(price);
    }
    prices
}

fn price(cx: &mut Context<'_>, section: &Section<'_>) -> Option<PriceOverride> {
    let provider = account::provider(cx, section);
    let machine_type = section.text(cx, "type");
    let location = section.text(cx, "location").map(|text| Location::new(text.value));
    let hourly = section.amount(cx, "hourly", UNKNOWN);
    let monthly = section.amount(cx, "monthly", UNKNOWN);
    match (section.value("hourly"), section.value("monthly")) {
        (None, None) => cx.refuse(
            section.span.clone(),
            format!("{} has no amount", section.subject),
            help("write hourly = \"80 USD\" or monthly = \"800 EUR\""),
        ),
        (Some(_), Some(second)) => cx.refuse(
            second.span(),
            format!("{} is both hourly and monthly", section.subject),
            help("keep exactly one of them"),
        ),
        _ => {}
    }
    let (money, unit) =
        hourly.map(|money| (money, Unit::Hour)).or(monthly.map(|money| (money, Unit::Month)))?;
    Some(PriceOverride {
        provider: ProviderName::new(provider?.name),
        machine_type: MachineType::new(machine_type?.value),
        location,
        money,
        unit,
    })
}
