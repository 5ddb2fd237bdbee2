//! Both ways, with a stand-in for the library and one for the tool.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::AtomicU32;

use tempfile::TempDir;

use super::*;
use crate::nvml::tests::{Card, Cards};

const LIMIT: Duration = Duration::from_millis(500);

/// A tool that prints this fixture and counts its runs; without one it fails.
fn tool(fixture: Option<&str>) -> (TempDir, Smi) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nvidia-smi");
    let does = match fixture {
        Some(name) => format!("cat {}/fixtures/{name}", env!("CARGO_MANIFEST_DIR")),
        None => "echo 'No devices were found'; exit 6".to_owned(),
    };
    std::fs::write(&path, format!("#!/bin/sh\necho run >> \"$0.runs\"\n{does}\n"))
        .expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let smi = Smi::new(&path, Duration::from_secs(10));
    (folder, smi)
}

fn runs(folder: &TempDir) -> usize {
    let text = std::fs::read_to_string(folder.path().join("nvidia-smi.runs"));
    text.map_or(0, |text| text.lines().count())
}

#[tokio::test]
async fn with_the_library_the_tool_is_not_run() {
    let (folder, smi) = tool(Some("one-a10.xml"));
    let mut ways = Ways::new(|| Ok(Cards::of(vec![Card::idle("GPU-1")])), smi, LIMIT);
    assert_eq!(ways.read().await.expect("read").gpus[0].id(), "GPU-1");
    assert_eq!(runs(&folder), 0);
}

#[tokio::test]
async fn without_the_library_the_tool_is_run_and_the_library_tried_again_later() {
    let (folder, smi) = tool(Some("one-a10.xml"));
    let loads = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&loads);
    let load = move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Err::<Cards, _>("NVML: not there".to_owned())
    };
    let mut ways = Ways::new(load, smi, LIMIT);
    for _ in 0..3 {
        ways.read().await.expect("read");
    }
    assert_eq!((runs(&folder), loads.load(Ordering::Relaxed)), (3, 1));
    ways.not_before = Some(Instant::now());
    ways.read().await.expect("read");
    assert_eq!(loads.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn the_tool_alone_is_asked_where_that_is_wished() {
    let (folder, smi) = tool(Some("one-a10.xml"));
    let mut ways: Ways<Cards> = Ways::tool(smi);
    assert_eq!(ways.read().await.expect("read").gpus.len(), 1);
    assert_eq!(runs(&folder), 1);
}

#[tokio::test]
async fn with_neither_both_are_named() {
    let (_folder, smi) = tool(None);
    let mut ways = Ways::new(|| Err::<Cards, _>("NVML: not there".to_owned()), smi, LIMIT);
    let why = ways.read().await.expect_err("nothing");
    assert!(why.ends_with("nvidia-smi: No devices were found; NVML: not there"), "{why}");
}

#[tokio::test]
async fn a_library_whose_driver_was_replaced_is_left_for_the_tool() {
    let (folder, smi) = tool(Some("one-a10.xml"));
    let refuses = Some("driver/library version mismatch".to_owned());
    let load = move || Ok(Cards { refuses: refuses.clone(), ..Cards::default() });
    let mut ways = Ways::new(load, smi, LIMIT);
    assert_eq!(ways.read().await.expect("read").gpus.len(), 1);
    assert_eq!(runs(&folder), 1);
}

#[tokio::test]
async fn a_library_that_hangs_is_asked_no_second_time_until_it_comes_back() {
    let (folder, smi) = tool(Some("one-a10.xml"));
    let hangs = Duration::from_secs(2);
    let load = move || Ok(Cards { there: vec![Card::idle("GPU-1")], hangs, ..Cards::default() });
    let mut ways = Ways::new(load, smi, Duration::from_millis(100));
    let why = ways.read().await.expect_err("late");
    assert_eq!(why, "NVML gave no answer within 0 s");
    assert_eq!(ways.read().await.expect_err("still"), "NVML hangs: the driver holds it");
    assert_eq!(runs(&folder), 0, "the tool would hang as well");
    ways.limit = Duration::from_secs(20);
    tokio::time::sleep(hangs + Duration::from_millis(500)).await;
    assert_eq!(ways.read().await.expect("it came back").gpus.len(), 1);
}

#[tokio::test]
async fn slices_come_from_the_tool_and_their_engines_from_the_library() {
    let (folder, smi) = tool(Some("mig.xml"));
    let mut card = Card::idle("GPU-feba7e40-0000-4000-8000-000000000001");
    card.mig = Ok(true);
    card.engine = Ok(Some(30.0));
    let mut ways = Ways::new(move || Ok(Cards::of(vec![card.clone()])), smi, LIMIT);
    let gpus = ways.read().await.expect("read");
    let slices: Vec<_> = gpus.gpus[0]
        .slices
        .iter()
        .map(|slice| (slice.id.as_str(), slice.values.processes, slice.values.engine))
        .collect();
    assert_eq!(
        slices,
        [
            ("1", Some(1), Some(crate::reading::Level::of(31.0))),
            ("5", Some(0), Some(crate::reading::Level::of(35.0))),
        ]
    );
    assert_eq!(runs(&folder), 1);
}

#[tokio::test]
async fn fl_098_a_card_whose_slices_are_not_known_shows_no_rest() {
    let of = |mig: bool| {
        let mut card = Card::idle("GPU-1");
        card.mig = Ok(mig);
        card.engine = Ok(Some(0.0));
        Cards::of(vec![card])
    };
    for (mig, known) in [(true, None), (false, Some(crate::reading::Level::of(0.0)))] {
        let (_folder, smi) = tool(None);
        let mut ways = Ways::new(move || Ok(of(mig)), smi, LIMIT);
        let values = ways.read().await.expect("read").gpus[0].values.clone();
        assert_eq!((values.utilisation, values.engine), (known, known), "MIG {mig}");
        assert!(values.memory_used.is_some(), "of all of its slices together");
    }
}

#[tokio::test]
async fn slices_that_cannot_be_read_are_said() {
    let (_folder, smi) = tool(None);
    let mut card = Card::idle("GPU-1");
    card.mig = Ok(true);
    let mut ways = Ways::new(move || Ok(Cards::of(vec![card.clone()])), smi, LIMIT);
    let gpus = ways.read().await.expect("read");
    assert!(gpus.gpus[0].slices.is_empty());
    assert!(gpus.troubles[0].starts_with("MIG slices: "), "{:?}", gpus.troubles);
}
