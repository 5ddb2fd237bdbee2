//! What the readings of a machine's bill say to people, each as the difference to the one before.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_model::{Billed, InstanceId, Noted, Reading, Unit};

/// The last readings, by machine.
#[derive(Default)]
pub(super) struct Readings(BTreeMap<InstanceId, Reading>);

impl Readings {
    /// What is new in the next reading of a machine.
    pub(super) fn next(
        &mut self,
        id: &InstanceId,
        absent: Option<&DateTime<Utc>>,
        reading: &Reading,
        time: impl Fn(&DateTime<Utc>) -> String,
    ) -> String {
        let away = absent.map(|at| format!("not listed at {}", time(at)));
        let before = self.0.insert(id.clone(), reading.clone());
        let new = match &before {
            None => [billed(reading.billed, &time), price(reading)].into(),
            Some(before) => changes(before, reading, &time),
        };
        let said: Vec<String> = away.into_iter().chain(new).collect();
        let said = said.join("; ");
        if before.is_none() { format!("bill: {said}") } else { format!("bill changed: {said}") }
    }
}

fn changes(
    before: &Reading,
    now: &Reading,
    time: impl Fn(&DateTime<Utc>) -> String,
) -> Vec<String> {
    let mut said = Vec::new();
    if before.billed != now.billed {
        said.push(billed(now.billed, time));
    }
    if (before.price, before.committed) != (now.price, now.committed) {
        said.push(format!("{} (before: {})", price(now), price(before)));
    }
    let mut turned = |what: &str, before: &str, now: &str| {
        if before != now {
            said.push(format!("{what} {now} (before: {before})"));
        }
    };
    turned("type", before.machine_type.as_str(), now.machine_type.as_str());
    turned("account", before.account.as_str(), now.account.as_str());
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    turned("name", &or_none(&before.name), &or_none(&now.name));
    turned("owner", &owners(before), &owners(now));
    turned("team", &or_none(&before.team), &or_none(&now.team));
    let keys: BTreeSet<&String> = before.tags.keys().chain(now.tags.keys()).collect();
    let turned = keys.into_iter().filter(|&key| before.tags.get(key) != now.tags.get(key));
    let turned: Vec<&str> = turned.map(String::as_str).collect();
    if !turned.is_empty() {
        said.push(format!("tags {}", turned.join(", ")));
    }
    if said.is_empty() {
        said.push("otherwise as before".to_owned());
    }
    said
}

fn billed(billed: Billed, time: impl Fn(&DateTime<Utc>) -> String) -> String {
    let (what, since) = match billed {
        Billed::Since(since) => ("billed", since),
        Billed::NotSince(since) => ("not billed", since),
    };
    since.map_or_else(|| what.to_owned(), |at| format!("{what} since {}", time(&at)))
}

fn price(reading: &Reading) -> String {
    let price = match &reading.price {
        None => "price unknown".to_owned(),
        Some(Noted { money, unit }) => {
            let per = match unit {
                Unit::Hour => "hour",
                Unit::Month => "month",
            };
            format!("{} {} per {per}", money.all_digits(), money.currency)
        }
    };
    if reading.committed { format!("{price} by a commitment") } else { price }
}

fn owners(reading: &Reading) -> String {
    if reading.owners.is_empty() { "nobody".to_owned() } else { reading.owners.join(" and ") }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn reading() -> Reading {
        Reading {
            billed: Billed::Since(Some(DateTime::UNIX_EPOCH)),
            price: Some(Noted { money: "3.5 EUR".parse().expect("money"), unit: Unit::Hour }),
            committed: false,
            uncertain: false,
            blind: false,
            account: "research".into(),
            machine_type: "L40S-1-48G".into(),
            name: Some("notebook".to_owned()),
            owners: Vec::new(),
            team: None,
            tags: [("project".to_owned(), "atlas".to_owned())].into(),
        }
    }

    fn time(at: &DateTime<Utc>) -> String {
        at.format("%H:%MZ").to_string()
    }

    #[test]
    fn each_reading_says_what_is_new_in_it() {
        let id: InstanceId = "scaleway/o/fr-par-2/a".parse().expect("an id");
        let mut readings = Readings::default();
        let mut now = reading();
        let mut next =
            |absent: Option<&DateTime<Utc>>, now: &Reading| readings.next(&id, absent, now, time);
        assert_eq!(next(None, &now), "bill: billed since 00:00Z; 3.50 EUR per hour");
        now.price = None;
        now.owners = vec!["alice".to_owned(), "bob".to_owned()];
        assert_eq!(
            next(None, &now),
            "bill changed: price unknown (before: 3.50 EUR per hour); owner alice and bob (before: \
             nobody)"
        );
        now.billed = Billed::NotSince(None);
        now.name = None;
        now.tags = [("Team".to_owned(), "x".to_owned())].into();
        assert_eq!(
            next(None, &now),
            "bill changed: not billed; name none (before: notebook); tags Team, project"
        );
        let absent = DateTime::UNIX_EPOCH + TimeDelta::hours(9);
        assert_eq!(
            next(Some(&absent), &now),
            "bill changed: not listed at 09:00Z; otherwise as before"
        );
        now.committed = true;
        now.price = reading().price;
        assert_eq!(
            next(None, &now),
            "bill changed: 3.50 EUR per hour by a commitment (before: price unknown)"
        );
    }
}
