//! What CloudWatch measured: which series are asked for, in how few requests, and what is missing.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::TimeDelta;
use reaper_aws::AwsProvider;
use reaper_model::{Gauge, Ignorance, Instance, Location, Measured, Series, Statistic, Window};
use reaper_provider::{CallContext, Provider, Sight, Sink};
use reaper_simcloud::{Effect, Fault, Meter, SimCloud};

use crate::open;
use crate::stage::{account, cloud, machine};
use crate::support::{context, identity, settings};

const EIGHT: &str = "p4d.24xlarge";
const ONE: &str = "g5.xlarge";

fn meter(id: &str, more: &str) -> String {
    format!("[[meter]]\nmachine = \"{id}\"\n{more}\n")
}

/// The last hours before the clock.
fn window(cx: &CallContext, hours: i64, step: &str, statistic: Statistic) -> Window {
    let from = cx.now - TimeDelta::hours(hours);
    Window { from, until: cx.now, step: step.parse().expect("a span"), statistic }
}

fn six_hours(cx: &CallContext) -> Window {
    window(cx, 6, "5m", Statistic::Peak)
}

async fn listed(provider: &AwsProvider, regions: &[&str]) -> Vec<Instance> {
    let mut machines = Vec::new();
    for region in regions {
        let mut sink = Sink::new(&|_| ());
        let region = Location::new(region);
        provider.list(&context(), &identity(), &region, &mut sink).await.expect("listed");
        machines.append(sink.machines());
    }
    machines
}

/// What was measured of each machine in these regions, by id, and by how many requests.
async fn measured(
    provider: &AwsProvider,
    regions: &[&str],
    window: &Window,
) -> (BTreeMap<String, Measured>, u32) {
    let machines = listed(provider, regions).await;
    let machines: Vec<&Instance> = machines.iter().collect();
    let cx = context();
    let source = provider.metrics().expect("CloudWatch");
    let found = source.measure(&cx, &machines, window).await.into_iter();
    (found.map(|(id, found)| (id.native, found)).collect(), cx.requests.sent())
}

async fn ireland(cloud: &SimCloud) -> BTreeMap<String, Measured> {
    measured(&account(cloud, &[]), &["eu-west-1"], &six_hours(&context())).await.0
}

/// The series of one gauge, in order.
fn series(found: &Measured, gauge: Gauge) -> Vec<&Series> {
    found.series.iter().filter(|series| series.gauge == gauge).collect()
}

fn peak(series: &Series) -> f64 {
    series.samples.iter().map(|sample| sample.value).fold(f64::MIN, f64::max)
}

fn gauges(found: &Measured) -> Vec<Gauge> {
    let mut gauges: Vec<Gauge> = found.series.iter().map(|series| series.gauge).collect();
    gauges.dedup();
    gauges
}

fn why(found: &Measured) -> &str {
    assert_eq!(found.gaps.len(), 1, "{:?}", found.gaps);
    assert_eq!(found.gaps[0].kind, Ignorance::ReadFailed);
    &found.gaps[0].why
}

#[tokio::test]
async fn fl_100_eight_gpus_are_told_apart_and_a_busy_machine_is_asked_nothing_more() {
    let power = "gpus = 8\npower = 4.0\ncpu = 3\ngpu = [{ index = 7, power = 60.0 }]";
    let cloud = cloud(&[machine("i-8", EIGHT, ""), meter("i-8", power)].concat()).await;
    let provider = account(&cloud, &[]);
    let (found, requests) = measured(&provider, &["eu-west-1"], &six_hours(&context())).await;
    let found = &found["i-8"];
    assert_eq!(gauges(found), [Gauge::GpuPower]);
    let peaks: Vec<_> = found.series.iter().map(|it| (it.gpu.as_deref(), peak(it))).collect();
    assert_eq!(peaks.len(), 8);
    assert_eq!((peaks[0], peaks[7]), ((Some("0"), 4.0), (Some("7"), 60.0)));
    for series in &found.series {
        assert_eq!((series.source.as_str(), series.step.as_secs()), ("CloudWatch", 300));
        assert_eq!((series.samples.len(), series.slice.as_deref()), (72, None));
    }
    assert_eq!(requests, 3, "two listings and one question");
    let source = provider.metrics().expect("CloudWatch");
    assert_eq!((source.name(), source.sight()), ("CloudWatch", Sight::Gpu));
}

#[tokio::test]
async fn a_quiet_machine_is_asked_for_memory_cpu_and_traffic_too() {
    let quiet = "utilisation = 1.5\nmemory_gib = 0.5\ncpu = 2.5\nnetwork = 2000\ndisk = 100";
    let cloud = cloud(&[machine("i-1", ONE, ""), meter("i-1", quiet)].concat()).await;
    let found = &ireland(&cloud).await["i-1"];
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    let told: Vec<_> = found
        .series
        .iter()
        .map(|it| (it.gauge, it.gpu.as_deref(), it.source.as_str(), peak(it), it.samples.len()))
        .collect();
    let agent = "CloudWatch CWAgent";
    let expected = [
        (Gauge::GpuUtilisation, Some("0"), agent, 1.5, 72),
        (Gauge::Cpu, None, "CloudWatch", 2.5, 72),
        (Gauge::Network, None, "CloudWatch", 2000.0, 72),
        (Gauge::Disk, None, "CloudWatch", 100.0, 72),
        (Gauge::GpuMemory, Some("0"), agent, 0.5, 72),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn fl_097_what_nobody_measures_is_missing_and_never_nothing() {
    let world = [
        machine("i-none", ONE, ""),
        machine("i-host", ONE, ""),
        meter("i-host", "cpu = 0\nnetwork = 0"),
        machine("i-plain", "m5.large", ""),
        meter("i-plain", "cpu = 50\npower = 50"),
    ];
    let cloud = cloud(&world.concat()).await;
    let found = ireland(&cloud).await;
    assert_eq!(found.keys().collect::<Vec<_>>(), ["i-host"]);
    assert_eq!(gauges(&found["i-host"]), [Gauge::Cpu, Gauge::Network]);
    assert!(found["i-host"].gaps.is_empty());
}

#[tokio::test]
async fn one_series_for_all_gpus_stands_for_one_only_where_there_is_one() {
    let together = "power = 3\ngpu_ids = false";
    let world = [
        machine("i-1", ONE, ""),
        meter("i-1", together),
        machine("i-8", EIGHT, ""),
        meter("i-8", &format!("gpus = 8\n{together}\ngpu = [{{ index = 5, power = 9 }}]")),
    ];
    let found = ireland(&cloud(&world.concat()).await).await;
    let told = |id: &str| {
        let series = series(&found[id], Gauge::GpuPower);
        series.iter().map(|it| (it.gpu.clone(), peak(it))).collect::<Vec<_>>()
    };
    assert_eq!(told("i-1"), [(Some("0".to_owned()), 3.0)]);
    assert_eq!(told("i-8"), [(None, 9.0)]);
}

#[tokio::test]
async fn fl_012_the_window_ends_at_the_clock() {
    let busy = "power = [{ value = 0 }, { from = \"10m\", value = 92.0 }]";
    let cloud = cloud(&[machine("i-1", ONE, ""), meter("i-1", busy)].concat()).await;
    // A clock that is no round number.
    let mut cx = context();
    cx.now += TimeDelta::seconds(133);
    cloud.set_now(cx.now);
    let provider = account(&cloud, &[]);
    let (found, _) = measured(&provider, &["eu-west-1"], &six_hours(&cx)).await;
    let series = series(&found["i-1"], Gauge::GpuPower)[0];
    let last = series.samples.last().expect("samples");
    assert_eq!((cx.now - last.at, last.value), (TimeDelta::seconds(133), 92.0));
    let first = series.samples.first().expect("samples");
    assert!(first.at <= cx.now - TimeDelta::hours(6), "{first:?}");
    assert_eq!(series.samples.len(), 73);
}

#[tokio::test]
async fn fl_099_what_comes_late_is_not_there_yet() {
    let late = "power = 1\ncpu = 1\nlate = \"1h\"";
    let cloud = cloud(&[machine("i-1", ONE, ""), meter("i-1", late)].concat()).await;
    let found = &ireland(&cloud).await["i-1"];
    let samples = &series(found, Gauge::GpuPower)[0].samples;
    assert_eq!(samples.len(), 61);
    assert_eq!(samples.last().map(|it| context().now - it.at), Some(TimeDelta::hours(1)));
    assert!(found.gaps.is_empty(), "how much has to be there is judged elsewhere");
}

#[tokio::test]
async fn fl_101_a_missing_permission_is_named_at_every_machine_it_concerns() {
    for permission in ["cloudwatch:ListMetrics", "cloudwatch:GetMetricData"] {
        let elsewhere = machine("i-2", ONE, "").replace("eu-west-1", "us-east-1");
        let denied = format!("denied = [\"{permission}@us-east-1\"]\n");
        let world = [
            denied,
            machine("i-1", ONE, ""),
            meter("i-1", "power = 1"),
            elsewhere,
            meter("i-2", "power = 1"),
        ];
        let cloud = cloud(&world.concat()).await;
        let provider = account(&cloud, &[]);
        let regions = ["eu-west-1", "us-east-1"];
        let (found, _) = measured(&provider, &regions, &six_hours(&context())).await;
        assert!(found["i-1"].gaps.is_empty());
        assert_eq!(series(&found["i-1"], Gauge::GpuPower).len(), 1);
        assert!(found["i-2"].series.is_empty());
        let why = why(&found["i-2"]);
        let begin = format!("CloudWatch: {permission}: permission {permission} is missing");
        assert!(why.starts_with(&begin), "{why}");
    }
}

#[tokio::test]
async fn fl_101_what_goes_wrong_is_a_gap_and_no_measurement() {
    for (effect, words) in [
        (Effect::Throttle { retry_after: None }, "throttled"),
        (Effect::Silence, "no answer in time"),
        (Effect::Cut, "GetMetricData"),
        (
            Effect::Answer { status: 200, body: "<html>".into(), content_type: "text/html".into() },
            "unreadable answer",
        ),
    ] {
        let world = [machine("i-1", ONE, ""), meter("i-1", "power = 0\ncpu = 0")];
        let cloud = cloud(&world.concat()).await;
        let mut settings = settings(&cloud.base_url("aws"));
        settings.credentials.insert("access_key_id".to_owned(), "AKIAEXAMPLE".to_owned().into());
        settings.limits.call = Duration::from_millis(800);
        settings.limits.attempts = 2;
        let provider = open(settings);
        let machines = listed(&provider, &["eu-west-1"]).await;
        cloud.add_fault(Fault::always(effect.clone()).at("GetMetricData"));
        let (cx, window) = (context(), six_hours(&context()));
        let source = provider.metrics().expect("CloudWatch");
        let found = source.measure(&cx, &[&machines[0]], &window).await;
        let (_, found) = found.first().expect("a gap");
        assert!(found.series.is_empty(), "{effect:?}");
        assert!(why(found).contains(words), "{effect:?}: {}", why(found));
    }
}

#[tokio::test]
async fn a_throttled_question_is_asked_again() {
    let world = [machine("i-1", ONE, ""), meter("i-1", "power = 90")];
    let cloud = cloud(&world.concat()).await;
    for operation in ["ListMetrics", "GetMetricData"] {
        let throttle = Fault::always(Effect::Throttle { retry_after: None });
        cloud.add_fault(throttle.at(operation).first(1));
    }
    let found = ireland(&cloud).await;
    assert!(found["i-1"].gaps.is_empty(), "{:?}", found["i-1"].gaps);
    assert_eq!(series(&found["i-1"], Gauge::GpuPower).len(), 1);
}

#[tokio::test]
async fn fl_101_a_failure_of_one_series_spoils_no_other() {
    let world = [
        machine("i-1", ONE, ""),
        meter("i-1", "power = 1\nstatus = \"InternalError\""),
        machine("i-2", ONE, ""),
        meter("i-2", "power = 1"),
    ];
    let found = ireland(&cloud(&world.concat()).await).await;
    assert!(found["i-2"].gaps.is_empty());
    let expected = "CloudWatch: GPU power of GPU 0 not read: the answer is marked InternalError";
    assert_eq!((why(&found["i-1"]), found["i-1"].series.len()), (expected, 0));
}

#[tokio::test]
async fn fl_014_pages_are_read_to_the_end_and_a_circle_is_a_gap() {
    let mut world = String::new();
    for number in 1..=4 {
        let id = format!("i-{number}");
        world += &machine(&id, ONE, "");
        world += &meter(&id, &format!("power = {number}\nutilisation = {number}"));
    }
    let quirk = |more: &str| format!("[[aws.quirk]]\n{more}\n");
    let paged = [
        quirk("operation = \"ListMetrics\"\npage_limit = 1\nempty_pages = 1"),
        quirk("operation = \"GetMetricData\"\npage_limit = 50"),
    ];
    let cloud_of_pages = cloud(&format!("{world}{}", paged.concat())).await;
    let found = ireland(&cloud_of_pages).await;
    for number in 1..=4 {
        let found = &found[&format!("i-{number}")];
        assert!(found.gaps.is_empty(), "{:?}", found.gaps);
        for gauge in [Gauge::GpuPower, Gauge::GpuUtilisation] {
            let series = series(found, gauge)[0];
            assert_eq!((series.samples.len(), peak(series)), (72, f64::from(number)));
        }
    }
    assert!(cloud_of_pages.requests().of("ListMetrics").len() >= 10);
    for operation in ["ListMetrics", "GetMetricData"] {
        let circle = format!("operation = \"{operation}\"\npage_limit = 1\nrepeats_token = true");
        let found = ireland(&cloud(&format!("{world}{}", quirk(&circle))).await).await;
        assert_eq!(found.len(), 4);
        assert!(why(&found["i-2"]).contains("runs in a circle"), "{}", why(&found["i-2"]));
        assert!(series(&found["i-2"], Gauge::GpuUtilisation).is_empty());
    }
}

#[tokio::test]
async fn over_days_the_mean_counts_but_for_memory() {
    let half = "utilisation = 1\npower = [{ value = 80 }, { from = \"90m\", value = 0 }]\n\
                memory_gib = [{ value = 1 }, { from = \"61m\", value = 9 }, { from = \"60m\", value = 1 }]";
    let cloud = cloud(&[machine("i-1", ONE, ""), meter("i-1", half)].concat()).await;
    let provider = account(&cloud, &[]);
    let week = window(&context(), 7 * 24, "1h", Statistic::Mean);
    let found = &measured(&provider, &["eu-west-1"], &week).await.0["i-1"];
    // It was launched sixty hours ago.
    let power = series(found, Gauge::GpuPower)[0];
    assert_eq!((power.samples.len(), power.step.as_secs()), (60, 3600));
    let last: Vec<f64> = power.samples[57..].iter().map(|sample| sample.value).collect();
    assert_eq!(last, [80.0, 40.0, 0.0]);
    let memory = &series(found, Gauge::GpuMemory)[0].samples;
    assert_eq!((memory[58].value, memory[59].value), (9.0, 1.0));
}

#[tokio::test]
async fn a_single_machine_is_asked_about_alone() {
    let mut world = String::new();
    for number in 1..=3 {
        let id = format!("i-{number}");
        world += &[machine(&id, ONE, ""), meter(&id, "power = 1\nutilisation = 1")].concat();
    }
    let quirk = "[[aws.quirk]]\noperation = \"ListMetrics\"\npage_limit = 1\n";
    let cloud = cloud(&format!("{world}{quirk}")).await;
    let provider = account(&cloud, &[]);
    let machines = listed(&provider, &["eu-west-1"]).await;
    let (cx, source) = (context(), provider.metrics().expect("CloudWatch"));
    let found = source.measure(&cx, &[&machines[1]], &six_hours(&cx)).await;
    assert_eq!(found.len(), 1);
    assert_eq!(cloud.requests().of("ListMetrics").len(), 2);
    assert!(source.measure(&cx, &[], &six_hours(&cx)).await.is_empty());
}

/// A thousand machines with a GPU each, a tenth of them quiet.
async fn thousand() -> SimCloud {
    let cloud = cloud("").await;
    cloud.edit(|world| {
        let region = "eu-west-1";
        world.aws.fleet("111122223333", region, 1000, |_, it| it).expect("machines");
        let ids: Vec<String> = world.aws.instances().map(|it| it.id.clone()).collect();
        world.meters.extend(ids.iter().enumerate().map(|(number, id)| {
            Meter::new(id)
                .with(Gauge::GpuPower, if number % 10 == 0 { 2.0 } else { 70.0 })
                .with(Gauge::Cpu, 1.0)
                .with(Gauge::Network, 500.0)
                .with(Gauge::Disk, 0.0)
        }));
    });
    cloud
}

#[tokio::test]
async fn a_thousand_machines_take_six_requests() {
    let cloud = thousand().await;
    let mut settings = settings(&cloud.base_url("aws"));
    settings.credentials.insert("access_key_id".to_owned(), "AKIAEXAMPLE".to_owned().into());
    let provider = open(settings);
    let (found, requests) = measured(&provider, &["eu-west-1"], &six_hours(&context())).await;
    assert_eq!(found.len(), 1000);
    let told = |gauge| found.values().filter(|it| !series(it, gauge).is_empty()).count();
    assert_eq!((told(Gauge::GpuPower), told(Gauge::Cpu), told(Gauge::Disk)), (1000, 100, 100));
    assert!(found.values().all(|it| it.gaps.is_empty()));
    let log = cloud.requests();
    let asked = (log.of("ListMetrics").len(), log.of("GetMetricData").len());
    assert_eq!((asked, requests), ((3, 3), 6));
}
