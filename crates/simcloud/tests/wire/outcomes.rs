//! How machines take being acted upon, the same at all four providers.

use chrono::TimeDelta;

use crate::rig::RIGS;

#[tokio::test]
async fn without_more_words_the_next_read_shows_the_end() {
    for rig in RIGS {
        let cloud = rig.start("").await;
        assert_eq!(rig.state(&cloud).await, rig.running);
        assert!((200..300).contains(&rig.act(&cloud).await), "{}", rig.provider);
        assert_eq!(rig.state(&cloud).await, rig.ended);
    }
}

#[tokio::test]
async fn a_way_that_takes_reads_ends_while_the_clock_stands_still() {
    for rig in RIGS {
        let cloud = rig.start("act = { reads = 2 }").await;
        assert_eq!(rig.state(&cloud).await, rig.running);
        rig.act(&cloud).await;
        rig.listed(&cloud).await;
        assert_eq!(rig.state(&cloud).await, rig.under_way);
        assert!(rig.state(&cloud).await != rig.ended, "{}: the second read", rig.provider);
        assert_eq!(rig.state(&cloud).await, rig.ended);
    }
}

#[tokio::test]
async fn a_way_that_takes_time_ends_when_the_clock_says_so() {
    for rig in RIGS {
        let cloud = rig.start("act = { takes = \"40s\" }").await;
        rig.act(&cloud).await;
        assert_eq!(rig.state(&cloud).await, rig.under_way);
        cloud.advance(TimeDelta::seconds(39));
        assert_ne!(rig.state(&cloud).await, rig.ended);
        cloud.advance(TimeDelta::seconds(1));
        assert_eq!(rig.state(&cloud).await, rig.ended);
    }
}

#[tokio::test]
async fn fl_042_a_lie_is_accepted_and_changes_nothing() {
    for rig in RIGS {
        let cloud = rig.start("act = { outcome = \"lie\" }").await;
        for _ in 0..2 {
            assert!((200..300).contains(&rig.act(&cloud).await), "{}", rig.provider);
            cloud.advance(TimeDelta::hours(1));
            assert_eq!(rig.state(&cloud).await, rig.running);
        }
    }
}

#[tokio::test]
async fn fl_041_who_is_stuck_never_arrives() {
    for rig in RIGS {
        let cloud = rig.start("act = { outcome = \"stuck\" }").await;
        rig.act(&cloud).await;
        for _ in 0..3 {
            cloud.advance(TimeDelta::days(1));
            assert_eq!(rig.state(&cloud).await, rig.under_way);
        }
    }
}

#[tokio::test]
async fn a_controller_brings_the_machine_back_under_another_id() {
    for rig in RIGS {
        let cloud = rig.start("act = { outcome = \"twin\" }").await;
        rig.act(&cloud).await;
        assert_eq!(rig.state(&cloud).await, rig.ended);
        let listed = rig.listed(&cloud).await;
        let twins: Vec<_> = listed.iter().filter(|id| *id != rig.id).collect();
        let [twin] = twins[..] else { panic!("{}: {listed:?}", rig.provider) };
        assert_eq!(twin.len(), rig.id.len(), "an id of the same shape");
        assert_eq!(rig.state_of(&cloud, twin).await, rig.running);
        // And again, as often as it is stopped.
        rig.act_on(&cloud, twin).await;
        let before = listed.len();
        let gone = usize::from(rig.ended == "gone");
        assert_eq!(rig.listed(&cloud).await.len(), before + 1 - gone, "{}", rig.provider);
    }
}

#[tokio::test]
async fn fl_045_somebody_was_faster() {
    for rig in RIGS {
        let cloud = rig.start("act = { outcome = \"gone\" }").await;
        assert_eq!(rig.state(&cloud).await, rig.running);
        let status = rig.act(&cloud).await;
        assert_eq!(status, if rig.provider == "aws" { 400 } else { 404 });
        assert_eq!(rig.state(&cloud).await, "gone");
        assert!(rig.listed(&cloud).await.is_empty());
    }
}

#[tokio::test]
async fn a_machine_can_be_started_again_while_and_after_it_stops() {
    for rig in RIGS.into_iter().filter(|rig| rig.ended != "gone") {
        for (reads, act) in [(0, "act = { outcome = \"stuck\" }"), (1, "")] {
            let cloud = rig.start(act).await;
            rig.act(&cloud).await;
            for _ in 0..reads {
                assert_eq!(rig.state(&cloud).await, rig.ended);
            }
            cloud.advance(TimeDelta::hours(1));
            assert!(cloud.edit(|world| world.restart(rig.id)), "{}", rig.provider);
            assert_eq!(rig.state(&cloud).await, rig.running);
            assert!((200..300).contains(&rig.act(&cloud).await), "and stopped once more");
        }
    }
}

#[tokio::test]
async fn what_is_terminated_or_not_there_cannot_be_started() {
    let rig = RIGS[3];
    let cloud = rig.start("act = { reads = 1 }").await;
    rig.act(&cloud).await;
    assert!(!cloud.edit(|world| world.restart(rig.id)), "it is terminating");
    assert_eq!(rig.state(&cloud).await, rig.under_way);
    assert_eq!(rig.state(&cloud).await, rig.ended);
    assert!(!cloud.edit(|world| world.restart(rig.id)));
    assert!(!cloud.edit(|world| world.remove(rig.id)));
}

#[tokio::test]
async fn a_machine_can_be_taken_away_between_two_requests() {
    for rig in RIGS {
        let cloud = rig.start("act = { outcome = \"stuck\" }").await;
        rig.act(&cloud).await;
        assert!(cloud.edit(|world| world.remove(rig.id)), "{}", rig.provider);
        assert_eq!(rig.state(&cloud).await, "gone");
    }
}
