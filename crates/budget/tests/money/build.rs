//! Looks, budgets and books for the tests.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use reaper_budget::{
    AccountBill, Books, Exchange, Look, Month, Piece, Standing, Track, Unread, pieces, stand,
};
use reaper_model::{
    AccountName, Billed, BudgetScope, BudgetSpec, Currency, InstanceId, Noted, OnLimit,
    ProviderName, Rate, Reading, Unit,
};
use rust_decimal::Decimal;

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

pub(crate) fn number(text: &str) -> Decimal {
    text.parse().expect("a number")
}

pub(crate) fn zone(name: &str) -> Tz {
    name.parse().expect("a zone")
}

pub(crate) fn id(provider: &str, native: &str) -> InstanceId {
    format!("{provider}/111122223333/here/{native}").parse().expect("an id")
}

/// Billed since a start, at a price an hour.
pub(crate) fn billed(start: Option<&str>, hourly: Option<&str>) -> Reading {
    Reading {
        billed: Billed::Since(start.map(time)),
        price: hourly
            .map(|hourly| Noted { money: hourly.parse().expect("money"), unit: Unit::Hour }),
        committed: false,
        uncertain: false,
        blind: false,
        account: "research".into(),
        machine_type: "p4d.24xlarge".into(),
        name: Some("notebook".to_owned()),
        owners: vec!["alice".to_owned()],
        team: None,
        tags: BTreeMap::new(),
    }
}

pub(crate) fn idle(end: Option<&str>) -> Reading {
    Reading { billed: Billed::NotSince(end.map(time)), ..billed(None, None) }
}

pub(crate) fn monthly(start: &str, price: &str) -> Reading {
    let price = Noted { money: price.parse().expect("money"), unit: Unit::Month };
    Reading { price: Some(price), ..billed(Some(start), None) }
}

/// When, until when the look before held, when the machine was away in between, what was read.
type Looked = (DateTime<Utc>, Option<DateTime<Utc>>, Option<DateTime<Utc>>, Reading);

/// One machine as it was looked at.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(crate) id: InstanceId,
    pub(crate) looks: Vec<Looked>,
    pub(crate) seen: DateTime<Utc>,
    pub(crate) cut: Option<DateTime<Utc>>,
    pub(crate) stopped: Vec<DateTime<Utc>>,
    pub(crate) gone: Option<DateTime<Utc>>,
}

impl Machine {
    /// Looked at at these times with these readings; as the ledger does it, only what differs is
    /// remembered.
    pub(crate) fn seen(provider: &str, looks: &[(&str, Reading)]) -> Self {
        let times = looks.iter().map(|(at, reading)| (time(at), reading.clone()));
        Self::at(provider, "i-1", times)
    }

    pub(crate) fn at(
        provider: &str,
        native: &str,
        looks: impl IntoIterator<Item = (DateTime<Utc>, Reading)>,
    ) -> Self {
        let mut machine = Self {
            id: id(provider, native),
            looks: Vec::new(),
            seen: DateTime::<Utc>::MIN_UTC,
            cut: None,
            stopped: Vec::new(),
            gone: None,
        };
        for (at, reading) in looks {
            let before = machine.looks.last();
            if before.is_none_or(|(.., last)| *last != reading) {
                let confirmed = before.map(|_| machine.seen);
                machine.looks.push((at, confirmed, None, reading));
            }
            machine.seen = at;
        }
        machine
    }

    pub(crate) fn track(&self) -> Track<'_> {
        let looks = self.looks.iter().map(|(at, confirmed, absent, reading)| Look {
            at: *at,
            confirmed: *confirmed,
            absent: *absent,
            reading,
        });
        Track {
            id: &self.id,
            looks: looks.collect(),
            seen: self.seen,
            cut: self.cut,
            gone: self.gone,
            stopped: self.stopped.clone(),
        }
    }
}

pub(crate) fn all_pieces(machines: &[Machine], now: DateTime<Utc>) -> Vec<Piece<'_>> {
    machines.iter().flat_map(|machine| pieces(&machine.track(), now)).collect()
}

pub(crate) fn budget(limit: &str) -> BudgetSpec {
    BudgetSpec {
        name: "all-gpu".to_owned(),
        limit: limit.parse().expect("money"),
        scope: BudgetScope::default(),
        thresholds: vec![number("50"), number("80")],
        forecast: vec![number("100")],
        recipients: vec!["finance@example.org".to_owned()],
        on_limit: OnLimit::Report,
    }
}

pub(crate) fn rates(usd: &str) -> Exchange {
    let rate = Rate {
        from: Currency::USD,
        to: Currency::EUR,
        rate: number(usd),
        as_of: NaiveDate::from_ymd_opt(2026, 11, 1).expect("a day"),
    };
    Exchange::new(Currency::EUR, [rate])
}

/// What budgets stand on, with nothing missing unless a test says so.
pub(crate) struct Scene {
    pub(crate) machines: Vec<Machine>,
    pub(crate) bills: Vec<AccountBill>,
    pub(crate) unread: Vec<Unread>,
    pub(crate) history: DateTime<Utc>,
    pub(crate) stops: BTreeMap<InstanceId, DateTime<Utc>>,
    pub(crate) exchange: Exchange,
    pub(crate) today: Exchange,
    pub(crate) zone: Tz,
    pub(crate) now: DateTime<Utc>,
}

impl Scene {
    pub(crate) fn new(machines: Vec<Machine>, now: &str) -> Self {
        Self {
            machines,
            bills: Vec::new(),
            unread: Vec::new(),
            history: DateTime::<Utc>::MIN_UTC,
            stops: BTreeMap::new(),
            exchange: Exchange::new(Currency::EUR, []),
            today: Exchange::new(Currency::EUR, []),
            zone: Tz::UTC,
            now: time(now),
        }
    }

    pub(crate) fn stand(&self, spec: &BudgetSpec) -> Standing {
        let pieces = all_pieces(&self.machines, self.now);
        let accounts: [(ProviderName, AccountName); 1] = [("aws".into(), "research".into())];
        stand(
            spec,
            &Books {
                pieces: &pieces,
                bills: &self.bills,
                unread: &self.unread,
                accounts: &accounts,
                history: self.history,
                stops: &self.stops,
                exchange: &self.exchange,
                today: &self.today,
                recounted: false,
                month: Month::holding(self.now, self.zone),
                now: self.now,
            },
        )
    }
}
