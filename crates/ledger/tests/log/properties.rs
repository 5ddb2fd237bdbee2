//! Properties of the fold, over invented histories.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use reaper_ledger::{
    Account, ActionResult, AlertIntent, AlertKey, Case, Commit, Digest, Entry, Header, Phase,
    Sending, State, Writer,
};
use reaper_model::Rate;

use crate::support::{ended, hour, intend, machine, notice, place, reading, to_owner};

/// A step of an invented history; what can not follow is left out while folding.
#[derive(Debug, Clone)]
enum Step {
    List {
        complete: bool,
        seen: Vec<u8>,
    },
    /// A listing with what each machine reads, which is a price.
    Look {
        complete: bool,
        seen: Vec<(u8, u8)>,
    },
    /// Rates to freeze, as the state asks for it.
    Freeze(Vec<Rate>),
    Record(Box<Entry>),
}

fn step() -> impl Strategy<Value = Step> {
    let native = (0..6_u8).prop_map(|n| format!("i-{n}"));
    let seen = prop::collection::vec(0..6_u8, 0..6);
    let read = prop::collection::vec((0..6_u8, 1..4_u8), 0..6);
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
        2 => (any::<bool>(), seen).prop_map(|(complete, seen)| Step::List { complete, seen }),
        2 => (any::<bool>(), read).prop_map(|(complete, seen)| Step::Look { complete, seen }),
        1 => prop::collection::vec(rate(), 0..3).prop_map(Step::Freeze),
        3 => entry.prop_map(Step::record),
        2 => money().prop_map(Step::record),
    ]
}

fn rate() -> impl Strategy<Value = Rate> {
    (prop::sample::select(vec!["USD", "GBP"]), 1..4_i64).prop_map(|(from, rate)| Rate {
        from: from.parse().expect("a currency"),
        to: "EUR".parse().expect("a currency"),
        rate: rate.into(),
        as_of: hour(rate).date_naive(),
    })
}

/// Records of money, most of which can follow somewhere and some nowhere.
fn money() -> impl Strategy<Value = Entry> {
    let key = |(threshold, to): (&str, &str)| AlertKey {
        budget: "all \"gpu\" – ü".to_owned(),
        period: "2026-11".to_owned(),
        basis: "actual".to_owned(),
        threshold: threshold.to_owned(),
        limit: "5000 EUR".to_owned(),
        to: to.to_owned(),
    };
    let key = (
        prop::sample::select(vec!["50%", "80%"]),
        prop::sample::select(vec!["a@x.org", "b@x.org"]),
    )
        .prop_map(key);
    let step = prop::sample::select(vec![
        Sending::Intended(AlertIntent {
            covers: vec!["50%".to_owned(), "80%".to_owned()],
            percent: "83.0".to_owned(),
            spent: "4150.00 EUR".to_owned(),
        }),
        Sending::Accepted,
        Sending::Rejected { permanent: false, why: "451".to_owned() },
        Sending::PossiblySent { why: "cut".to_owned() },
    ]);
    let level = ("[ab]", "2026-1[12]", "[58]0%");
    let moment = || prop::option::of((0..60_i64).prop_map(hour));
    prop_oneof![
        4 => (key, step).prop_map(|(key, step)| Entry::Alert { key, step }),
        1 => level.prop_map(|(budget, period, threshold)| {
            Entry::Rearmed { budget, period, threshold }
        }),
        1 => prop::collection::vec(rate(), 0..3).prop_map(|rates| {
            Entry::RatesFrozen { period: "2026-12".to_owned(), rates }
        }),
        2 => (0..6_u8, moment(), moment(), 1..4_u8).prop_map(|(native, confirmed, absent, price)| {
            let reading = reading(&format!("{price} EUR"));
            Entry::Metered { id: machine(&format!("i-{native}")), confirmed, absent, reading }
        }),
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
    fn record(entry: Entry) -> Self {
        Self::Record(Box::new(entry))
    }

    fn entries(&self, at: DateTime<Utc>, state: &State) -> Vec<Entry> {
        let list = |complete: bool, seen: &mut dyn Iterator<Item = u8>| {
            let natives: Vec<String> = seen.map(|n| format!("i-{n}")).collect();
            let natives = natives.iter().map(String::as_str);
            state.sight(&place("111122223333"), complete, natives)
        };
        match self {
            Self::Record(entry) => vec![Entry::clone(entry)],
            Self::List { complete, seen } => vec![list(*complete, &mut seen.iter().copied())],
            Self::Look { complete, seen } => {
                let listed = list(*complete, &mut seen.iter().map(|(native, _)| *native));
                let read = seen.iter().map(|(native, price)| {
                    (machine(&format!("i-{native}")), reading(&format!("{price} EUR")))
                });
                let read: Vec<_> = read.collect();
                std::iter::once(listed).chain(state.meter_entries(at, &read)).collect()
            }
            Self::Freeze(rates) => state.freeze("2026-11", rates).into_iter().collect(),
        }
    }
}

/// The commits of a history, and the state that they give.
fn commits(steps: &[(Step, bool)]) -> (Vec<Commit>, State) {
    let mut state = State::default();
    let mut commits = Vec::new();
    for (at, (step, first)) in (0_i64..).zip(steps) {
        let entries = step.entries(hour(at), &state);
        let header = Header {
            number: commits.len() as u64 + 1,
            previous: Digest::NONE,
            at: hour(at),
            writer: Writer::new(if *first { "first" } else { "second" }),
        };
        let commit = Commit { header, entries };
        let mut next = state.clone();
        let folded = next.fold(&commit);
        let decided = !matches!(step, Step::Record(_));
        assert!(!decided || folded.is_ok(), "decided on the state, and cannot follow: {folded:?}");
        if folded.is_ok() {
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
                entries.extend(step.entries(at, &state));
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

    /// Meters as deltas lose nothing either: they say what keeping every look whole would say.
    #[test]
    fn meters_say_what_whole_looks_would(
        looks in prop::collection::vec(
            (any::<bool>(), prop::collection::btree_map(0..3_u8, 1..3_u8, 0..3)), 0..25,
        )
    ) {
        let steps: Vec<(Step, bool)> = looks
            .iter()
            .map(|(complete, seen)| {
                let seen = seen.iter().map(|(&native, &price)| (native, price)).collect();
                (Step::Look { complete: *complete, seen }, true)
            })
            .collect();
        let (commits, state) = commits(&steps);
        prop_assert_eq!(commits.len(), looks.len());
        for native in 0..3_u8 {
            // Each stretch of time between two looks that showed the machine, with both prices and
            // whether a complete look between them did not show it.
            let (mut whole, mut before, mut away) = (BTreeMap::new(), None, false);
            for (at, (complete, seen)) in (0_i64..).zip(&looks) {
                if let Some(&price) = seen.get(&native) {
                    if let Some((since, was)) = before {
                        whole.insert(since, (was, at, price, away));
                    }
                    (before, away) = (Some((at, price)), false);
                } else if *complete {
                    away = true;
                }
            }
            let meter = state.meter(&machine(&format!("i-{native}")));
            prop_assert_eq!(meter.map(|meter| meter.seen), before.map(|(at, _)| hour(at)));
            let Some(meter) = meter else { continue };
            prop_assert_eq!(meter.absent.is_some(), away);
            // The reading at a moment, by the meter; `true` where it may have been away.
            let at_moment = |moment: DateTime<Utc>| {
                let next = meter.readings.partition_point(|metered| metered.at <= moment);
                let metered = &meter.readings[next - 1];
                let open = meter.readings.get(next).is_some_and(|next| {
                    next.absent.is_some() && next.confirmed.is_some_and(|until| until <= moment)
                });
                (metered.reading.clone(), open)
            };
            for (since, (was, until, price, away)) in whole {
                let was = reading(&format!("{was} EUR"));
                prop_assert_eq!(at_moment(hour(since)), (was, away), "{} to {}", since, until);
                let now = reading(&format!("{price} EUR"));
                prop_assert_eq!(at_moment(hour(until)).0, now);
            }
        }
    }

    /// Invariant `threshold_once` in every history: whoever tries what when, no alert is accepted
    /// twice, and none without an intent since the last answer.
    #[test]
    fn threshold_once_in_every_history(steps in history()) {
        let mut open: BTreeMap<AlertKey, bool> = BTreeMap::new();
        for commit in commits(&steps).0 {
            for entry in commit.entries {
                let Entry::Alert { key, step } = entry else { continue };
                match step {
                    Sending::Intended(_) => {
                        prop_assert_ne!(open.insert(key, true), Some(false), "told before");
                    }
                    Sending::Accepted => prop_assert_eq!(open.insert(key, false), Some(true)),
                    Sending::Rejected { .. } | Sending::PossiblySent { .. } => {
                        prop_assert_eq!(open.remove(&key), Some(true));
                    }
                }
            }
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
