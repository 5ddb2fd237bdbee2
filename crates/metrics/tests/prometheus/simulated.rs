//! Against the simulated server: that it answers as the real one does, how many requests a fleet
//! costs, and what becomes of every kind of failure.

use std::time::Duration;

use reaper_metrics::{Auth, Prometheus};
use reaper_model::{Gauge, Ignorance, Instance, Measured, Statistic};
use reaper_provider::MetricsSource as _;
use reaper_simcloud::{Effect, Fault, Meter, SimCloud, World};
use secrecy::SecretString;

use crate::fixture::{context, machine, of, peak, peaks, series, server, source, window};

const WORLD: &str = r#"
    clock = { start = "2026-11-30T09:00:00Z" }
    [prometheus]
    names = { "id-a" = "train" }
    [[meter]]
    machine = "id-a"
    gpus = 8
    utilisation = 0.0
    memory_gib = 0.5
    cpu = 25.0
    network = 1500.0
    gpu = [{ index = 7, utilisation = [{ value = 0.0 }, { from = "10m", value = 92.0 }] }]
    [[meter]]
    machine = "id-b"
    mig = 2
    engine = 40.0
    since = "70m"
"#;

async fn cloud(text: &str) -> SimCloud {
    SimCloud::start(World::from_toml(text).expect("a world")).await.expect("a port")
}

fn of_cloud(cloud: &SimCloud) -> Prometheus {
    source(&cloud.base_url("prometheus"), Auth::None)
}

fn machines() -> [Instance; 2] {
    [machine("id-a", "train", 8), machine("id-b", "notebook", 1)]
}

#[tokio::test]
async fn it_answers_as_the_real_one() {
    let cloud = cloud(WORLD).await;
    let machines = machines();
    let all = peaks(&of_cloud(&cloud), &machines.each_ref()).await;
    let first = of(&all, &machines[0]);
    assert!(first.gaps.is_empty(), "{:?}", first.gaps);
    let load = series(first, Gauge::GpuUtilisation);
    assert_eq!(load.len(), 8);
    assert!(load.iter().all(|line| line.samples.len() == 72 && line.source.as_str() == "DCGM"));
    let busy: Vec<_> = load.iter().filter(|line| peak(line) > 5.0).collect();
    assert_eq!((busy.len(), busy[0].gpu.as_deref(), peak(busy[0])), (1, Some("7"), 92.0));
    let one = |gauge| peak(series(first, gauge)[0]);
    assert_eq!((one(Gauge::GpuMemory), one(Gauge::Cpu)), (0.5, 25.0));
    assert_eq!(one(Gauge::Network), 1500.0);
    let slices = series(of(&all, &machines[1]), Gauge::GpuEngine);
    let parts: Vec<_> = slices.iter().map(|it| (it.slice.as_deref(), it.samples.len())).collect();
    assert_eq!(parts, [(Some("0"), 15), (Some("1"), 15)], "70 minutes and now");
    assert!((peak(slices[0]) - 40.0).abs() < 1e-9);
}

#[tokio::test]
async fn fl_097_a_probe_counts_where_it_lived() {
    let text = WORLD.replace("[prometheus]", "[prometheus]\n    exporters = [\"probe\"]");
    let cloud = cloud(&text).await;
    let machines = machines();
    let all = peaks(&of_cloud(&cloud), &machines.each_ref()).await;
    let load = series(of(&all, &machines[0]), Gauge::GpuUtilisation);
    assert_eq!((load.len(), load[0].samples.len()), (8, 72));
    assert_eq!(load[0].source.as_str(), "reaper probe (Prometheus)");
    let slices = series(of(&all, &machines[1]), Gauge::GpuEngine);
    assert_eq!((slices.len(), slices[0].samples.len()), (2, 15), "70 minutes and now");
}

#[tokio::test]
async fn a_fleet_costs_a_query_per_quantity_and_not_per_machine() {
    let mut world = World::from_toml("clock = { start = \"2026-11-30T09:00:00Z\" }").expect("fine");
    world.meters = (0..1000)
        .map(|n| {
            Meter::new(&format!("id-{n:04}"))
                .with(Gauge::GpuUtilisation, 1.0)
                .with(Gauge::GpuMemory, 1.0)
        })
        .collect();
    let cloud = SimCloud::start(world).await.expect("a port");
    let fleet: Vec<Instance> =
        (0..1000).map(|n| machine(&format!("id-{n:04}"), &format!("train-{n}"), 1)).collect();
    let fleet: Vec<&Instance> = fleet.iter().collect();
    let all = peaks(&of_cloud(&cloud), &fleet).await;
    assert_eq!(all.len(), 1000);
    assert!(all.iter().all(|(_, it)| it.gaps.is_empty() && it.series.len() == 2));
    let requests = cloud.requests().len();
    assert!(requests <= 6, "{requests} requests");
}

#[tokio::test]
async fn fl_101_every_failure_is_a_gap_and_nothing_else() {
    let answer = |status: u16, body: &str| Effect::Answer {
        status,
        body: body.to_owned(),
        content_type: "application/json".to_owned(),
    };
    let failed = r#"{"status":"error","errorType":"execution","error":"too many samples"}"#;
    let partial = r#"{"status":"success","data":{"resultType":"matrix","result":[]},
                      "warnings":["a store gave no answer"]}"#;
    for (effect, words) in [
        (answer(403, "{}"), "Prometheus: "),
        (answer(401, r#"{"status":"error","error":"no token"}"#), "no token"),
        (answer(422, failed), "execution: too many samples"),
        (answer(200, failed), "execution: too many samples"),
        (answer(200, partial), "may not be whole: a store gave no answer"),
        (answer(200, "<html>login</html>"), "no JSON"),
        (
            answer(200, r#"{"status":"success","data":{"resultType":"vector","result":[]}}"#),
            "matrix",
        ),
        (answer(500, "oops"), "oops"),
        (Effect::Silence, "no whole answer within"),
        (Effect::Hangup, "Prometheus: "),
        (Effect::Cut, "Prometheus: "),
        (Effect::Throttle { retry_after: None }, "Prometheus: "),
    ] {
        let cloud = cloud(WORLD).await;
        let shown = format!("{effect:?}");
        cloud.add_fault(Fault {
            operation: Some("query_range".to_owned()),
            ..Fault::always(effect)
        });
        let mut settings = server(&cloud.base_url("prometheus"), Auth::None);
        settings.timeout = Duration::from_millis(500);
        let source = Prometheus::open(&settings).expect("opened");
        let machines = machines();
        let all = peaks(&source, &machines.each_ref()).await;
        assert_eq!(all.len(), 2, "{shown}");
        for (_, Measured { series, gaps }) in &all {
            assert!(series.is_empty() && !gaps.is_empty(), "{shown}");
            assert!(gaps.iter().all(|gap| gap.kind == Ignorance::ReadFailed), "{shown}");
            assert!(gaps.iter().all(|gap| gap.why.contains(words)), "{shown}: {gaps:?}");
        }
    }
}

#[tokio::test]
async fn one_query_that_fails_spoils_no_other() {
    let cloud = cloud(WORLD).await;
    let fault = Fault::always(Effect::Hangup);
    let operation = Some("query_range".to_owned());
    cloud.add_fault(Fault { operation, first: Some(1), ..fault });
    let machines = machines();
    let all = peaks(&of_cloud(&cloud), &machines.each_ref()).await;
    let first = of(&all, &machines[0]);
    assert_eq!(first.gaps.len(), 1, "{:?}", first.gaps);
    assert!(!first.series.is_empty());
}

#[tokio::test]
async fn a_token_is_sent_and_never_shown() {
    let cloud = cloud(&WORLD.replace("names =", "token = \"canary-4f1a\"\n    names =")).await;
    let machines = machines();
    let url = cloud.base_url("prometheus");
    let bearer = |token: &str| Auth::Bearer(SecretString::from(token));
    let all = peaks(&source(&url, bearer("canary-4f1a")), &machines.each_ref()).await;
    assert!(of(&all, &machines[0]).gaps.is_empty());
    let refused = source(&url, bearer("canary-other"));
    let all = peaks(&refused, &machines.each_ref()).await;
    assert!(of(&all, &machines[0]).series.is_empty());
    assert!(!format!("{all:?}{refused:?}").contains("canary"));
}

#[tokio::test]
async fn nobody_is_asked_about_no_machine() {
    let cloud = cloud(WORLD).await;
    assert!(peaks(&of_cloud(&cloud), &[]).await.is_empty());
    assert_eq!(cloud.requests().len(), 0);
    let week = window(24 * 7, Statistic::Mean);
    let machines = machines();
    let all = of_cloud(&cloud).measure(&context(), &[&machines[0]], &week).await;
    assert_eq!(series(of(&all, &machines[0]), Gauge::GpuUtilisation)[0].samples.len(), 2016);
}

#[tokio::test]
async fn a_label_that_names_no_machine_is_said_of_each() {
    let text = WORLD.replace("names =", "label = \"instance\"\n    names =");
    let cloud = cloud(&text).await;
    let mut strangers = machines();
    for machine in &mut strangers {
        machine.id.native = format!("other-{}", machine.id.native);
        machine.name = reaper_model::Fact::absent(&reaper_model::Source::new("test"));
    }
    let all = peaks(&of_cloud(&cloud), &strangers.each_ref()).await;
    let gaps = &of(&all, &strangers[0]).gaps;
    assert!(gaps[0].why.contains("no value of the label instance is the id"), "{gaps:?}");
}
