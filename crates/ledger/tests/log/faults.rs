//! Stores that fail, lie, or lose their answers.

use std::sync::Arc;

use futures::TryStreamExt;
use object_store::ObjectStore;
use object_store::path::Path;
use reaper_ledger::{Decision, Error, Ledger, Opening, Store, View, Writer, verify};

use crate::faulty::{Fault, Faulty};
use crate::support::{hour, mark, open, record};

fn store(objects: &Arc<Faulty>) -> Store {
    Store::over(Arc::<Faulty>::clone(objects), Path::default(), "faulty:")
}

#[tokio::test]
async fn a_store_that_ignores_create_only_is_refused_and_left_clean() {
    let objects = Faulty::overwriting();
    let opened = Ledger::open(store(&objects), Writer::new("run"), Opening::OrNew).await;
    assert!(matches!(opened, Err(Error::IgnoresCreateOnly(_))), "{opened:?}");
    let left: Vec<_> = objects.list(None).try_collect().await.expect("listed");
    assert_eq!(left, []);
}

#[tokio::test]
async fn the_probe_leaves_nothing_in_a_good_store() {
    let objects = Faulty::new();
    open(&store(&objects), "a/run #1").await;
    let left: Vec<_> = objects.list(None).try_collect().await.expect("listed");
    assert_eq!(left, []);
}

/// The answer to a put got lost and the client repeated it: the commit that is there is our own.
#[tokio::test]
async fn a_repeated_put_is_recognised_and_recorded_once() {
    let objects = Faulty::new();
    let mut ledger = open(&store(&objects), "run").await;
    objects.script([Fault::Repeated, Fault::None]);
    record(&mut ledger, hour(0), vec![mark("first")]).await.expect("recognised");
    record(&mut ledger, hour(1), vec![mark("second")]).await.expect("goes on");
    assert_eq!(verify(&store(&objects)).await.expect("in order").commits, 2);
}

#[tokio::test]
async fn a_conflict_without_a_winner_is_tried_again() {
    let objects = Faulty::new();
    let mut ledger = open(&store(&objects), "run").await;
    objects.script([Fault::Conflict; 5]);
    record(&mut ledger, hour(0), vec![mark("first")]).await.expect("tried again");
    assert_eq!(ledger.head().number, 1);
}

#[tokio::test]
async fn giving_way_for_ever_ends() {
    let objects = Faulty::new();
    let mut ledger = open(&store(&objects), "run").await;
    objects.script([Fault::Conflict; 1000]);
    let appended = record(&mut ledger, hour(0), vec![mark("first")]).await;
    assert!(matches!(appended, Err(Error::Contended { .. })), "{appended:?}");
}

/// The caller decides on the state, so what was written although an error came back is seen by
/// the next decision and not written twice.
#[tokio::test]
async fn fl_065_intent_before_call_survives_a_lost_answer() {
    for fault in [Fault::Before, Fault::After] {
        let objects = Faulty::new();
        let mut ledger = open(&store(&objects), "run").await;
        objects.script([fault]);
        let once = |state: &reaper_ledger::State| match state.notice("mail") {
            None => Decision::Write(vec![mark("mail")], "intended now"),
            Some(_) => Decision::Leave("intended before"),
        };
        let failed = ledger.append(hour(0), once).await;
        assert!(matches!(failed, Err(Error::Store { .. })), "{failed:?}");
        let again = ledger.append(hour(1), once).await.expect("the store is well again");
        let expected = if fault == Fault::After { "intended before" } else { "intended now" };
        assert_eq!(again, expected);
        assert_eq!(verify(&store(&objects)).await.expect("in order").commits, 1);
    }
}

/// Whatever the store does to the puts: what was acknowledged is there, in order, once.
#[tokio::test]
async fn no_script_of_faults_loses_an_acknowledged_commit() {
    const FAULTS: [Fault; 5] =
        [Fault::None, Fault::Before, Fault::After, Fault::Repeated, Fault::Conflict];
    for script in 0..625_usize {
        let faults = [1, 5, 25, 125].map(|digit| FAULTS[script / digit % 5]);
        let objects = Faulty::new();
        let mut ledger = open(&store(&objects), "run").await;
        objects.script(faults);
        let mut acknowledged = Vec::new();
        for commit in 0..4_i64 {
            let key = format!("mark-{commit}");
            if record(&mut ledger, hour(commit), vec![mark(key.clone())]).await.is_ok() {
                acknowledged.push(key);
            }
        }
        if verify(&store(&objects)).await.is_err() {
            assert!(ledger.is_new() && acknowledged.is_empty(), "{faults:?}");
            continue;
        }
        let view = View::read(&store(&objects)).await.expect("readable");
        for key in acknowledged {
            assert!(view.state().notice(&key).is_some(), "{key} lost by {faults:?}");
        }
    }
}
