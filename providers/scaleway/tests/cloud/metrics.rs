//! Cockpit: CPUs of servers by a token of its own, as evidence for a report.

use chrono::TimeDelta;
use reaper_model::{Gauge, Ignorance, Instance, InstanceId, Measured, Span, Statistic, Window};
use reaper_provider::Sight;
use reaper_simcloud::scaleway::Server;
use reaper_simcloud::{Effect, Fault, Meter};
use secrecy::SecretString;

use crate::common::{Cloud, ORGANIZATION, PROJECT, ZONE, context, now};

const BUSY: &str = "aaaaaaaa-0000-4000-8000-000000000001";
const SILENT: &str = "aaaaaaaa-0000-4000-8000-000000000002";
const ELSEWHERE: &str = "aaaaaaaa-0000-4000-8000-000000000003";
const TOKEN: &str = "canary-cockpit-77";

/// A server in each project of the organisation, and one of which nothing is measured.
async fn cloud(token_of: &str) -> Cloud {
    let mut cloud = Cloud::start(|world| {
        for (id, project) in [(BUSY, PROJECT), (SILENT, PROJECT), (ELSEWHERE, ORGANIZATION)] {
            let mut server = Server::new(ORGANIZATION, ZONE, id, "L4-1-24G");
            server.project = Some(project.to_owned());
            world.add_server(server).expect("fits");
        }
        let organization = world.organization_mut(ORGANIZATION).expect("there");
        TOKEN.clone_into(&mut organization.cockpit_token);
        token_of.clone_into(&mut organization.cockpit_token_of);
    })
    .await;
    cloud.sim.edit(|world| {
        world.meters =
            [BUSY, ELSEWHERE].map(|id| Meter::new(id).with(Gauge::Cpu, 37.5)).into_iter().collect();
    });
    cloud.settings.credentials.insert("cockpit_token".into(), SecretString::from(TOKEN));
    cloud
}

/// The list of data sources is answered so.
fn data_sources(body: &str) -> Fault {
    let operation = Some("GET /cockpit/v1/regions/{region}/data-sources".to_owned());
    let effect = Effect::Answer {
        status: 200,
        body: body.to_owned(),
        content_type: "application/json".to_owned(),
    };
    Fault { operation, ..Fault::always(effect) }
}

async fn measure(cloud: &Cloud) -> Vec<(InstanceId, Measured)> {
    let provider = cloud.provider();
    let machines = cloud.list(ZONE).await.complete();
    let source = provider.metrics().expect("a token was given");
    assert_eq!((source.name(), source.sight()), ("Cockpit", Sight::Host));
    let from = now() - TimeDelta::hours(6);
    let step = Span::from_secs(300);
    let window = Window { from, until: now(), step, statistic: Statistic::Peak };
    let asked: Vec<&Instance> = machines.iter().collect();
    source.measure(&context(now()), &asked, &window).await
}

#[tokio::test]
async fn fl_101_a_token_of_one_project_tells_of_its_servers_and_not_of_others() {
    let cloud = cloud(PROJECT).await;
    let all = measure(&cloud).await;
    let told: Vec<&str> =
        all.iter().filter(|(_, it)| !it.series.is_empty()).map(|(id, _)| &*id.native).collect();
    assert_eq!(told, [BUSY]);
    // Nobody knows which project the others are of, so the refusal of one is a gap of both.
    assert_eq!(all.len(), 3);
    for (id, Measured { series, gaps }) in &all {
        assert_eq!(gaps.len(), usize::from(series.is_empty()), "{id}: {gaps:?}");
        let refused = |gap: &reaper_model::Unknown| gap.kind == Ignorance::ReadFailed;
        assert!(gaps.iter().all(refused), "{id}: {gaps:?}");
    }
    let series = &all[0].1.series[0];
    assert_eq!((series.gauge, series.samples.len(), series.step.as_secs()), (Gauge::Cpu, 72, 300));
    assert!(series.samples.iter().all(|sample| (sample.value - 37.5).abs() < 1e-9));
    assert_eq!(series.samples[0].at, now() - TimeDelta::hours(6));
    assert!(cloud.sim.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_101_one_source_of_a_project_that_fails_is_a_gap_of_its_servers() {
    let mut cloud = cloud(PROJECT).await;
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.to_owned()]);
    // The project has a second data source, which answers nothing.
    let here = cloud.sim.base_url("scaleway");
    let source = |path: &str| format!(r#"{{"url": "{here}/{path}"}}"#);
    let (good, bad) = (source(&format!("cockpit-metrics/{PROJECT}/fr-par")), source("nowhere"));
    let body = format!(r#"{{"total_count": 2, "data_sources": [{good}, {bad}]}}"#);
    cloud.sim.add_fault(data_sources(&body));
    let all = measure(&cloud).await;
    let of = |native: &str| &all.iter().find(|(id, _)| id.native == native).expect("told").1;
    for (native, series) in [(BUSY, 1), (SILENT, 0)] {
        let measured = of(native);
        let told = (measured.series.len(), measured.gaps.len());
        assert_eq!(told, (series, 1), "{native}: {measured:?}");
    }
}

#[tokio::test]
async fn fl_101_a_token_that_nobody_knows_is_a_gap_of_every_server() {
    let mut cloud = cloud(PROJECT).await;
    cloud.settings.credentials.insert("cockpit_token".into(), SecretString::from("canary-other"));
    let all = measure(&cloud).await;
    assert_eq!(all.len(), 3);
    for (_, Measured { series, gaps }) in &all {
        assert!(series.is_empty() && gaps[0].kind == Ignorance::ReadFailed, "{gaps:?}");
        assert!(gaps[0].why.starts_with("Cockpit: "), "{gaps:?}");
    }
    assert!(!format!("{all:?}").contains("canary"));
}

#[tokio::test]
async fn secrets_never_leave_for_an_address_that_is_not_scaleways() {
    let cloud = cloud(PROJECT).await;
    let body = r#"{"total_count": 1, "data_sources": [{"url": "https://evil.example.org"}]}"#;
    cloud.sim.add_fault(data_sources(body));
    let all = measure(&cloud).await;
    assert_eq!(all.len(), 3);
    let why = "leads to evil.example.org, which is not Scaleway's";
    assert!(all.iter().all(|(_, it)| it.gaps[0].why.contains(why)), "{all:?}");
}

#[tokio::test]
async fn without_a_token_there_is_no_monitoring() {
    let mut cloud = cloud(PROJECT).await;
    cloud.settings.credentials.remove("cockpit_token");
    assert!(cloud.provider().metrics().is_none());
}
