//! Range queries against a real server: what it answers is what a judge may go by.

use chrono::TimeDelta;
use reaper_metrics::Auth;
use reaper_model::{Gauge, Ignorance, Statistic};
use reaper_provider::{MetricsSource as _, Sight};
use secrecy::SecretString;

use crate::fixture::{context, machine, now, of, peak, peaks, series, source, window};
use crate::server::{Past, RealPrometheus};

const LOOKED: &str = "reaper_probe_last_sample_timestamp_seconds";

/// Every minute of the last six hours, the last one just now.
fn minutes() -> impl Iterator<Item = i64> {
    let end = now().timestamp();
    (0..=360).rev().map(move |minute| end - minute * 60)
}

fn constant(value: f64) -> impl Iterator<Item = (i64, f64)> {
    minutes().map(move |at| (at, value))
}

/// A probe's sign of life: until so many minutes ago it looked each minute, and nobody took away
/// what it wrote last.
fn looked(died: i64) -> impl Iterator<Item = (i64, f64)> {
    let last = now().timestamp() - died * 60;
    #[expect(clippy::cast_precision_loss, reason = "seconds of this century")]
    minutes().map(move |at| (at, at.min(last) as f64))
}

fn dcgm(instance: &str, gpu: u32) -> String {
    format!(
        "instance=\"{instance}:9400\",gpu=\"{gpu}\",UUID=\"GPU-{gpu}\",Hostname=\"h\",\
         modelName=\"NVIDIA H100 80GB HBM3\""
    )
}

#[tokio::test]
async fn fl_012_fl_100_eight_gpus_over_six_hours_one_busy_at_the_end() {
    let mut past = Past::default();
    for gpu in 0..8 {
        let ends_busy = gpu == 7;
        let recent = now().timestamp() - 600;
        past.series(
            "DCGM_FI_DEV_GPU_UTIL",
            &dcgm("0afa", gpu),
            minutes().map(|at| (at, if ends_busy && at > recent { 92.0 } else { 0.0 })),
        );
        past.series("DCGM_FI_DEV_FB_USED", &dcgm("0afa", gpu), constant(512.0));
    }
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    assert_eq!((source.name(), source.sight()), ("Prometheus", Sight::Gpu));
    let (mine, other) = (machine("0afa", "train", 8), machine("0afb", "idle", 1));
    let all = peaks(&source, &[&mine, &other]).await;
    assert_eq!(all.len(), 1, "a machine that the server knows nothing of is left out");
    let measured = of(&all, &mine);
    assert!(measured.gaps.is_empty(), "{:?}", measured.gaps);
    let load = series(measured, Gauge::GpuUtilisation);
    assert_eq!(load.len(), 8);
    for line in &load {
        assert_eq!((line.samples.len(), line.source.as_str()), (72, "DCGM"));
        assert_eq!(line.step.as_secs(), 300);
        assert!(line.samples.iter().all(|sample| sample.at >= now() - TimeDelta::hours(6)));
    }
    let busy: Vec<_> = load.iter().filter(|line| peak(line) > 5.0).collect();
    assert_eq!(busy.len(), 1);
    assert_eq!(busy[0].gpu.as_deref(), Some("7"));
    let at_work: Vec<_> = busy[0].samples.iter().filter(|it| it.value > 5.0).collect();
    let starts: Vec<i64> = at_work.iter().map(|it| (now() - it.at).num_minutes()).collect();
    assert_eq!(starts, [10, 5], "the two steps that end now");
    let memory = series(measured, Gauge::GpuMemory);
    assert_eq!((memory.len(), peak(memory[0])), (8, 0.5));
    let whole = |gauge| series(measured, gauge).iter().all(|it| it.slice.is_none());
    assert!(whole(Gauge::GpuUtilisation) && whole(Gauge::GpuMemory));
}

#[tokio::test]
async fn fl_094_fl_097_nothing_is_carried_over_a_gap_and_sentinels_come_as_they_are() {
    let (gap_from, gap_until) = (now().timestamp() - 7200, now().timestamp() - 3600);
    let mut past = Past::default();
    past.series(
        "DCGM_FI_DEV_GPU_UTIL",
        &dcgm("gap", 0),
        constant(0.0).filter(|(at, _)| *at <= gap_from || *at > gap_until),
    )
    .series("DCGM_FI_DEV_GPU_UTIL", &dcgm("nan", 0), constant(f64::NAN))
    .series("DCGM_FI_DEV_GPU_UTIL", &dcgm("huge", 0), constant(9_223_372_036_854_775_794.0));
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    let machines = ["gap", "nan", "huge"].map(|name| machine(&format!("id-{name}"), name, 1));
    let all = peaks(&source, &machines.each_ref()).await;
    let load = |n: usize| series(of(&all, &machines[n]), Gauge::GpuUtilisation)[0].clone();
    let silent = TimeDelta::hours(2)..TimeDelta::hours(1);
    let in_gap = |at| silent.start > now() - at && now() - at > silent.end;
    assert_eq!(load(0).samples.iter().filter(|sample| in_gap(sample.at)).count(), 0);
    // Before version 3 a value on the edge of two steps counts for both.
    assert!((60..=61).contains(&load(0).samples.len()), "{}", load(0).samples.len());
    assert!(load(1).samples.iter().all(|sample| sample.value.is_nan()));
    assert_eq!(load(1).samples.len(), 72);
    assert!(peak(&load(2)) > 9e18);
}

#[tokio::test]
async fn slices_hosts_and_the_probes_series_are_read_in_their_units() {
    let slice = |n: u32| format!("{},GPU_I_ID=\"{n}\",GPU_I_PROFILE=\"3g.40gb\"", dcgm("m", 0));
    let probe = "machine=\"id-m\",gpu=\"0\",uuid=\"GPU-0\",slice=\"\",instance=\"scraper:9100\"";
    let node = |cpu: u32, mode: &str| format!("instance=\"m:9100\",cpu=\"{cpu}\",mode=\"{mode}\"");
    let counter = |per_second: f64| {
        let start = now().timestamp() - 6 * 3600;
        #[expect(clippy::cast_precision_loss, reason = "hours in seconds")]
        minutes().map(move |at| (at, (at - start) as f64 * per_second))
    };
    let mut past = Past::default();
    past.series("DCGM_FI_PROF_GR_ENGINE_ACTIVE", &slice(1), constant(0.25))
        .series("DCGM_FI_PROF_GR_ENGINE_ACTIVE", &slice(2), constant(0.0))
        .series("reaper_gpu_power_percent", probe, constant(12.5))
        .series("reaper_gpu_memory_used_bytes", probe, constant(2_147_483_648.0))
        .series("reaper_gpu_processes", probe, constant(3.0))
        .series("reaper_cpu_percent", "machine=\"id-m\",instance=\"scraper:9100\"", constant(4.0))
        .series(LOOKED, "machine=\"id-m\",instance=\"scraper:9100\"", looked(0))
        .series("node_cpu_seconds_total", &node(0, "idle"), counter(0.5))
        .series("node_cpu_seconds_total", &node(1, "idle"), counter(1.0))
        .series("node_cpu_seconds_total", &node(0, "user"), counter(0.5));
    for (name, rate) in [("receive", 1000.0), ("transmit", 500.0)] {
        let name = format!("node_network_{name}_bytes_total");
        past.series(&name, "instance=\"m:9100\",device=\"eth0\"", counter(rate));
        past.series(&name, "instance=\"m:9100\",device=\"lo\"", counter(1e9));
    }
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    let mine = machine("id-m", "m", 1);
    let all = peaks(&source, &[&mine]).await;
    let measured = of(&all, &mine);
    assert!(measured.gaps.is_empty(), "{:?}", measured.gaps);
    let engine = series(measured, Gauge::GpuEngine);
    let parts: Vec<_> = engine.iter().map(|it| (it.slice.as_deref(), peak(it))).collect();
    assert_eq!(parts, [(Some("1"), 25.0), (Some("2"), 0.0)]);
    let one = |gauge| peak(series(measured, gauge)[0]);
    assert_eq!(one(Gauge::GpuPower), 12.5);
    assert_eq!((one(Gauge::GpuMemory), one(Gauge::GpuProcesses)), (2.0, 3.0));
    let cpu = series(measured, Gauge::Cpu);
    let by: Vec<_> = cpu.iter().map(|it| (it.source.as_str(), peak(it).round())).collect();
    assert_eq!(by, [("node_exporter", 25.0), ("reaper probe (Prometheus)", 4.0)]);
    assert!(cpu.iter().all(|it| it.gpu.is_none()));
    assert!((one(Gauge::Network) - 1500.0).abs() < 1.0, "{}", one(Gauge::Network));
}

#[tokio::test]
async fn fl_097_the_file_of_a_dead_probe_says_nothing_of_the_time_since() {
    let labels = |machine: &str, target: &str| {
        format!("machine=\"{machine}\",instance=\"{target}:9100\",job=\"node\"")
    };
    let card = |machine: &str, target: &str| {
        format!("{},gpu=\"0\",uuid=\"GPU-0\",slice=\"\"", labels(machine, target))
    };
    let utilisation = "reaper_gpu_utilisation_percent";
    let mut past = Past::default();
    // One lives, one died three hours ago and left its file, one tells no time, one has a clock that
    // is far ahead.
    past.series(utilisation, &card("id-lives", "a"), constant(0.0))
        .series(LOOKED, &labels("id-lives", "a"), looked(0))
        .series(utilisation, &card("id-dead", "b"), constant(0.0))
        .series("reaper_cpu_percent", &labels("id-dead", "b"), constant(1.0))
        .series(LOOKED, &labels("id-dead", "b"), looked(180))
        .series(utilisation, &card("id-mute", "c"), constant(0.0))
        .series(utilisation, &card("id-ahead", "d"), constant(0.0))
        .series(LOOKED, &labels("id-ahead", "d"), constant(1e10));
    // Of a machine that moved, the old place still serves what was written there.
    past.series(utilisation, &card("id-moved", "old"), constant(77.0))
        .series(LOOKED, &labels("id-moved", "old"), looked(600))
        .series(utilisation, &card("id-moved", "new"), constant(3.0))
        .series(LOOKED, &labels("id-moved", "new"), looked(0));
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    let names = ["id-lives", "id-dead", "id-mute", "id-ahead", "id-moved"];
    let machines = names.map(|id| machine(id, id, 1));
    for statistic in [Statistic::Peak, Statistic::Mean] {
        let all = source.measure(&context(), &machines.each_ref(), &window(6, statistic)).await;
        let told: Vec<&str> = all.iter().map(|(id, _)| id.native.as_str()).collect();
        assert_eq!(told, ["id-lives", "id-dead", "id-moved"]);
        let load = |n: usize| series(of(&all, &machines[n]), Gauge::GpuUtilisation)[0];
        assert_eq!(load(0).samples.len(), 72);
        for gauge in [Gauge::GpuUtilisation, Gauge::Cpu] {
            let found = series(of(&all, &machines[1]), gauge)[0];
            // The step in which it died, and where steps are closed the one after its last look.
            assert!((36..=37).contains(&found.samples.len()), "{}", found.samples.len());
            let last = found.samples.iter().map(|sample| sample.at).max().expect("one");
            assert!(now() - last >= TimeDelta::hours(3), "{last}");
        }
        assert_eq!((load(4).samples.len(), peak(load(4))), (72, 3.0));
    }
}

#[tokio::test]
async fn a_name_that_fits_two_machines_is_evidence_for_neither() {
    let odd = r#"gpu.1\"|x\\"#;
    let mut past = Past::default();
    past.series("DCGM_FI_DEV_GPU_UTIL", &dcgm("notebook", 0), constant(0.0)).series(
        "DCGM_FI_DEV_GPU_UTIL",
        &dcgm(odd, 0),
        constant(7.0),
    );
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    let twins = ["id-1", "id-2"].map(|id| machine(id, "notebook", 1));
    let odd = machine("id-3", r#"gpu.1"|x\"#, 1);
    let all = peaks(&source, &[&twins[0], &twins[1], &odd]).await;
    for twin in &twins {
        let measured = of(&all, twin);
        assert!(measured.series.is_empty());
        assert_eq!(measured.gaps[0].kind, Ignorance::Unusable);
        let why = "Prometheus: instance = \"notebook:9400\" may be any of 2 machines";
        assert_eq!(measured.gaps[0].why, why);
    }
    assert_eq!(peak(series(of(&all, &odd), Gauge::GpuUtilisation)[0]), 7.0);
    // Before an action the machine is asked about alone; its twin is not forgotten.
    let alone = source.measure(&context(), &[&twins[0]], &window(1, Statistic::Peak)).await;
    assert!(of(&alone, &twins[0]).series.is_empty());
    // Without its twin it is sure again, unless somebody may be there whom nobody could read.
    source.meet(&[&twins[0]], false, now());
    let partly = peaks(&source, &[&twins[0]]).await;
    let why = "Prometheus: instance = \"notebook:9400\" may be a machine that could not be read";
    assert_eq!(of(&partly, &twins[0]).gaps[0].why, why);
    source.meet(&[&twins[0]], true, now());
    let sure = peaks(&source, &[&twins[0]]).await;
    assert_eq!(series(of(&sure, &twins[0]), Gauge::GpuUtilisation).len(), 1);
}

#[tokio::test]
async fn fl_101_a_wrong_login_is_a_gap_of_every_machine_and_no_answer() {
    let mut past = Past::default();
    past.series("DCGM_FI_DEV_GPU_UTIL", &dcgm("a", 0), constant(1.0));
    let server = RealPrometheus::start(&past, true);
    let login = |password: &str| Auth::Basic {
        user: "reaper".to_owned(),
        password: SecretString::from(password),
    };
    let machines = [machine("id-a", "a", 1), machine("id-b", "b", 1)];
    let refused = source(&server.url(), login("wrong-canary"));
    let all = peaks(&refused, &machines.each_ref()).await;
    assert_eq!(all.len(), 2);
    for (_, measured) in &all {
        assert_eq!(measured.gaps[0].kind, Ignorance::ReadFailed);
        assert!(measured.gaps[0].why.starts_with("Prometheus: "), "{:?}", measured.gaps);
        assert!(!format!("{measured:?}").contains("canary"));
    }
    let known = source(&server.url(), login("hunter2-secret"));
    let all = peaks(&known, &machines.each_ref()).await;
    assert_eq!(peak(series(of(&all, &machines[0]), Gauge::GpuUtilisation)[0]), 1.0);
}

#[tokio::test]
async fn a_mean_is_of_all_values_of_its_step() {
    let mut past = Past::default();
    let every_second = minutes().map(|at| (at, if at % 120 == 0 { 0.0 } else { 30.0 }));
    past.series("DCGM_FI_DEV_GPU_UTIL", &dcgm("a", 0), every_second);
    let server = RealPrometheus::start(&past, false);
    let source = source(&server.url(), Auth::None);
    let mine = machine("id-a", "a", 1);
    let all = source.measure(&context(), &[&mine], &window(6, Statistic::Mean)).await;
    let load = series(of(&all, &mine), Gauge::GpuUtilisation)[0];
    let mean = load.samples.iter().map(|it| it.value).sum::<f64>() / 72.0;
    assert!((14.0..=16.0).contains(&mean), "{mean}");
}
