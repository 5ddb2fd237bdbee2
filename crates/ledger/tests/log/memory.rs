//! What is remembered of machines, over days: seen, absent, gone, kept, acted on.

use std::pin::pin;

use futures::TryStreamExt;
use reaper_ledger::{Case, Decision, Entry, Ledger, Phase, Sending, Store, View};
use reaper_model::outcome::Class;

use crate::support::{day, hour, list, list_at, machine, notice, open, place, record, to_owner};

fn case(native: &str) -> Entry {
    let case = Case {
        phase: Phase::Noticed,
        since: day(0),
        notice: Some("case-1".to_owned()),
        due_at: Some(day(3)),
        ground: "sha256:ground".to_owned(),
        why: "no owner".to_owned(),
    };
    Entry::CaseChanged { id: machine(native), rule: "ownerless".to_owned(), case: Some(case) }
}

/// A name is not in the log at all: a new machine is new whatever it is called.
#[tokio::test]
async fn fl_010_a_machine_is_known_by_its_id() {
    let mut ledger = open(&Store::memory(), "run").await;
    list(&mut ledger, day(0), &["i-x"]).await;
    list(&mut ledger, day(3), &["i-y"]).await;
    let first_seen = |native: &str| ledger.state().machine(&machine(native)).map(|m| m.first_seen);
    assert_eq!(first_seen("i-x"), Some(day(0)));
    assert_eq!(first_seen("i-y"), Some(day(3)));
    // The same native id in another region, or in another account, is another machine.
    assert_eq!(ledger.state().machine(&place("999988887777").machine("i-x")), None);
}

#[tokio::test]
async fn fl_019_absent_once_keeps_everything_and_absent_twice_is_gone() {
    let mut ledger = open(&Store::memory(), "run").await;
    list(&mut ledger, day(0), &["i-1", "i-2"]).await;
    let intended = notice("case-1", to_owner("i-1"));
    let accepted = notice("case-1", Sending::Accepted);
    record(&mut ledger, day(0), vec![case("i-1"), intended, accepted]).await.expect("recorded");

    list(&mut ledger, day(1), &["i-2"]).await;
    let state = ledger.state();
    let absent = state.machine(&machine("i-1")).expect("not dropped");
    assert_eq!(absent.absence.as_ref().map(|a| (a.since, a.listings)), Some((day(1), 1)));
    assert_eq!((absent.first_seen, absent.last_seen), (day(0), day(0)));
    assert_eq!(absent.cases.len(), 1);
    assert!(state.notice("case-1").is_some());

    list(&mut ledger, day(2), &["i-1", "i-2"]).await;
    let back = ledger.state().machine(&machine("i-1")).expect("not dropped");
    assert_eq!((back.first_seen, back.last_seen), (day(0), day(2)));
    assert_eq!((&back.absence, back.cases.len()), (&None, 1));

    list(&mut ledger, day(3), &["i-2"]).await;
    list(&mut ledger, day(4), &["i-2"]).await;
    assert_eq!(ledger.state().machine(&machine("i-1")), None);
    // Back after that, it is a new finding with a whole notice period before it.
    list(&mut ledger, day(5), &["i-1", "i-2"]).await;
    let anew = ledger.state().machine(&machine("i-1")).expect("seen");
    assert_eq!((anew.first_seen, anew.cases.len()), (day(5), 0));
}

#[tokio::test]
async fn fl_019_not_found_by_a_direct_question_is_gone_at_once() {
    let mut ledger = open(&Store::memory(), "run").await;
    list(&mut ledger, day(0), &["i-1"]).await;
    record(&mut ledger, day(0), vec![Entry::NotFound { id: machine("i-1") }]).await.expect("ok");
    assert_eq!(ledger.state().machine(&machine("i-1")), None);
}

/// The same listing counted twice, or an old one that comes late, is not a second absence.
#[tokio::test]
async fn fl_019_only_a_later_listing_counts_as_a_second_absence() {
    let store = Store::memory();
    let mut ledger = open(&store, "run").await;
    list(&mut ledger, hour(10), &["i-1"]).await;
    list(&mut ledger, hour(12), &[]).await;
    list(&mut ledger, hour(12), &[]).await;
    list(&mut open(&store, "slow").await, hour(9), &[]).await;
    ledger.refresh().await.expect("read");
    let machine = ledger.state().machine(&machine("i-1")).expect("kept");
    assert_eq!(machine.absence.as_ref().map(|absence| absence.listings), Some(1));
}

/// Invariant `partial_is_loud`: nothing follows from what a broken-off listing did not show.
#[tokio::test]
async fn partial_is_loud_a_broken_off_listing_proves_no_absence() {
    let mut ledger = open(&Store::memory(), "run").await;
    list(&mut ledger, day(0), &["i-1", "i-2"]).await;
    for today in 1..9 {
        list_at(&mut ledger, day(today), &place("111122223333"), false, &["i-2"]).await;
    }
    let unread = ledger.state().machine(&machine("i-1")).expect("kept");
    assert_eq!((&unread.absence, unread.last_seen), (&None, day(0)));
    assert_eq!(ledger.state().machine(&machine("i-2")).expect("kept").last_seen, day(8));
    let listed = ledger.state().listed(&place("111122223333")).expect("listed");
    assert_eq!((listed.at, listed.complete), (day(8), Some((day(0), 2))));
}

/// Another key, another account: what the old one showed is kept, as not read.
#[tokio::test]
async fn fl_077_another_account_does_not_inherit_or_erase() {
    let mut ledger = open(&Store::memory(), "run").await;
    let eight: Vec<String> = (0..8).map(|n| format!("i-{n}")).collect();
    let eight: Vec<&str> = eight.iter().map(String::as_str).collect();
    list(&mut ledger, day(0), &eight).await;
    for today in 1..9 {
        list_at(&mut ledger, day(today), &place("999988887777"), true, &[]).await;
    }
    let ours = place("111122223333");
    assert_eq!(ledger.state().machines_at(&ours).count(), 8);
    assert!(ledger.state().machines_at(&ours).all(|(_, machine)| machine.absence.is_none()));
    assert_eq!(ledger.state().listed(&ours).map(|listed| listed.at), Some(day(0)));
}

#[tokio::test]
async fn an_exemption_holds_until_its_end_and_outlives_an_absence() {
    let mut ledger = open(&Store::memory(), "run").await;
    let (until, reason, by) = (day(9), "demo".to_owned(), "alice".to_owned());
    let id = machine("i-1");
    let keep = Entry::Exempted { id: id.clone(), until, reason, by: by.clone() };
    record(&mut ledger, day(0), vec![keep.clone()]).await.expect("recorded");
    list(&mut ledger, day(1), &["i-1"]).await;
    list(&mut ledger, day(2), &[]).await;
    list(&mut ledger, day(3), &[]).await;
    assert!(ledger.state().exemption(&id, day(8)).is_some());
    assert!(ledger.state().exemption(&id, day(9)).is_none());
    let unkeep = Entry::ExemptionEnded { id: id.clone(), by };
    record(&mut ledger, day(4), vec![unkeep]).await.expect("recorded");
    assert!(ledger.state().exemption(&id, day(5)).is_none());
}

#[tokio::test]
async fn fl_128_the_last_complete_run_is_known() {
    let mut ledger = open(&Store::memory(), "run").await;
    for (today, complete, interrupted) in [(0, true, false), (1, false, false), (2, true, true)] {
        let started = Entry::RunStarted {
            command: "run".to_owned(),
            enforces: true,
            config: "sha256:0".to_owned(),
            version: "0.1.0".to_owned(),
        };
        record(&mut ledger, day(today), vec![started]).await.expect("recorded");
        assert_eq!(ledger.state().runs().open.len(), 1);
        let ended = Entry::RunEnded { classes: vec![Class::Findings], complete, interrupted };
        record(&mut ledger, day(today), vec![ended]).await.expect("recorded");
    }
    let runs = ledger.state().runs();
    assert_eq!((runs.last_complete, runs.open.len()), (Some(day(0)), 0));
    assert_eq!(runs.last.as_ref().map(|run| (run.at, run.interrupted)), Some((day(2), true)));
}

#[tokio::test]
async fn fl_127_what_was_interrupted_killed_or_may_not_act_has_not_done_the_job() {
    let store = Store::memory();
    let begin = async |ledger: &mut Ledger, at, command: &str, enforces| {
        let (config, version) = ("sha256:0".to_owned(), "0.1.0".to_owned());
        let started = Entry::RunStarted { command: command.to_owned(), enforces, config, version };
        record(ledger, day(at), vec![started]).await.expect("recorded");
    };
    let end = async |ledger: &mut Ledger, at, interrupted| {
        let classes = vec![Class::Findings];
        let ended = Entry::RunEnded { classes, complete: false, interrupted };
        record(ledger, day(at), vec![ended]).await.expect("recorded");
    };
    let done = |ledger: &Ledger| {
        let runs = ledger.state().runs();
        (runs.done("run", false), runs.done("run", true))
    };
    let mut ledger = open(&store, "run-1").await;
    begin(&mut ledger, 0, "run", true).await;
    assert_eq!(done(&ledger), (None, None), "it may have been killed");
    end(&mut ledger, 1, false).await;
    assert_eq!(done(&ledger), (Some(day(0)), Some(day(0))), "since it began");
    let mut ledger = open(&store, "run-2").await;
    begin(&mut ledger, 2, "run", true).await;
    end(&mut ledger, 2, true).await;
    assert_eq!(done(&ledger), (Some(day(0)), Some(day(0))), "it was interrupted");
    let mut ledger = open(&store, "run-3").await;
    begin(&mut ledger, 3, "run", false).await;
    // Another begins meanwhile, and is killed.
    let mut killed = open(&store, "run-4").await;
    begin(&mut killed, 3, "run", true).await;
    end(&mut ledger, 3, false).await;
    assert_eq!(done(&ledger), (Some(day(3)), Some(day(0))), "nothing was to be stopped by it");
    let mut ledger = open(&store, "run-5").await;
    begin(&mut ledger, 4, "report", false).await;
    end(&mut ledger, 4, false).await;
    assert_eq!(done(&ledger), (Some(day(3)), Some(day(0))));
    let view = View::read(&store).await.expect("readable");
    assert_eq!(view.state(), ledger.state());
    assert_eq!(view.state().runs().done("report", false), Some(day(4)));
    assert_eq!(view.state().runs().begun.len(), 1, "the killed one");
}

#[tokio::test]
async fn history_tells_who_and_when() {
    let store = Store::memory();
    let mut ledger = open(&store, "run-1").await;
    list(&mut ledger, day(0), &["i-1"]).await;
    let nothing = ledger.append(day(1), |_| Decision::Write(Vec::new(), 7)).await;
    assert_eq!(nothing.expect("written nothing"), 7);
    record(&mut open(&store, "run-2").await, day(1), vec![case("i-1")]).await.expect("recorded");
    let view = View::read(&store).await.expect("readable");
    let history = pin!(view.history(&store).await.expect("readable"));
    let commits: Vec<_> = history.try_collect().await.expect("readable");
    let told: Vec<_> =
        commits.iter().map(|commit| (commit.header.at, commit.header.writer.as_str())).collect();
    assert_eq!(told, [(day(0), "run-1"), (day(1), "run-2")]);
}
