//! Charges for the tests: every shape that a month can have.

use std::str::FromStr as _;

use proptest::prelude::*;
use reaper_model::{Charge, Noted, Unit};
use rust_decimal::Decimal;

use crate::fixture::{any_text, day, money};

/// The machine on the box, whose document has a verdict for it.
pub(super) const NOTEBOOK: &str = "aws/research/eu-west-1/i-0abc1234def567890";

/// Hours of a machine on a day, at a price per hour.
pub(super) fn used(id: &str, on: &str, hours: &str, price: &str) -> Charge {
    let id: reaper_model::InstanceId = id.parse().expect("an id");
    let hours = Decimal::from_str(hours).expect("a number");
    let price = Noted { money: money(price), unit: Unit::Hour };
    Charge {
        account: id.account.as_str().into(),
        id,
        day: day(on),
        hours,
        money: Some(price.money.times(hours)),
        price: Some(price),
        machine_type: "p4d.24xlarge".into(),
        name: Some("notebook-test".to_owned()),
        owners: vec!["alice".to_owned()],
        tags: [("project".to_owned(), "atlas".to_owned())].into(),
    }
}

/// A monthly plan.
pub(super) fn plan(id: &str, on: &str, price: &str) -> Charge {
    let price = Noted { money: money(price), unit: Unit::Month };
    Charge { price: Some(price), money: Some(price.money), ..used(id, on, "0", "0 EUR") }
}

/// Time for which no price is known.
pub(super) fn unpriced(id: &str, on: &str, hours: &str) -> Charge {
    Charge {
        price: None,
        money: None,
        machine_type: "p9x.192xlarge".into(),
        ..used(id, on, hours, "0 EUR")
    }
}

/// Time that a commitment pays for.
pub(super) fn committed(id: &str, on: &str, hours: &str) -> Charge {
    Charge { money: None, ..used(id, on, hours, "40 EUR") }
}

/// A month of everything.
pub(super) fn month() -> Vec<Charge> {
    let ovh =
        "ovhcloud/0123456789abcdef0123456789abcdef/GRA11/6ba7b810-9dad-11d1-80b4-00c04fd430c8";
    let scaleway = "scaleway/org-1/fr-par-2/f47ac10b-58cc-4372-a567-0e02b2c3d479";
    let lambda = "lambda/ssh-key:ann/us-east-3/0920582c7ff041399e34823a0be62549";
    let sixth = (Decimal::ONE / Decimal::from(6)).to_string();
    let mut charges = vec![
        // A whole day, a part of one, ten minutes, a second, none at all.
        used(NOTEBOOK, "2026-11-01", "24", "3.50 EUR"),
        used(NOTEBOOK, "2026-11-02", "9.25", "3.50 EUR"),
        used(scaleway, "2026-11-02", &sixth, "2.80 EUR"),
        used("aws/1/eu-west-1/i-2", "2026-11-02", "0.0002777777777777777777777778", "98.32 USD"),
        used(NOTEBOOK, "2026-11-03", "0", "3.50 EUR"),
        // Two prices and two owners on one day.
        used(NOTEBOOK, "2026-11-04", "10", "3.50 EUR"),
        Charge {
            owners: vec!["bob".to_owned(), "carol".to_owned()],
            ..used(NOTEBOOK, "2026-11-04", "14", "3.21 EUR")
        },
        // Other currencies, one without cents, and a provider that nobody knows.
        used(lambda, "2026-11-30", "24", "3.29 USD"),
        used("newcloud/a/moon-1/m-1", "2026-11-30", "24", "410 JPY"),
        // A plan at the edges of years and leap days, and one that nobody has a price for.
        plan(ovh, "2026-11-01", "800 EUR"),
        plan(ovh, "2028-02-29", "800.50 EUR"),
        plan(ovh, "2026-12-31", "800 EUR"),
        unpriced("aws/1/eu-west-1/i-3", "2026-11-05", "24"),
        committed("aws/1/eu-west-1/i-5", "2026-11-05", "24"),
        // Deleted, without a name, an owner, tags.
        Charge {
            name: None,
            owners: Vec::new(),
            tags: [].into(),
            ..used("aws/research/eu-west-1/i-gone", "2026-11-06", "5", "40 EUR")
        },
    ];
    for text in [
        "a,b",
        "say \"hello\"",
        "two\r\nlines\nof text",
        "Überwachung-größe-日本 🚀",
        "=cmd()",
        "+1",
        "-1",
        "@x",
        "\t=1",
        "'",
        "\u{1b}[31m\u{202e}::error::",
        "  ",
        "",
        "null",
        "{\"a\":[1]}",
        "24",
    ] {
        charges.push(named(text));
    }
    charges
}

/// A charge in which others have put one text wherever they can.
pub(super) fn named(text: &str) -> Charge {
    let mut charge = used("scaleway/org-1/fr-par-2/x", "2026-11-07", "1.5", "1 EUR");
    charge.name = Some(text.to_owned());
    charge.owners = vec![text.to_owned(), "alice".to_owned()];
    charge.tags = [(text.to_owned(), text.to_owned()), ("word".to_owned(), String::new())].into();
    if !text.trim().is_empty() {
        charge.machine_type = text.into();
        charge.account = text.into();
        charge.id.native = text.to_owned();
        charge.id.location = text.into();
    }
    charge
}

/// Any charge with a price.
pub(super) fn any_charge() -> impl Strategy<Value = Charge> {
    let currency = prop::sample::select(vec!["EUR", "USD", "GBP"]);
    (any_text(), 0_u32..=86_400, 1_u64..10_000_000, currency, 1_u32..=30, any::<bool>()).prop_map(
        |(text, seconds, price, currency, on, is_plan)| {
            let on = format!("2026-11-{on:02}");
            let price = format!("{} {currency}", Decimal::from(price) / Decimal::from(1_000));
            let hours = (Decimal::from(seconds) / Decimal::from(3600)).to_string();
            let charge = if is_plan {
                plan(NOTEBOOK, &on, &price)
            } else {
                used(NOTEBOOK, &on, &hours, &price)
            };
            Charge { name: Some(text.clone()), owners: vec![text], ..charge }
        },
    )
}
