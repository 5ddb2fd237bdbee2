//! The monitoring of machines: CPU and network, as evidence for a report.

use chrono::TimeDelta;
use reaper_model::{Gauge, Ignorance, Instance, Measured, Span, Statistic, Window};
use reaper_provider::{Provider as _, Sight};
use reaper_simcloud::{Effect, Fault, SimCloud, World};

use crate::kit::{context, list, machine, now, open, settings, start, world};

/// A world of two machines of which one is measured since two hours ago.
fn measured_world() -> World {
    let mut world =
        world(&format!("{}{}", machine("a", "h100-380", ""), machine("b", "l4-90", "")));
    let meter = "[[meter]]\nmachine = \"a\"\nsince = \"2h\"\nnetwork = 3000.0\n\
                 cpu = [{ value = 1.5 }, { from = \"10m\", value = 80.0 }]\n";
    world.meters = World::from_toml(meter).expect("a meter").meters;
    world
}

fn window(statistic: Statistic) -> Window {
    let from = now() - TimeDelta::hours(6);
    Window { from, until: now(), step: Span::from_secs(300), statistic }
}

async fn measure(
    cloud: &SimCloud,
    statistic: Statistic,
) -> (Vec<Instance>, Vec<(String, Measured)>) {
    let provider = open(&settings(cloud));
    let (machines, _) = list(&provider).await;
    let source = provider.metrics().expect("monitoring");
    assert_eq!(source.sight(), Sight::Host);
    let asked: Vec<&Instance> = machines.iter().collect();
    let all = source.measure(&context(), &asked, &window(statistic)).await;
    let told = all.into_iter().map(|(id, measured)| (id.native, measured)).collect();
    (machines, told)
}

#[tokio::test]
async fn cpu_and_network_are_read_and_a_machine_without_points_is_left_out() {
    let cloud = start(measured_world()).await;
    let (_, all) = measure(&cloud, Statistic::Peak).await;
    let [(id, measured)] = &all[..] else { panic!("one machine: {all:?}") };
    assert_eq!((id.as_str(), measured.gaps.len()), ("a", 0));
    let of = |gauge| measured.series.iter().find(|it| it.gauge == gauge).expect("measured");
    let cpu = of(Gauge::Cpu);
    assert_eq!((cpu.samples.len(), cpu.step.as_secs(), cpu.gpu.as_deref()), (24, 300, None));
    let busy: Vec<f64> = cpu.samples.iter().map(|it| it.value).filter(|it| *it > 50.0).collect();
    assert_eq!(busy, [80.0, 80.0]);
    assert!(of(Gauge::Network).samples.iter().all(|it| (it.value - 3000.0).abs() < 1e-6));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_101_what_may_not_be_read_is_a_gap() {
    let cloud = start(measured_world()).await;
    let operation = "GET /cloud/project/{project}/instance/{instance}/monitoring".to_owned();
    let denied = Effect::Answer {
        status: 403,
        body: r#"{"class":"Client::Forbidden","message":"This call has not been granted"}"#.into(),
        content_type: "application/json".to_owned(),
    };
    cloud.add_fault(Fault { operation: Some(operation), ..Fault::always(denied) });
    let (machines, all) = measure(&cloud, Statistic::Mean).await;
    assert_eq!(all.len(), machines.len());
    for (_, Measured { series, gaps }) in &all {
        assert!(series.is_empty());
        assert!(gaps.iter().all(|gap| gap.kind == Ignorance::ReadFailed), "{gaps:?}");
        assert!(gaps[0].why.contains("instance/monitoring/get"), "{gaps:?}");
    }
}

#[tokio::test]
async fn a_fleet_is_not_asked_about_machine_by_machine() {
    let many: String =
        (0..61).map(|n| machine(&format!("m{n}"), "l4-90", "")).collect::<Vec<_>>().concat();
    let cloud = start(world(&many)).await;
    let (_, all) = measure(&cloud, Statistic::Peak).await;
    assert_eq!(all.len(), 61);
    assert!(all.iter().all(|(_, it)| it.gaps[0].kind == Ignorance::NotAsked));
    let path = "GET /cloud/project/{project}/instance/{instance}/monitoring";
    assert!(cloud.requests().of(path).is_empty());
}
