//! Machines and policies for the tests, with everything fine unless a test says otherwise.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::{OwnerStatus, WantedAction};
use reaper_model::{
    AccountName, Fact, Gpu, Ignorance, Instance, InstanceId, Meter, Purchase, Source, Span, State,
    StopKind, StopOffer, Tag, Tags,
};
use reaper_policy::{Conditions, Judgement, Policy, PolicySpec, RuleSpec, Subject};

pub(crate) fn now() -> DateTime<Utc> {
    time("2026-11-30T09:00:00Z")
}

pub(crate) fn time(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).expect("a time").to_utc()
}

pub(crate) fn source() -> Source {
    Source::new("test")
}

pub(crate) fn known<T>(value: T) -> Fact<T> {
    Fact::known(value, &source(), now())
}

pub(crate) fn unread<T>() -> Fact<T> {
    Fact::unknown(Ignorance::ReadFailed, "denied")
}

/// A running machine with one A100, launched ten days ago, with these tags.
pub(crate) fn machine(tags: &[(&str, &str)]) -> Instance {
    let tags = Tags::new(tags.iter().map(|&(key, value)| Tag::pair(key, value)).collect());
    Instance {
        id: InstanceId {
            provider: "aws".into(),
            account: "111122223333".into(),
            location: "eu-west-1".into(),
            native: "i-0abc".to_owned(),
        },
        name: known("notebook-test".to_owned()),
        state: State::Running,
        provider_state: "running".to_owned(),
        meter: Meter::Running,
        machine_type: "p4d.24xlarge".into(),
        gpu: known(Gpu { model: "A100".to_owned(), count: 8.into(), memory_gib: Some(320.into()) }),
        purchase: Purchase::OnDemand,
        created_at: known(now() - TimeDelta::days(10)),
        running_since: known(now() - TimeDelta::days(10)),
        stopped_at: Fact::absent(&source()),
        tags: if tags.is_empty() { Fact::absent(&source()) } else { known(tags) },
        manager: Fact::absent(&source()),
        guards: known(Vec::new()),
        local_storage: Fact::absent(&source()),
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

pub(crate) fn rule(name: &str, when: Conditions) -> RuleSpec {
    RuleSpec {
        name: name.to_owned(),
        when,
        except: None,
        action: WantedAction::Stop,
        notice: Span::from_secs(3 * 86_400),
    }
}

pub(crate) fn hours(hours: u64) -> Span {
    Span::from_secs(hours * 3600)
}

/// Stops what has no owner for two hours.
pub(crate) fn ownerless() -> PolicySpec {
    let when = Conditions {
        owner: vec![OwnerStatus::Absent, OwnerStatus::Unknown, OwnerStatus::Departed],
        older_than: Some(hours(2)),
        ..Conditions::default()
    };
    PolicySpec { rules: vec![rule("ownerless", when)], ..PolicySpec::default() }
}

pub(crate) fn judge(spec: PolicySpec, instance: &Instance) -> Judgement {
    judge_at(spec, instance, now())
}

pub(crate) fn judge_at(spec: PolicySpec, instance: &Instance, now: DateTime<Utc>) -> Judgement {
    let account = AccountName::new("research");
    Policy::new(spec).judge(&Subject::new(instance, &account, now))
}
