//! What is told of machines, types and regions, read back as a client would.

use reaper_simcloud::World;

use crate::client::{EC2, Signer, call};
use crate::small_world::{WORLD, ec2, start};

#[tokio::test]
async fn a_machine_is_described_with_all_that_the_world_knows() {
    let cloud = start().await;
    let asked = ec2("DescribeInstances&Filter.1.Name=instance-type&Filter.1.Value.1=p4d.*");
    let answer = call(cloud.addr(), EC2, &asked).await;
    assert_eq!(answer.status, 200);
    assert!(answer.head.contains("content-type: text/xml"), "{}", answer.head);
    assert!(answer.head.contains("date: thu, 01 jan 2026 00:00:00 gmt"), "{}", answer.head);
    assert!(answer.body.contains(
        r#"<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>"#
    ));
    assert_eq!(answer.text("instanceId"), "i-0a");
    assert_eq!(answer.text("launchTime"), "2025-12-02T00:00:00.000Z");
    assert_eq!(answer.texts("attachTime"), ["2025-06-01T00:00:00.000Z"; 2]);
    assert_eq!(answer.text("value"), "notebook <test> & more");
    assert_eq!(answer.text("ipAddress"), "203.0.113.7");
    assert_eq!(answer.text("volumeId"), "vol-0a");
    assert_eq!(answer.text("tenancy"), "default");
    assert!(!answer.has("nextToken"));
}

#[tokio::test]
async fn fl_085_a_type_that_no_table_knows_is_listed_letter_for_letter() {
    let cloud = start().await;
    let other = Signer { key: "AKIAOTHER", ..EC2 };
    let answer = call(cloud.addr(), other, &ec2("DescribeInstances")).await;
    assert_eq!(answer.text("instanceType"), "g99x.48xlarge");
    assert_eq!(answer.text("instanceLifecycle"), "capacity-block");
}

#[tokio::test]
async fn an_empty_listing_is_an_empty_element() {
    let cloud = start().await;
    let signer = Signer { region: "us-east-1", ..EC2 };
    let answer = call(cloud.addr(), signer, &ec2("DescribeInstances")).await;
    assert!(answer.body.contains("<reservationSet/>"), "{}", answer.body);
}

#[tokio::test]
async fn fl_001_tags_can_be_missing_from_the_listing_and_still_be_there() {
    let cloud = start().await;
    let listed = call(cloud.addr(), EC2, &ec2("DescribeInstances&InstanceId.1=i-0b")).await;
    assert!(!listed.has("tagSet"));
    let tags = ec2(
        "DescribeTags&Filter.1.Name=resource-id&Filter.1.Value.1=i-0b&Filter.2.Name=resource-type&Filter.2.Value.1=instance",
    );
    let tags = call(cloud.addr(), EC2, &tags).await;
    assert_eq!(tags.texts("key"), ["owner", "project"]);
    assert_eq!(tags.texts("value"), ["alice", "atlas"]);
    assert_eq!(tags.texts("resourceId"), ["i-0b"; 2]);
}

#[tokio::test]
async fn managed_machines_are_shown_only_to_those_who_ask_for_them() {
    let cloud = start().await;
    let answer = call(cloud.addr(), EC2, &ec2("DescribeInstances")).await;
    assert_eq!(answer.texts("instanceId"), ["i-0a", "i-0b", "i-0d"]);
    let with = ec2("DescribeInstances&IncludeManagedResources=true");
    let answer = call(cloud.addr(), EC2, &with).await;
    assert_eq!(answer.texts("instanceId"), ["i-0a", "i-0b", "i-0c", "i-0d"]);
    assert_eq!(answer.text("principal"), "eks.amazonaws.com");
}

#[tokio::test]
async fn a_terminated_machine_has_neither_disks_nor_interfaces() {
    let cloud = start().await;
    let answer = call(cloud.addr(), EC2, &ec2("DescribeInstances&InstanceId.1=i-0d")).await;
    assert!(answer.body.contains("<networkInterfaceSet/>"));
    assert!(answer.body.contains("<blockDeviceMapping/>"));
    assert!(answer.body.contains("<code>48</code><name>terminated</name>"));
}

#[tokio::test]
async fn states_change_when_the_clock_moves() {
    let cloud = start().await;
    let start = cloud.world().clock.start();
    for (seconds, state) in [(0, "running"), (60, "stopping"), (120, "stopped"), (600, "stopped")] {
        cloud.set_now(start + chrono::TimeDelta::seconds(seconds));
        let answer = call(cloud.addr(), EC2, &ec2("DescribeInstances&InstanceId.1=i-0b")).await;
        assert_eq!(answer.texts("name"), [state]);
    }
}

#[tokio::test]
async fn spot_requests_and_protections_are_read_on_their_own() {
    let cloud = start().await;
    let listed = call(cloud.addr(), EC2, &ec2("DescribeInstances&InstanceId.1=i-0b")).await;
    assert_eq!(listed.text("instanceLifecycle"), "spot");
    assert_eq!(listed.text("spotInstanceRequestId"), "sir-0b");
    let asked = ec2("DescribeSpotInstanceRequests&SpotInstanceRequestId.1=sir-0b");
    let requests = call(cloud.addr(), EC2, &asked).await;
    assert_eq!(requests.text("type"), "one-time");
    assert_eq!(requests.text("instanceId"), "i-0b");
    let asked = ec2("DescribeSpotInstanceRequests&SpotInstanceRequestId.1=sir-9");
    let missing = call(cloud.addr(), EC2, &asked).await;
    assert_eq!(missing.text("Code"), "InvalidSpotInstanceRequestID.NotFound");
    for (attribute, value) in [("disableApiStop", "true"), ("disableApiTermination", "false")] {
        let asked =
            ec2(&format!("DescribeInstanceAttribute&InstanceId=i-0b&Attribute={attribute}"));
        let answer = call(cloud.addr(), EC2, &asked).await;
        assert!(answer.body.contains(&format!("<{attribute}><value>{value}</value>")));
    }
}

#[tokio::test]
async fn types_carry_every_kind_of_accelerator() {
    let cloud = start().await;
    let one = |name: &str| ec2(&format!("DescribeInstanceTypes&InstanceType.1={name}"));
    let fraction = call(cloud.addr(), EC2, &one("g6f.large")).await;
    assert!(fraction.body.contains(
        "<count>0</count><logicalGpuCount>1</logicalGpuCount><gpuPartitionSize>0.125</gpuPartitionSize>"
    ));
    assert_eq!(fraction.text("totalGpuMemoryInMiB"), "2861");
    assert_eq!(fraction.text("totalSizeInGB"), "100");
    let chip = call(cloud.addr(), EC2, &one("inf2.xlarge")).await;
    assert!(chip.has("neuronInfo") && chip.has("inferenceAcceleratorInfo") && chip.has("member"));
    assert_eq!(chip.text("instanceStorageSupported"), "false");
    for (name, info) in [
        ("f1.2xlarge", "fpgaInfo"),
        ("vt1.3xlarge", "mediaAcceleratorInfo"),
        ("dl1.24xlarge", "gpuInfo"),
    ] {
        assert!(call(cloud.addr(), EC2, &one(name)).await.has(info), "{name}");
    }
    assert_eq!(call(cloud.addr(), EC2, &one("p4d.3xlarge")).await.status, 200);
    let elsewhere = Signer { region: "us-east-1", ..EC2 };
    let answer = call(cloud.addr(), elsewhere, &one("p4d.3xlarge")).await;
    assert_eq!(answer.text("Code"), "InvalidInstanceType");
}

#[tokio::test]
async fn fl_017_regions_to_opt_into_are_told_only_on_request() {
    let cloud = start().await;
    let answer = call(cloud.addr(), EC2, &ec2("DescribeRegions")).await;
    assert_eq!(answer.texts("regionName").len(), 18, "17 and the one opted into");
    let answer = call(cloud.addr(), EC2, &ec2("DescribeRegions&AllRegions=true")).await;
    assert_eq!(answer.texts("regionName").len(), 33);
    let asked = ec2(
        "DescribeRegions&AllRegions=true&Filter.1.Name=opt-in-status&Filter.1.Value.1=opted-in",
    );
    assert_eq!(call(cloud.addr(), EC2, &asked).await.texts("regionName"), ["me-south-1"]);
}

#[test]
fn a_world_that_contradicts_itself_is_refused() {
    for (from, to, complaint) in [
        ("id = \"i-0b\"", "id = \"i-0a\"", "i-0a is there twice"),
        ("account = \"444455556666\"", "account = \"9\"", "not in this world"),
        ("access_keys = [\"AKIAOTHER\"]", "access_keys = [\"AKIAEXAMPLE\"]", "access key"),
        ("region = \"eu-west-1\"", "region = \"eu-west-9\"", "region eu-west-9"),
        ("launched = \"720h\"", "launched = \"720\"", "`720` is not a time"),
        ("public_ip", "publicip", "unknown field `publicip`"),
    ] {
        let error = World::from_toml(&WORLD.replacen(from, to, 1)).expect_err(complaint);
        assert!(error.to_string().contains(complaint), "{error}");
    }
}
