//! Listings: pages, oddities, types, states, tags, managers.

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, Loss, Meter, State, Tag};
use reaper_provider::ErrorKind;
use reaper_simcloud::scaleway::{Action, Gpu, Group, InstanceType, Quirk, ScalewayWorld, Server};
use serde_json::json;

use crate::common::{Cloud, ORGANIZATION, PROJECT, SERVERS, ZONE, context, now, number_of};

fn server(id: &str, machine_type: &str) -> Server {
    Server::new(ORGANIZATION, ZONE, id, machine_type)
}

#[tokio::test]
async fn fl_013_all_pages_are_read() {
    let mut cloud = Cloud::start(|world| {
        world
            .fleet(ORGANIZATION, ZONE, 120, |number, server| match number {
                118 => server,
                _ => server.tag("owner=alice"),
            })
            .expect("a new fleet");
    })
    .await;
    cloud.settings.limits.page_size = Some(50);
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(machines.len(), 120);
    let untagged: Vec<_> =
        machines.iter().filter(|it| matches!(it.tags, Fact::Absent { .. })).collect();
    assert_eq!(untagged.iter().map(|it| number_of(it)).collect::<Vec<_>>(), [118]);
    assert_eq!(cloud.requests().of(SERVERS).len(), 3);
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_013_a_server_that_is_announced_and_not_shown_makes_the_listing_partial() {
    let cloud = Cloud::start(|world| {
        world.fleet(ORGANIZATION, ZONE, 119, |_, server| server).expect("a new fleet");
        world.quirks.push(Quirk { zone: ZONE.into(), announces_more: 1 });
    })
    .await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.error().kind, ErrorKind::Inconsistent);
    assert!(listed.error().detail.contains("120 servers announced, 119 listed"));
    assert_eq!(listed.machines.len(), 119);
}

#[tokio::test]
async fn fl_092_a_server_that_comes_between_two_pages_is_found_in_a_second_reading() {
    let mut cloud = Cloud::start(|world| {
        world.fleet(ORGANIZATION, ZONE, 30, |_, server| server).expect("a new fleet");
        let newest = server("ffffffff-0000-4000-8000-000000000099", "L4-1-24G");
        let newest = newest.created("+1s".parse().expect("a time"));
        world.add_server(Server { appears_at_page: Some(2), ..newest }).expect("new");
    })
    .await;
    cloud.settings.limits.page_size = Some(20);
    let mut ids: Vec<u64> = cloud.list(ZONE).await.complete().iter().map(number_of).collect();
    ids.sort_unstable();
    // Each once, although the last of page 1 came again on page 2; the new one, too.
    let expected: Vec<u64> = (0..30).chain([0x99]).collect();
    assert_eq!(ids, expected);
    assert_eq!(cloud.requests().of(SERVERS).len(), 4);
}

#[tokio::test]
async fn fl_016_a_zone_that_nobody_knows_is_listed_when_configured() {
    let mut cloud = Cloud::start(|world| {
        world.zones.insert("multi-az".into());
        let server = Server::new(ORGANIZATION, "multi-az", "a", "L4-1-24G");
        world.add_server(server).expect("new");
    })
    .await;
    cloud.settings.locations = vec!["multi-az".into()];
    let coverage = cloud.provider().coverage(&context(now())).await;
    let coverage = coverage.expect("no call");
    assert_eq!(coverage.locations, ["multi-az".into()]);
    assert_eq!(coverage.uncovered.len(), 10);
    assert_eq!(cloud.list("multi-az").await.complete().len(), 1);
}

#[tokio::test]
async fn fl_018_only_the_configured_projects_are_listed() {
    let mut cloud = Cloud::start(|world| {
        world.add_server(server("a", "L4-1-24G")).expect("new");
        let other = Server { project: Some(PROJECT.into()), ..server("b", "L4-1-24G") };
        world.add_server(other).expect("new");
    })
    .await;
    assert_eq!(cloud.list(ZONE).await.complete().len(), 2);
    cloud.settings.lists.insert("project_ids".into(), vec![PROJECT.into()]);
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(machines.iter().map(|it| it.id.native.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[tokio::test]
async fn servers_without_gpu_are_left_out_and_unknown_types_are_not() {
    let cloud = Cloud::start(|world| {
        for (id, machine_type) in
            [("a", "DEV1-S"), ("b", "L40S-2-48G"), ("c", "H200-SXM-8-141G"), ("d", "PRO2-XXS")]
        {
            world.add_server(server(id, machine_type)).expect("new");
        }
    })
    .await;
    let provider = cloud.provider();
    let listed = cloud.list_with(provider.as_ref(), ZONE, now()).await;
    let machines = listed.complete();
    let types: Vec<_> = machines.iter().map(|it| it.machine_type.as_str()).collect();
    assert_eq!(types, ["L40S-2-48G", "H200-SXM-8-141G"]);
    let gpu = machines[0].gpu.value().expect("known");
    assert_eq!(
        (gpu.model.as_str(), gpu.count, gpu.memory_gib),
        ("L40S", 2.into(), Some(96.into()))
    );
    let price = provider.price(&machines[0]);
    assert_eq!(price.value().map(|it| it.money.all_digits()).as_deref(), Some("2.939832"));
    // FL-022, FL-085: shown letter for letter, its price unknown.
    assert_eq!(machines[1].gpu.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    assert!(provider.price(&machines[1]).gap().is_some());
}

#[tokio::test]
async fn fl_105_a_price_that_moved_wins_and_is_pointed_out() {
    let cloud = Cloud::start(|world| {
        let dearer = InstanceType {
            vcpus: 8,
            ram_gib: 48,
            hourly: 0.99,
            gpu: Some(Gpu { name: "L4".into(), count: 1, memory_gib: 24 }),
            scratch_gb: 0,
        };
        world.add_type("L4-1-24G", dearer);
        world.add_server(server("a", "L4-1-24G")).expect("new");
        world.add_server(server("b", "L4-2-24G")).expect("new");
    })
    .await;
    let provider = cloud.provider();
    let listed = cloud.list_with(provider.as_ref(), ZONE, now()).await;
    assert_eq!(listed.warnings, ["price-differs"]);
    let machines = listed.complete();
    let price = |at: usize| provider.price(&machines[at]).value().map(|it| it.money.all_digits());
    assert_eq!(price(0).as_deref(), Some("0.99"));
    assert_eq!(price(1).as_deref(), Some("1.575"));
}

#[tokio::test]
async fn an_empty_zone_costs_one_request() {
    let cloud = Cloud::start(|_| ()).await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.requests, 1);
    assert!(listed.complete().is_empty());
}

#[tokio::test]
async fn fl_050_fl_086_every_state_is_shown_and_none_breaks_the_listing() {
    let cloud = Cloud::start(|world| {
        for (id, state, detail) in [
            ("a", "running", "booted"),
            ("b", "stopped in place", "stopped in place"),
            ("c", "stopped", ""),
            ("d", "stopping", "rebooting"),
            ("e", "HIBERNATING_DEEP", ""),
            ("f", "locked", ""),
        ] {
            world.add_server(server(id, "L4-1-24G").state(state, detail)).expect("new");
        }
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    let seen: Vec<_> =
        machines.iter().map(|it| (it.provider_state.as_str(), it.state, it.meter)).collect();
    let expected = [
        ("running", State::Running, Meter::Running),
        ("stopped in place", State::Stopped, Meter::StoppedBilled),
        ("stopped", State::Stopped, Meter::StoppedFree),
        ("stopping", State::Restarting, Meter::Running),
        ("HIBERNATING_DEEP", State::Unknown, Meter::Unknown),
        ("locked", State::Failed, Meter::Unknown),
    ];
    assert_eq!(seen, expected);
}

#[tokio::test]
async fn fl_053_fl_055_what_a_stop_destroys_and_what_stays_charged_is_listed() {
    let cloud = Cloud::start(|world| {
        let server = Server {
            scratch_gb: 3200,
            addresses: vec!["ip-1".into()],
            protected: true,
            ..server("a", "L40S-2-48G")
        };
        world.add_server(server).expect("new");
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(machines[0].local_storage.value().and_then(|it| it.gb), Some(3200));
    assert!(machines[0].stop.loses.contains(&Loss::LocalDisks));
    let attached: Vec<_> = machines[0].attached.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(attached, ["a-root", "ip-1"]);
    let (provider, cx, zone) = (cloud.provider(), context(now()), ZONE.into());
    let details = provider.details(&cx, &zone, &[&machines[0]]).await;
    assert_eq!(details[0].guards, machines[0].guards);
    assert!(details[0].guards.value().is_some());
}

#[tokio::test]
async fn fl_087_fl_088_odd_servers_spoil_themselves_alone() {
    let cloud = Cloud::start(|world| {
        let odd = [
            json!({ "name": null, "tags": null, "public_ips": null, "volumes": null }),
            json!({ "name": 7, "protected": "no", "creation_date": 0, "volumes": "none" }),
            json!({ "tags": ["owner=alice", 3], "state": null, "tomorrow": { "a": [1] } }),
            json!({ "commercial_type": null }),
            json!({}),
        ];
        for (number, patch) in odd.iter().enumerate() {
            let server = server(&format!("s{number}"), "L4-1-24G").tag("owner=bob").patch(patch);
            world.add_server(server).expect("new");
        }
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    assert_eq!(machines.len(), 5);
    assert!(machines[..2].iter().all(|it| it.local_storage.gap().is_some()));
    assert!(machines[2].tags.gap().is_some());
    assert_eq!(machines[2].meter, Meter::Unknown);
    assert!(machines[3].gpu.gap().is_some());
    assert_eq!(machines[4].unreadable, [""; 0]);
    let owner = machines[4].tags.value().map(|tags| tags.iter().cloned().collect::<Vec<_>>());
    assert_eq!(owner, Some(vec![Tag::pair("owner", "bob")]));
}

#[tokio::test]
async fn a_server_without_id_makes_the_listing_partial_and_hides_no_other() {
    let cloud = Cloud::start(|world| {
        world.add_server(server("a", "L4-1-24G")).expect("new");
        let nameless = server("b", "L4-1-24G").patch(&json!({ "id": null }));
        world.add_server(nameless).expect("new");
    })
    .await;
    let listed = cloud.list(ZONE).await;
    assert_eq!(listed.machines.len(), 1);
    assert_eq!(listed.error().kind, ErrorKind::Protocol);
}

#[tokio::test]
async fn nodes_of_a_kapsule_pool_name_their_controller() {
    let cloud = Cloud::start(|world| {
        let node = server("a", "L40S-1-48G")
            .tag("kapsule=494bb9c0")
            .tag("pool=2c8fadc0")
            .tag("pool-name=gpu")
            .tag("managed=true");
        world.add_server(node).expect("new");
    })
    .await;
    let machines = cloud.list(ZONE).await.complete();
    let manager = machines[0].manager.value().expect("managed");
    assert_eq!(manager.to_string(), "kapsule 494bb9c0 pool gpu");
    assert_eq!(machines[0].stop.objections.len(), 1);
}

#[tokio::test]
async fn members_of_an_autoscaling_group_name_it_and_an_unread_group_is_an_objection() {
    let build = |world: &mut ScalewayWorld| {
        for (id, project) in [("a", PROJECT), ("b", PROJECT), ("c", ORGANIZATION)] {
            let server = Server { project: Some(project.into()), ..server(id, "L4-1-24G") };
            world.add_server(server).expect("new");
        }
        world.groups.push(Group {
            id: "g".into(),
            name: "inference".into(),
            project: PROJECT.into(),
            zone: ZONE.into(),
            servers: vec!["b".into()],
        });
    };
    let cloud = Cloud::start(build).await;
    let machines = cloud.list(ZONE).await.complete();
    let managers: Vec<_> =
        machines.iter().map(|it| it.manager.value().map(ToString::to_string)).collect();
    assert_eq!(managers, [None, Some("autoscaling-group inference".to_owned()), None]);
    assert_eq!(machines[1].stop.objections.len(), 1);
    assert!(machines[0].stop.objections.is_empty());

    let denied = Cloud::start(|world| {
        build(world);
        crate::faults::deny(world, "autoscaling");
    })
    .await;
    let listed = denied.list(ZONE).await;
    assert_eq!(listed.warnings, ["groups-unread"]);
    for machine in listed.complete() {
        assert_eq!(machine.manager.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
        assert_eq!(machine.stop.objections.len(), 1);
    }
}

#[tokio::test]
async fn the_audit_trail_tells_the_last_start_and_is_no_condition() {
    let action = |server: &str, action: &str, at: &str| Action {
        server: server.into(),
        action: action.into(),
        at: at.parse().expect("a time"),
        status: 202,
    };
    let build = |world: &mut ScalewayWorld| {
        for id in ["a", "b"] {
            let server = server(id, "L4-1-24G").created("500h".parse().expect("a time"));
            world.add_server(server).expect("new");
        }
        world.actions = vec![
            action("a", "poweron", "499h"),
            action("a", "poweroff", "200h"),
            action("a", "poweron", "30h"),
            action("b", "poweron", "499h"),
        ];
    };
    let cloud = Cloud::start(build).await;
    let machines = cloud.list(ZONE).await.complete();
    let hours = |since: &Fact<DateTime<Utc>>| since.value().map(|at| (now() - *at).num_hours());
    assert_eq!(hours(&machines[0].running_since), Some(30));
    assert_eq!(hours(machines[0].up_since()), Some(30));
    // Never powered off as far as anybody knows: it counts from its creation.
    assert!(machines[1].running_since.gap().is_some());
    assert_eq!(hours(machines[1].up_since()), Some(500));

    let denied = Cloud::start(|world| {
        build(world);
        crate::faults::deny(world, "audit-trail");
    })
    .await;
    let listed = denied.list(ZONE).await;
    assert_eq!(listed.warnings, ["starts-unknown"]);
    assert_eq!(hours(listed.complete()[0].up_since()), Some(500));
}
