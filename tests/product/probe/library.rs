//! The way through NVML, with a stand-in for the library itself that is compiled here and loaded at
//! run time as the real one is.

use std::process::Command;

use super::daemon::{end, start, wait_for};
use super::stand_in::{LOOK, series};
use crate::support::Reaper;

/// A folder with the library in it, which the loader looks into.
fn machine() -> Reaper {
    let reaper = Reaper::new();
    let source = format!("{}/product/probe/nvml.c", env!("CARGO_MANIFEST_DIR"));
    let library = reaper.path().join("libnvidia-ml.so.1");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-Wall", "-Werror", "-o"]).arg(library).arg(source);
    assert!(compiler.status().expect("the compiler that Rust links with").success());
    let folder = reaper.path().display().to_string();
    reaper.env("LD_LIBRARY_PATH", &folder)
}

/// Without a tool that is named, the library is asked.
fn asked<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let look = LOOK.iter().copied().filter(|word| !word.contains("nvidia-smi"));
    look.chain(more.iter().copied()).collect()
}

#[test]
fn nvml_is_loaded_and_read_and_a_card_that_is_lost_is_said() {
    let reaper = machine();
    let asked = asked(&["--once", "--format", "json", "--now", "2026-11-30T09:02:00Z"]);
    let ran = reaper.run(&asked).exits(0);
    let samples = ran.json();
    assert_eq!(samples["gpus"][0]["model"], "NVIDIA H100 80GB HBM3", "{samples}");
    let value = |gauge: &str, of: &str| series(&samples, gauge)[of][0].clone();
    assert_eq!(value("gpu-utilisation", "peak"), 60.0, "of what the driver sampled meanwhile");
    assert_eq!(value("gpu-utilisation", "mean"), 15.0);
    assert_eq!(value("gpu-memory", "peak"), 20.0);
    assert_eq!(value("gpu-power", "peak"), 10.0);
    assert_eq!(value("gpu-processes", "peak"), 1.0, "a display is no work");
    let troubles = samples["troubles"].as_array().expect("troubles");
    assert_eq!(troubles.len(), 1, "{troubles:?}");
    let trouble = troubles[0].as_str().expect("words");
    assert!(trouble.starts_with("GPU 1: ") && trouble.contains("bus"), "{trouble}");
}

#[test]
fn between_two_looks_it_tells_how_active_the_engines_were() {
    let reaper = machine();
    let child = start(&reaper, &asked(&["--every", "1s", "--textfile", "a.prom"]));
    wait_for(&reaper.path().join("a.prom"), |text| {
        let mut engines =
            text.lines().filter(|line| line.starts_with("reaper_gpu_engine_percent{"));
        engines.any(|line| line.ends_with("slice=\"\"} 12.5"))
    });
    let (code, _, stderr) = end(child);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.matches("GPU 1: ").count(), 1, "told once: {stderr}");
}
