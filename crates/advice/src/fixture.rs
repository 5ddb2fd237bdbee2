//! Machines and weeks for the tests of single rules; whole advice is tested in `tests/`.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, Meter, Purchase, Source, State, StopKind, StopOffer,
};

/// The clock of the tests.
pub(crate) fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-30T17:30:00Z").expect("a time").to_utc()
}

/// A running machine at AWS that was launched a month ago.
pub(crate) fn machine(kind: &str) -> Instance {
    let source = Source::new("test");
    let gap = || Ignorance::NotAsked;
    Instance {
        id: "aws/111122223333/us-east-1/i-1".parse().expect("an id"),
        name: Fact::absent(&source),
        state: State::Running,
        provider_state: "running".to_owned(),
        meter: Meter::Running,
        machine_type: kind.into(),
        gpu: Fact::known(
            Gpu { model: "A100".into(), count: 8.into(), memory_gib: Some(320.into()) },
            &source,
            now(),
        ),
        purchase: Purchase::OnDemand,
        created_at: Fact::known(now() - TimeDelta::days(30), &source, now()),
        running_since: Fact::known(now() - TimeDelta::days(30), &source, now()),
        stopped_at: Fact::absent(&source),
        tags: Fact::absent(&source),
        manager: Fact::absent(&source),
        guards: Fact::unknown(gap(), "not asked"),
        local_storage: Fact::absent(&source),
        stop: StopOffer {
            kind: StopKind::Deallocate,
            saves: true,
            loses: vec![],
            objections: vec![],
        },
        attached: vec![],
        unreadable: vec![],
    }
}
