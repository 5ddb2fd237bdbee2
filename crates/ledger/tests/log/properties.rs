//! Properties of the fold, over invented histories.

use chrono::TimeDelta;
use proptest::prelude::*;
use reaper_ledger::{
    Account, ActionResult, Case, Commit, Digest, Entry, Header, Phase, Sending, State, Writer,
};

use crate::support::{ended, hour, intend, machine, notice, place, to_owner};

/// A step of an invented history; what can not follow is left out while folding.
#[derive(Debug, Clone)]
enum Step {
    List { complete: bool, seen: Vec<u8> },
    Record(Entry),
}

fn step() -> impl Strategy<Value = Step> {
    let native = (0..6_u8).prop_map(|n| format!("i-{n}"));
    let seen = prop::collection::vec(0..6_u8, 0..6);
    let account = Account::of(&machine("x"));
    let case = Case {
        phase: Phase::New,
        since: hour(0),
        notice: None,
        due_at: Some(hour(9)),
        ground: "sha256:ground".to_owned(),
        why: "as \"invented\" – ü".to_owned(),
    };
    let entry = prop_oneof![
        native.clone().prop_map(|native| intend(&native)),
        (native.clone(), result()).prop_map(|(native, result)| ended(&native, result)),
        native.clone().prop_map(|native| Entry::NotFound { id: machine(&native) }),
        (native.clone(), prop::option::of(Just(case))).prop_map(|(native, case)| {
            Entry::CaseChanged { id: machine(&native), rule: "idle".to_owned(), case }
        }),
        native.clone().prop_map(|native| notice(&native, to_owner(&native))),
        native.clone().prop_map(|native| notice(&native, Sending::Accepted)),
        native.prop_map(|native| notice(
            &native,
            Sending::Rejected { permanent: true, why: "550".to_owned() }
        )),
        Just(Entry::Claimed { accounts: [account.clone()].into(), until: hour(24 * 900) }),
        Just(Entry::Released { accounts: [account].into() }),
    ];
    prop_oneof![
        (any::<bool>(), seen).prop_map(|(complete, seen)| Step::List { complete, seen }),
        entry.prop_map(Step::Record),
    ]
}

fn result() -> impl Strategy<Value = ActionResult> {
    prop::sample::select(vec![
        ActionResult::Confirmed,
        ActionResult::Unconfirmed,
        ActionResult::Refused,
        ActionResult::AlreadyGone,
        ActionResult::SkippedChanged,
    ])
}

impl Step {
    fn entry(&self, state: &State) -> Entry {
        match self {
            Self::Record(entry) => entry.clone(),
            Self::List { complete, seen } => {
                let natives: Vec<String> = seen.iter().map(|n| format!("i-{n}")).collect();
                let natives = natives.iter().map(String::as_str);
                state.sight(&place("111122223333"), *complete, natives)
            }
        }
    }
}

/// The commits of a history, and the state that they give.
fn commits(steps: &[(Step, bool)]) -> (Vec<Commit>, State) {
    let mut state = State::default();
    let mut commits = Vec::new();
    for (at, (step, first)) in (0_i64..).zip(steps) {
        let entry = step.entry(&state);
        let header = Header {
            number: commits.len() as u64 + 1,
            previous: Digest::NONE,
            at: hour(at),
            writer: Writer::new(if *first { "first" } else { "second" }),
        };
        let commit = Commit { header, entries: vec![entry] };
        let mut next = state.clone();
        if next.fold(&commit).is_ok() {
            state = next;
            commits.push(commit);
        }
    }
    (commits, state)
}

fn fold(mut state: State, commits: &[Commit]) -> State {
    for commit in commits {
        state.fold(commit).expect("it was possible before");
    }
    state
}

fn history() -> impl Strategy<Value = Vec<(Step, bool)>> {
    prop::collection::vec((step(), any::<bool>()), 0..60)
}

proptest! {
    /// The same commits give the same state, also when a snapshot, written and read, lies between.
    #[test]
    fn the_same_commits_give_the_same_state(steps in history(), cut in any::<prop::sample::Index>()) {
        let (commits, state) = commits(&steps);
        prop_assert_eq!(&fold(State::default(), &commits), &state);
        let (before, after) = commits.split_at(cut.index(commits.len() + 1));
        let half = fold(State::default(), before);
        let text = serde_json::to_string(&half).expect("serialises");
        let read: State = serde_json::from_str(&text).expect("reads back");
        prop_assert_eq!(&read, &half);
        prop_assert_eq!(fold(read, after), state);
    }

    /// Asking first, on a part of the state, gives the very answer that folding gives: also for
    /// commits of several entries that lean on each other, and at ends of runs, when old things
    /// are forgotten.
    #[test]
    fn checking_says_what_folding_says(
        steps in history(),
        days in prop::collection::vec(0..300_i64, 60),
        together in 1..5_usize,
    ) {
        let mut state = State::default();
        let mut at = hour(0);
        for (group, days) in steps.chunks(together).zip(days) {
            at += TimeDelta::days(days);
            let first = group.iter().any(|(_, first)| *first);
            let header = Header {
                number: 1,
                previous: Digest::NONE,
                at,
                writer: Writer::new(if first { "first" } else { "second" }),
            };
            let mut entries = Vec::new();
            for (step, ends) in group {
                entries.push(step.entry(&state));
                if *ends {
                    entries.push(Entry::RunEnded {
                        classes: Vec::new(),
                        complete: true,
                        interrupted: false,
                    });
                }
            }
            let commit = Commit { header, entries };
            let before = state.clone();
            let checked = state.check(&commit);
            prop_assert_eq!(&state, &before);
            let mut next = state.clone();
            let folded = next.fold(&commit);
            prop_assert_eq!(&checked, &folded);
            if folded.is_ok() {
                state = next;
            }
        }
    }

    /// Every commit reads back as it was written.
    #[test]
    fn every_commit_reads_back(steps in history()) {
        for commit in commits(&steps).0 {
            let text = serde_json::to_string(&commit).expect("serialises");
            prop_assert_eq!(serde_json::from_str::<Commit>(&text).expect("reads back"), commit);
        }
    }

    /// Deltas lose nothing: after any listings, a machine's times are those of the listings that
    /// showed it, as if every listing had been kept whole.
    #[test]
    fn deltas_say_what_whole_listings_would(
        listings in prop::collection::vec((any::<bool>(), prop::collection::btree_set(0..4_u8, 0..4)), 0..20)
    ) {
        let mut state = State::default();
        for (at, (complete, seen)) in (0_i64..).zip(&listings) {
            let natives: Vec<String> = seen.iter().map(|n| format!("i-{n}")).collect();
            let here = place("111122223333");
            let entry = state.sight(&here, *complete, natives.iter().map(String::as_str));
            let header = Header {
                number: 1,
                previous: Digest::NONE,
                at: hour(at),
                writer: Writer::new("run"),
            };
            state.fold(&Commit { header, entries: vec![entry] }).expect("possible");
        }
        for native in 0..4_u8 {
            // First seen starts anew after two complete listings in a row without it.
            let (mut times, mut missed) = (None, 0);
            for (at, (complete, seen)) in (0_i64..).zip(&listings) {
                if seen.contains(&native) {
                    times = Some((times.map_or(at, |(first, _)| first), at));
                    missed = 0;
                } else if *complete && times.is_some() {
                    missed += 1;
                }
                if missed == 2 {
                    (times, missed) = (None, 0);
                }
            }
            let known = state.machine(&machine(&format!("i-{native}")));
            let known = known.map(|machine| (machine.first_seen, machine.last_seen));
            prop_assert_eq!(known, times.map(|(first, last)| (hour(first), hour(last))));
        }
    }

    /// At no moment do two runs hold one account, whoever claims and releases when.
    #[test]
    fn one_run_acts_in_every_history(steps in history()) {
        let mut state = State::default();
        for commit in commits(&steps).0 {
            let before = state.clone();
            state.fold(&commit).expect("it was possible before");
            for entry in &commit.entries {
                let Entry::Claimed { accounts, .. } = entry else { continue };
                for account in accounts {
                    let holder = before.lease(account, commit.header.at).map(|lease| &lease.holder);
                    prop_assert!(holder.is_none_or(|holder| *holder == commit.header.writer));
                }
            }
            let later = commit.header.at + TimeDelta::hours(1);
            let writers = ["first", "second"].map(Writer::new);
            let holding = writers.iter().filter(|writer| !state.held_by(writer, later).is_empty());
            prop_assert!(holding.count() <= 1);
        }
    }
}
