//! The team's command before a stop: a real process, so that these tests take real, short time.

use std::path::Path;
use std::time::Duration;

use reaper_engine::{ActLimits, Hook};
use reaper_model::{ActionResult, Class};
use reaper_provider::ErrorKind;
use tokio::time::{Instant, sleep};

use crate::build::{machines, tags};
use crate::cloud::Call;
use crate::house::{House, Says};
use crate::script::{Next, becomes, refuses};

/// A house with a hook in a folder of its own, and short polls.
async fn house(count: usize, script: &str, folder: &Path) -> House {
    let mut house = House::due(machines(count)).await;
    house.settings.act = ActLimits {
        confirm: Duration::from_mins(1),
        poll: Duration::from_millis(10),
        ..house.settings.act
    };
    house.settings.hook = Some(Hook {
        program: "/bin/sh".into(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        folder: folder.to_owned(),
        timeout: Duration::from_mins(1),
    });
    house
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[tokio::test]
async fn a_hook_gets_the_facts_and_the_machine_is_stopped_after_it() {
    let folder = folder();
    let script = "env | grep ^REAPER_ > \"$REAPER_NATIVE_ID\"";
    let house = house(2, script, folder.path()).await;
    let ran = house.run().await;
    house.cloud.keeps_the_laws();
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Confirmed));
    let told = std::fs::read_to_string(folder.path().join("i-1")).expect("the hook ran");
    for line in [
        "REAPER_INSTANCE_ID=aws/111122223333/r-1/i-1",
        "REAPER_ACCOUNT=research",
        "REAPER_NAME=notebook-i-1",
        "REAPER_OWNER_EMAIL=alice@example.org",
        "REAPER_RULE=forgotten",
        "REAPER_ACTION=stop",
    ] {
        assert!(told.lines().any(|told| told == line), "{line} is missing in\n{told}");
    }
}

#[tokio::test]
async fn a_failing_hook_blocks_its_machine_alone() {
    let folder = folder();
    let script = "test \"$REAPER_NATIVE_ID\" != i-1 || { echo 'disk is full' >&2; exit 3; }";
    let house = house(2, script, folder.path()).await;
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), ["i-2"]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::Refused));
    assert!(ran.why("i-1").contains("disk is full"), "{}", ran.why("i-1"));
    assert!(ran.has(Class::ActionFailed));
}

#[tokio::test]
async fn what_a_hook_leaves_in_the_background_does_not_hold_it_up() {
    let folder = folder();
    let house = house(1, "sleep 100 & echo $! >background", folder.path()).await;
    let ran = house.run().await;
    let child = std::fs::read_to_string(folder.path().join("background")).expect("its process");
    let ended = std::process::Command::new("kill").arg(child.trim()).status();
    assert!(ended.expect("kill starts").success(), "it was still there");
    assert_eq!(house.cloud.acts(), ["i-1"], "{}", ran.why("i-1"));
}

#[tokio::test]
async fn a_hook_that_cannot_be_started_blocks() {
    let folder = folder();
    let mut house = house(1, "", folder.path()).await;
    if let Some(hook) = &mut house.settings.hook {
        hook.program = folder.path().join("missing");
    }
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(ran.why("i-1").contains("could not be started"), "{}", ran.why("i-1"));
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_and_blocks() {
    let folder = folder();
    let mut house = house(1, "exec sleep 600", folder.path()).await;
    if let Some(hook) = &mut house.settings.hook {
        hook.timeout = Duration::from_millis(200);
    }
    let begun = Instant::now();
    let ran = house.run().await;
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(ran.why("i-1").contains("took longer than"), "{}", ran.why("i-1"));
}

#[tokio::test]
async fn fresh_read_before_action_is_made_again_after_a_hook() {
    let folder = folder();
    let house = house(2, "touch \"$REAPER_NATIVE_ID\"", folder.path()).await;
    // The read before the hook still shows it as it was.
    let kept = becomes(|machine| machine.tags = tags(&[("owner", "alice"), ("reaper-keep", "")]));
    house.cloud.next("i-1", vec![becomes(|_| {}), kept]);
    house.cloud.next("i-2", vec![becomes(|_| {}), Next::Fails(refuses(ErrorKind::ServerFault))]);
    let ran = house.run().await;
    for native in ["i-1", "i-2"] {
        assert!(folder.path().join(native).exists(), "its hook did not run");
    }
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.result("i-1"), Some(ActionResult::SkippedChanged), "{}", ran.why("i-1"));
    assert_eq!(ran.result("i-2"), None, "{}", ran.why("i-2"));
}

#[tokio::test]
async fn a_machine_that_may_not_be_stopped_has_no_hook_run() {
    let folder = folder();
    let house = house(1, "touch \"$REAPER_NATIVE_ID\"", folder.path()).await;
    let moved = becomes(|machine| machine.tags = tags(&[("owner", "bob")]));
    house.cloud.next("i-1", vec![moved]);
    house.run().await;
    assert!(!folder.path().join("i-1").exists());
    assert_eq!(house.cloud.acts(), [""; 0]);
}

#[tokio::test]
async fn an_interrupt_ends_a_running_hook_and_the_machine_lives() {
    let folder = folder();
    let house = house(2, "touch started; exec sleep 600", folder.path()).await;
    let started = folder.path().join("started");
    let raise = async {
        while !started.exists() {
            sleep(Duration::from_millis(5)).await;
        }
        house.cloud.interrupt();
        Instant::now()
    };
    let (ran, raised) = tokio::join!(house.run(), raise);
    assert!(raised.elapsed() < Duration::from_secs(7), "{:?}", raised.elapsed());
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(ran.document.interrupted);
    assert!(ran.why("i-1").contains("interrupted"), "{}", ran.why("i-1"));
    assert!(ran.why("i-2").contains("interrupted"), "{}", ran.why("i-2"));
    assert!(!house.cloud.calls().contains(&Call::Read("i-2".to_owned())), "nothing new is begun");
    let open = house.state().await;
    assert!(open.machines().all(|(_, machine)| machine.open_action.is_none()));
}
