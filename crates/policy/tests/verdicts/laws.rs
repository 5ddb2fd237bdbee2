//! Laws that hold for every machine and every policy.

use chrono::TimeDelta;
use proptest::prelude::*;
use reaper_model::document::{OwnerStatus, Verdict};
use reaper_model::{Fact, Ignorance, Instance, Tag, Tags};
use reaper_policy::{Answer, Conditions, PolicySpec};

use crate::build::{hours, judge, known, machine, now, ownerless, rule, unread};

const KEYS: [&str; 7] = ["owner", "Owner", "project", "expires", "reaper-keep", "created_by", "x"];
const VALUES: [&str; 9] =
    ["", "alice", "bob@example.org", "2020-01-01", "2030-01-01", "7d", "false", "soon", "atlas"];

/// Rules over every kind of evidence.
fn policy() -> PolicySpec {
    let mut spec = ownerless();
    let missing = Conditions { missing_tags: vec!["project".to_owned()], ..Conditions::default() };
    let expired = Conditions { expired: Some(true), ..Conditions::default() };
    let old = Conditions { older_than: Some(hours(100)), ..Conditions::default() };
    let gpu = Conditions { gpu: vec!["A100".parse().expect("valid")], ..Conditions::default() };
    spec.rules.extend([
        rule("missing", missing),
        rule("expired", expired),
        rule("old", old),
        rule("gpu", gpu),
    ]);
    spec
}

fn tag() -> impl Strategy<Value = Tag> {
    (prop::sample::select(KEYS.to_vec()), prop::sample::select(VALUES.to_vec()))
        .prop_map(|(key, value)| Tag::pair(key, value))
}

fn any_machine() -> impl Strategy<Value = Instance> {
    (prop::collection::vec(tag(), 0..6), 0_i64..400).prop_map(|(tags, age)| {
        let mut instance = machine(&[]);
        instance.tags = known(Tags::new(tags));
        instance.created_at = known(now() - TimeDelta::hours(age));
        instance.running_since = known(now() - TimeDelta::hours(age));
        instance
    })
}

proptest! {
    /// Invariant 1: evidence that is taken away never makes a rule say yes that did not, and a
    /// machine whose tags or controller are not known is never an orphan.
    #[test]
    fn unknown_never_acts(mut instance in any_machine(), gap in 0..7_usize) {
        let whole = judge(policy(), &instance);
        match gap {
            0 => instance.tags = unread(),
            1 => {
                instance.created_at = Fact::unknown(Ignorance::Unusable, "year 1");
                instance.running_since = Fact::unknown(Ignorance::Unusable, "year 1");
            }
            2 => instance.gpu = unread(),
            3 => instance.manager = unread(),
            4 => instance.guards = unread(),
            5 => instance.running_since = unread(),
            _ => {
                instance.state = reaper_model::State::Unknown;
                instance.meter = reaper_model::Meter::Unknown;
            }
        }
        let less = judge(policy(), &instance);
        for (before, after) in whole.rules.iter().zip(&less.rules) {
            if after.answer == Answer::Yes {
                prop_assert_eq!(before.answer, Answer::Yes, "{} became yes", &after.rule);
            }
        }
        if matches!(gap, 0 | 3 | 4 | 6) {
            prop_assert_ne!(less.verdict, Verdict::Orphan);
        }
        if whole.verdict != Verdict::Orphan {
            prop_assert_ne!(less.verdict, Verdict::Orphan);
        }
    }

    #[test]
    fn the_order_of_tags_does_not_change_a_judgement(
        tags in prop::collection::vec(tag(), 0..6).prop_shuffle(),
        seed in any::<prop::sample::Index>(),
    ) {
        let mut other = tags.clone();
        if !other.is_empty() {
            let turn = seed.index(other.len());
            other.rotate_left(turn);
        }
        let (mut one, mut two) = (machine(&[]), machine(&[]));
        one.tags = known(Tags::new(tags));
        two.tags = known(Tags::new(other));
        prop_assert_eq!(judge(policy(), &one), judge(policy(), &two));
    }

    #[test]
    fn the_order_of_rules_does_not_change_a_verdict(instance in any_machine(), turn in 0..5_usize) {
        let mut turned = policy();
        turned.rules.rotate_left(turn);
        let (one, two) = (judge(policy(), &instance), judge(turned, &instance));
        prop_assert_eq!(one.verdict, two.verdict);
        prop_assert_eq!(one.wanted, two.wanted);
        prop_assert_eq!(one.evidence_unread, two.evidence_unread);
    }

    #[test]
    fn the_keep_tag_always_beats_the_rules(mut instance in any_machine()) {
        let mut tags: Vec<Tag> =
            instance.tags.value().expect("known").iter().cloned().collect();
        tags.push(Tag::pair("reaper-keep", ""));
        instance.tags = known(Tags::new(tags));
        let verdict = judge(policy(), &instance).verdict;
        prop_assert!(matches!(verdict, Verdict::Protected | Verdict::Ok | Verdict::Unjudged), "{verdict:?}");
    }

    #[test]
    fn owners_never_come_from_nowhere(instance in any_machine()) {
        let owner = judge(policy(), &instance).owner;
        prop_assert_eq!(
            owner.names.is_empty(),
            matches!(owner.status, OwnerStatus::Absent | OwnerStatus::Empty),
        );
        prop_assert!(owner.emails.iter().all(|address| address.contains('@')));
    }
}
