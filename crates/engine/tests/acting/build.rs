//! Machines and rules, with everything fine unless a test says otherwise.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::WantedAction;
use reaper_model::{
    Fact, Gpu, Ignorance, Instance, InstanceId, Meter, Money, Purchase, Source, Span, State,
    StopKind, StopOffer, Tag, Tags,
};
use reaper_policy::{Conditions, PolicySpec, RuleSpec};

/// The Monday on which everything begins.
pub(crate) fn monday() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-11-30T09:00:00Z").expect("a time").to_utc()
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
        location: "r-1".into(),
        native: native.to_owned(),
    }
}

pub(crate) fn tags(pairs: &[(&str, &str)]) -> Fact<Tags> {
    known(Tags::new(pairs.iter().map(|&(key, value)| Tag::pair(key, value)).collect()))
}

/// Alice's machine in region `r-1`, running since ten days.
pub(crate) fn machine(native: &str) -> Instance {
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
        tags: tags(&[("owner", "alice")]),
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

/// Alice's machines `i-1` to `i-{count}`.
pub(crate) fn machines(count: usize) -> Vec<Instance> {
    (1..=count).map(|number| machine(&format!("i-{number}"))).collect()
}

/// A machine in another region.
pub(crate) fn machine_in(region: &str, native: &str) -> Instance {
    let mut instance = machine(native);
    instance.id.location = region.into();
    instance
}

/// Stops what runs for more than two hours, three days after its owner was told.
pub(crate) fn forgotten() -> PolicySpec {
    let rule = RuleSpec {
        name: "forgotten".to_owned(),
        when: Conditions { older_than: Some(span("2h")), ..Conditions::default() },
        except: None,
        action: WantedAction::Stop,
        notice: span("3d"),
    };
    let mut spec = PolicySpec { rules: vec![rule], ..PolicySpec::default() };
    spec.owners.domain = Some("example.org".to_owned());
    spec
}
