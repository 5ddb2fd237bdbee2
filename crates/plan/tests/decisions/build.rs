//! Machines, rules and settings, with everything fine unless a test says otherwise.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::{OwnerStatus, WantedAction};
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, InstanceId, Meter, Money, Purchase, Source, Span, State,
    StopKind, StopOffer, Tag, Tags,
};
use reaper_policy::{Conditions, PolicySpec, RuleSpec};

/// The Monday on which the scenes begin.
pub(crate) fn monday() -> DateTime<Utc> {
    time("2026-11-30T09:00:00Z")
}

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

pub(crate) fn money(text: &str) -> Money {
    text.parse().expect("an amount")
}

pub(crate) fn span(text: &str) -> Span {
    text.parse().expect("a duration")
}

pub(crate) fn known<T>(value: T) -> Fact<T> {
    Fact::known(value, &Source::new("test"), monday())
}

pub(crate) fn absent<T>() -> Fact<T> {
    Fact::absent(&Source::new("test"))
}

pub(crate) fn unread<T>() -> Fact<T> {
    Fact::unknown(Ignorance::ReadFailed, "denied")
}

pub(crate) fn id(native: &str) -> InstanceId {
    InstanceId {
        provider: "aws".into(),
        account: "111122223333".into(),
        location: "eu-west-1".into(),
        native: native.to_owned(),
    }
}

pub(crate) fn tags(pairs: &[(&str, &str)]) -> Fact<Tags> {
    known(Tags::new(pairs.iter().map(|&(key, value)| Tag::pair(key, value)).collect()))
}

/// A machine that runs since ten days before the scene, with this owner.
pub(crate) fn machine(native: &str, owner: &str) -> Instance {
    Instance {
        id: id(native),
        name: known(format!("notebook-{native}")),
        state: State::Running,
        provider_state: "running".to_owned(),
        meter: Meter::Running,
        machine_type: "p4d.24xlarge".into(),
        gpu: known(Gpu { model: "A100".to_owned(), count: 8.into(), memory_gib: Some(320.into()) }),
        purchase: Purchase::OnDemand,
        created_at: known(monday() - TimeDelta::days(10)),
        running_since: known(monday() - TimeDelta::days(10)),
        stopped_at: absent(),
        tags: tags(&[("owner", owner)]),
        manager: absent(),
        guards: known(Vec::new()),
        local_storage: absent(),
        stop: StopOffer {
            kind: StopKind::Deallocate,
            saves: true,
            loses: Vec::new(),
            objections: Vec::new(),
        },
        attached: Vec::new(),
        unreadable: Vec::new(),
    }
}

pub(crate) fn rule(name: &str, when: Conditions, action: WantedAction, notice: &str) -> RuleSpec {
    RuleSpec { name: name.to_owned(), when, except: None, action, notice: span(notice) }
}

pub(crate) fn older_than(age: &str) -> Conditions {
    Conditions { older_than: Some(span(age)), ..Conditions::default() }
}

/// Stops what runs for more than two hours, three days after its owner was told.
pub(crate) fn forgotten() -> PolicySpec {
    policy(vec![rule("forgotten", older_than("2h"), WantedAction::Stop, "3d")])
}

/// Stops what has no owner for two hours.
pub(crate) fn ownerless() -> RuleSpec {
    let owner = vec![OwnerStatus::Absent, OwnerStatus::Unknown, OwnerStatus::Departed];
    let when = Conditions { owner, ..older_than("2h") };
    rule("ownerless", when, WantedAction::Stop, "3d")
}

pub(crate) fn policy(rules: Vec<RuleSpec>) -> PolicySpec {
    let mut spec = PolicySpec { rules, ..PolicySpec::default() };
    spec.owners.domain = Some("example.org".to_owned());
    spec
}
