//! A stand-in for `nvidia-smi` that prints what real ones do, and hangs as they do.

use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use tempfile::TempDir;

use super::*;

/// A tool that does this.
fn tool(script: &str) -> (TempDir, Smi) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nvidia-smi");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let smi = Smi::new(&path, Duration::from_secs(10));
    (folder, smi)
}

fn fixture(name: &str) -> String {
    format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Why nothing was read, without the name of the tool.
async fn refused(script: &str) -> String {
    let (folder, mut smi) = tool(script);
    let why = smi.read().await.expect_err(script);
    let name = folder.path().join("nvidia-smi").display().to_string();
    why.strip_prefix(&name).expect("its name first").to_owned()
}

#[tokio::test]
async fn it_is_asked_for_everything_as_xml() {
    let (_folder, mut smi) =
        tool(&format!("[ \"$*\" = '-q -x' ] || exit 1; cat {}", fixture("one-a10.xml")));
    let gpus = smi.read().await.expect("read");
    assert_eq!(gpus.gpus.len(), 1);
    assert_eq!(gpus.troubles, Vec::<String>::new());
}

#[tokio::test]
async fn what_real_ones_say_in_place_of_an_answer_is_passed_on() {
    let said = [
        "No devices were found",
        "Failed to initialize NVML: Driver/library version mismatch",
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure \
         that the latest NVIDIA driver is installed and running.",
        "Unable to determine the device handle for GPU0000:BA:00.0: Unknown Error",
        "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the \
         system to recover this GPU",
    ];
    for line in said {
        for to in ["", " >&2"] {
            let why = refused(&format!("echo \"{line}\"{to}; exit 9")).await;
            assert_eq!(why, format!(": {line}"));
        }
    }
    assert_eq!(refused("exit 0").await, " printed nothing (exit status: 0)");
    assert_eq!(refused("kill -9 $$").await, " printed nothing (signal: 9 (SIGKILL))");
}

#[tokio::test]
async fn what_stands_beside_the_document_is_a_trouble() {
    let xid = "NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, GPU has fallen off the bus.";
    let (_folder, mut smi) = tool(&format!(
        "echo 'Warning: persistence mode is off'; cat {}; echo '{xid}'; \
         echo 'WARNING: infoROM is corrupted at gpu 0000:06:00.0' >&2",
        fixture("one-a10.xml")
    ));
    let gpus = smi.read().await.expect("read");
    assert_eq!(gpus.gpus.len(), 1);
    assert_eq!(
        gpus.troubles,
        [
            "nvidia-smi says: Warning: persistence mode is off".to_owned(),
            format!("nvidia-smi says: {xid}"),
            "nvidia-smi says: WARNING: infoROM is corrupted at gpu 0000:06:00.0".to_owned(),
        ]
    );
}

#[tokio::test]
async fn a_failure_behind_a_whole_document_is_said() {
    let (_folder, mut smi) = tool(&format!("cat {}; exit 14", fixture("one-a10.xml")));
    let gpus = smi.read().await.expect("read");
    assert_eq!(gpus.troubles, ["nvidia-smi ended with a failure"]);
}

#[tokio::test]
async fn one_that_hangs_is_ended() {
    let (_folder, mut smi) = tool("exec sleep 60");
    smi.limit = Duration::from_millis(200);
    #[expect(clippy::disallowed_methods, reason = "measures real time")]
    let began = Instant::now();
    let why = smi.read().await.expect_err("late");
    assert!(why.ends_with("gave no answer within 0 s"), "{why}");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(smi.stuck.is_none(), "it could be killed");
}

#[tokio::test]
async fn one_whose_children_hold_its_pipes_holds_nothing_up() {
    let (_folder, mut smi) = tool("sleep 3 & exit 0");
    smi.limit = Duration::from_millis(200);
    smi.read().await.expect_err("late");
    assert!(smi.stuck.is_none());
}

#[tokio::test]
async fn while_one_cannot_be_killed_no_second_one_is_begun() {
    let (folder, mut smi) = tool("echo run >> \"$0.runs\"; exit 1");
    // The driver's hold cannot be had here; a process that lives on has the same look.
    let held = Command::new("sleep").arg("60").kill_on_drop(true).spawn().expect("a process");
    smi.stuck = Some(held);
    let why = smi.read().await.expect_err("held");
    assert!(why.ends_with("hangs and cannot be killed: the driver holds it"), "{why}");
    assert!(!folder.path().join("nvidia-smi.runs").exists());
    smi.stuck.as_mut().expect("held").kill().await.expect("ended");
    smi.read().await.expect_err("it failed");
    assert!(folder.path().join("nvidia-smi.runs").exists());
}

#[tokio::test]
async fn one_that_prints_without_end_is_not_read_without_end() {
    let why = refused("exec yes '<nvidia_smi_log>'").await;
    assert_eq!(why, ": printed more than 8 MiB");
}

#[tokio::test]
async fn one_that_is_not_there_is_said() {
    let mut smi = Smi::new(Path::new("/nowhere/nvidia-smi"), Duration::from_secs(1));
    let why = smi.read().await.expect_err("not there");
    assert!(why.starts_with("/nowhere/nvidia-smi cannot be run: "), "{why}");
}
