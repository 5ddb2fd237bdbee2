//! `reaper probe --once`.

use serde_json::{Value, json};

use super::stand_in::{machine, printing, samples, series, with};
use crate::support::Reaper;

const NOW: &str = "2026-11-30T09:02:00Z";

#[test]
fn a_look_is_written_and_shown() {
    let reaper = machine(&printing("one-a10.xml"));
    let asked =
        with(&["--once", "--state", "file:state", "--textfile", "node/reaper.prom", "--now", NOW]);
    std::fs::create_dir(reaper.path().join("node")).expect("a folder");
    let ran = reaper.run(&asked).exits(0);
    assert_eq!(
        ran.stdout.lines().next(),
        Some("GPU 0  NVIDIA A10: utilisation 0 %, memory 0.0 of 22.4 GiB, 0 processes, power 10 %")
    );
    assert_eq!(ran.stderr, "");

    let samples = samples(&reaper);
    assert_eq!(samples["schema"], "reaper.samples/1");
    assert_eq!(samples["machine"], "i-0abc");
    assert_eq!(samples["written_at"], NOW);
    assert_eq!(samples["from"], "2026-11-30T09:00:00Z");
    assert_eq!(samples["troubles"], json!([]));
    assert_eq!(
        *series(&samples, "gpu-utilisation"),
        json!({"gauge": "gpu-utilisation", "gpu": "GPU-5f2c0a9e-3b1d-4c7a-9d7e-0c5f6a7b8c9d",
               "slice": null, "raw": [1], "peak": [0.0], "mean": [0.0]})
    );
    assert_eq!(series(&samples, "gpu-processes")["peak"], json!([0.0]));

    let figures = std::fs::read_to_string(reaper.path().join("node/reaper.prom")).expect("a file");
    let labels = "{machine=\"i-0abc\",gpu=\"0\",uuid=\"GPU-5f2c0a9e-3b1d-4c7a-9d7e-0c5f6a7b8c9d\",slice=\"\"}";
    for line in [
        format!("reaper_gpu_utilisation_percent{labels} 0\n"),
        format!("reaper_gpu_memory_total_bytes{labels} 24146608128\n"),
        "reaper_probe_last_sample_timestamp_seconds{machine=\"i-0abc\"} 1796029320\n".to_owned(),
    ] {
        assert!(figures.contains(&line), "{line}\n{figures}");
    }
    assert!(!figures.contains("reaper_gpu_engine_percent"), "what is not known is not there");
}

#[test]
fn looks_add_up_over_processes_by_the_history() {
    let reaper = machine(&printing("one-a10.xml"));
    for (now, cut) in [("09:02:00", false), ("09:03:00", false), ("09:06:00", true)] {
        if cut {
            // The state may be write-only: nothing is read from it.
            std::fs::remove_dir_all(reaper.path().join("state")).expect("a folder");
        }
        let now = format!("2026-11-30T{now}Z");
        reaper.run(&with(&["--once", "--state", "file:state", "--now", &now])).exits(0);
    }
    let samples = samples(&reaper);
    assert_eq!(series(&samples, "gpu-utilisation")["raw"], json!([2, 1]));
    assert!(series(&samples, "cpu")["peak"][0].is_number(), "counters are remembered too");
}

#[test]
fn a_history_that_is_torn_is_set_aside_and_said() {
    let reaper = machine(&printing("one-a10.xml")).file("history.json", "{\"samples\":");
    let ran = reaper.run(&with(&["--once"])).exits(0);
    assert!(ran.stderr.contains("warning: history.json is not what was written"), "{}", ran.stderr);
    assert!(reaper.path().join("history.json.unreadable").is_file());
}

#[test]
fn without_any_gpu_it_is_incomplete_and_says_why() {
    for (script, why) in [
        ("echo 'No devices were found'; exit 6", "No devices were found"),
        ("exit 0", "printed nothing"),
        (
            "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18",
            "Driver/library version mismatch",
        ),
        (
            "echo 'Unable to determine the device handle for GPU0000:BA:00.0: Unknown Error'; exit 15",
            "Unknown Error",
        ),
        (
            "echo '<nvidia_smi_log><attached_gpus>0</attached_gpus></nvidia_smi_log>'",
            "none is listed",
        ),
    ] {
        let reaper = machine(script);
        let ran = reaper.run(&with(&["--once", "--state", "file:state", "--now", NOW])).exits(4);
        assert!(ran.stderr.starts_with("warning: no GPU can be read: "), "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        let samples = samples(&reaper);
        assert!(
            samples["series"].as_array().expect("series").iter().all(|one| one["gpu"].is_null())
        );
    }
}

#[test]
fn cards_that_are_broken_are_told_and_the_others_measured() {
    let reaper = machine(&printing("broken-cards.xml"));
    let ran = reaper.run(&with(&["--once", "--state", "file:state", "--now", NOW])).exits(0);
    assert!(ran.stderr.contains("warning: GPU 1: GPU requires reset\n"), "{}", ran.stderr);
    let samples = samples(&reaper);
    let troubles = samples["troubles"].as_array().expect("troubles");
    assert!(troubles.contains(&json!("GPU 0: ERR!")), "{troubles:?}");
    let gauges: Vec<&Value> =
        samples["series"].as_array().expect("series").iter().map(|one| &one["gauge"]).collect();
    assert_eq!(gauges, ["gpu-processes"], "of the one card that tells them");
}

#[test]
fn slices_are_measured_each() {
    let reaper = machine(&printing("mig.xml"));
    let ran = reaper.run(&with(&["--once", "--state", "file:state", "--now", NOW])).exits(0);
    assert!(ran.stdout.contains("cut into MIG slices"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("  slice 5: memory 0.0 of 19.5 GiB, 0 processes\n"),
        "{}",
        ran.stdout
    );
    let samples = samples(&reaper);
    let of = |slice: Value| {
        let all = samples["series"].as_array().expect("series").iter();
        let mut found = all.filter(|one| one["gauge"] == "gpu-memory" && one["slice"] == slice);
        found.next().expect("memory")["peak"][0].clone()
    };
    assert_eq!(of(json!("1")), json!(19.543));
    assert_eq!(of(json!("5")), json!(0.019));
}

#[test]
fn in_json_mode_it_prints_the_object_that_it_writes() {
    let reaper = machine(&printing("one-a10.xml"));
    let asked = with(&["--once", "--state", "file:state", "--format", "json", "--now", NOW]);
    let ran = reaper.run(&asked).exits(0);
    assert_eq!(ran.json(), samples(&reaper));
}

#[test]
fn what_cannot_be_written_is_no_success() {
    let reaper = machine(&printing("one-a10.xml")).file("file", "");
    let ran = reaper.run(&with(&["--once", "--state", "file:file/state"])).exits(1);
    assert!(ran.stderr.contains("warning: the samples were not written: "), "{}", ran.stderr);
    let ran = reaper.run(&with(&["--once", "--textfile", "file/reaper.prom"])).exits(1);
    assert!(ran.stderr.contains("file/reaper.prom cannot be written: "), "{}", ran.stderr);
}

#[test]
fn usage_that_makes_no_sense_is_refused() {
    let reaper = machine(&printing("one-a10.xml"));
    for (more, why) in [
        (&["--once", "--state", "bucket"][..], "`bucket` is not a place for the state"),
        (&["--once", "--state", "s3://bucket/x"], "no credentials: none of AWS_ACCESS_KEY_ID"),
        (&["--once", "--every", "5s"], "cannot be used with"),
        (&[], "neither --state nor --textfile is given"),
        (&["--textfile", "a.prom", "--every", "61s"], "a look every 1m is the least"),
        (&["--textfile", "a.prom", "--every", "5m"], "less than 4 looks prove nothing"),
        (
            &["--textfile", "a.prom", "--every", "1m", "--write-every", "30s"],
            "shorter than --every",
        ),
        (&["--textfile", "a.prom", "--now", NOW], "goes by the wall clock"),
        (&["--textfile", "history.json"], "--textfile history.json is the --history"),
        (&["--once", "--format", "csv"], "which this command does not print"),
    ] {
        let ran = reaper.run(&with(more)).exits(2);
        assert!(ran.stderr.contains(why), "{more:?}: {}", ran.stderr);
    }
    let ran = reaper.run(&["probe", "--once", "--machine", "a\nb"]).exits(2);
    assert!(ran.stderr.contains("cannot be a machine's id"), "{}", ran.stderr);
}

#[test]
fn the_state_comes_from_the_environment_too_and_the_machine_is_said() {
    let reaper = machine(&printing("one-a10.xml"))
        .env("REAPER_STATE", "file:state")
        .env("STATE_DIRECTORY", "kept");
    let ran = reaper.run(&["probe", "--once", "--nvidia-smi", "./nvidia-smi"]).exits(0);
    assert!(ran.stderr.starts_with("machine "), "{}", ran.stderr);
    let names = |folder: &str| {
        let folder = std::fs::read_dir(reaper.path().join(folder)).expect("a folder");
        folder.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    assert_eq!(names("state/samples").len(), 1);
    assert_eq!(names("kept"), ["history.json"]);
}

#[test]
fn a_configuration_is_not_needed_and_not_read() {
    let reaper = machine(&printing("one-a10.xml")).file("reaper.toml", "this is no TOML");
    reaper.run(&with(&["--once"])).exits(0);
    let help = Reaper::new().run(&["probe", "--help"]).exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("write below samples/ of the state and nothing else"), "{help}");
}
