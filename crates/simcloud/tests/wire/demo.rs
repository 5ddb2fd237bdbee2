//! The world of `reaper demo` is valid and holds the story it is there to tell.

use std::collections::BTreeMap;

use reaper_simcloud::{SimCloud, World};

use crate::client::{EC2, Signer, call};
use crate::small_world::ec2;

const DEMO: &str = include_str!("../../../../config/demo/world.toml");

#[tokio::test]
async fn the_demo_shows_a_forgotten_a100_and_a_region_that_is_not_enabled() {
    let world = World::from_toml(DEMO).expect("a valid world");
    let mut by_region = BTreeMap::new();
    for machine in world.aws.instances() {
        *by_region.entry(machine.region.clone()).or_insert(0) += 1;
    }
    assert_eq!(by_region.values().sum::<usize>(), 14);
    let now = world.clock.now();
    let cloud = SimCloud::start(world).await.expect("a free port");
    let demo = Signer { key: "AKIADEMORESEARCH0001", ..EC2 };
    for (region, count) in by_region {
        let signer = Signer { region: &region, ..demo };
        let listed = call(cloud.addr(), signer, &ec2("DescribeInstances")).await;
        assert_eq!(listed.texts("instanceId").len(), count, "{region}");
    }

    let notebook = ec2("DescribeInstances&Filter.1.Name=tag:Name&Filter.1.Value.1=notebook-test");
    let notebook = call(cloud.addr(), demo, &notebook).await;
    let launched: chrono::DateTime<chrono::Utc> =
        notebook.text("launchTime").parse().expect("a time");
    assert_eq!((now - launched).num_seconds(), 720 * 3_600);
    assert_eq!(notebook.texts("key"), ["Name", "project"], "nobody's name is on it");

    let disabled = Signer { region: "me-south-1", ..demo };
    let refused = call(cloud.addr(), disabled, &ec2("DescribeInstances")).await;
    assert_eq!(refused.text("Code"), "AuthFailure");
    assert!(cloud.requests().changing().is_empty());
}
