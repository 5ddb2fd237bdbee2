//! `CreateTags` and `DeleteTags`.

use reaper_simcloud::aws::{Account, Instance};
use reaper_simcloud::{SimCloud, World};

use crate::client::{ACCOUNT, Answer, EC2, KEY, call};
use crate::small_world::ec2;

async fn start() -> SimCloud {
    let mut world = World::default();
    world.aws.add_account(Account::new(ACCOUNT, KEY)).expect("a new account");
    let machine = Instance::new(ACCOUNT, "eu-west-1", "i-0a", "g5.xlarge")
        .tag("owner", "alice")
        .tag("aws:autoscaling:groupName", "workers");
    world.aws.add_instance(machine).expect("a new machine");
    SimCloud::start(world).await.expect("a free port")
}

async fn ask(cloud: &SimCloud, action: &str) -> Answer {
    call(cloud.addr(), EC2, &ec2(action)).await
}

/// `key=value` of every tag in a read of the machine.
async fn tags(cloud: &SimCloud) -> Vec<String> {
    let read = ask(cloud, "DescribeInstances&InstanceId.1=i-0a").await;
    let tags = read.texts("key").into_iter().zip(read.texts("value"));
    tags.map(|(key, value)| format!("{key}={value}")).collect()
}

#[tokio::test]
async fn tags_are_set_over_what_was_there_and_read_at_once() {
    let cloud = start().await;
    let set = "CreateTags&ResourceId.1=i-0a&Tag.1.Key=owner&Tag.1.Value=bob\
               &Tag.2.Key=reaper-keep&Tag.2.Value=2026-12-24";
    let answer = ask(&cloud, set).await;
    assert_eq!((answer.status, answer.text("return").as_str()), (200, "true"));
    assert_eq!(
        tags(&cloud).await,
        ["aws:autoscaling:groupName=workers", "owner=bob", "reaper-keep=2026-12-24"]
    );
    let change = cloud.requests().changes()[0].to_string();
    assert_eq!(change, format!("aws {ACCOUNT} CreateTags i-0a"));
}

#[tokio::test]
async fn tags_are_deleted_by_key_and_by_value_where_one_is_given() {
    let cloud = start().await;
    for (tag, left) in [
        ("&Tag.1.Key=owner&Tag.1.Value=bob", true),
        ("&Tag.1.Key=owner&Tag.1.Value=", true),
        ("&Tag.1.Key=Owner", true),
        ("&Tag.1.Key=owner&Tag.1.Value=alice", false),
    ] {
        assert_eq!(ask(&cloud, &format!("DeleteTags&ResourceId.1=i-0a{tag}")).await.status, 200);
        let owned = tags(&cloud).await.contains(&"owner=alice".to_owned());
        assert_eq!(owned, left, "{tag}");
    }
    ask(&cloud, "CreateTags&ResourceId.1=i-0a&Tag.1.Key=a&Tag.1.Value=1").await;
    ask(&cloud, "DeleteTags&ResourceId.1=i-0a&Tag.1.Key=a").await;
    ask(&cloud, "CreateTags&ResourceId.1=i-0a&Tag.1.Key=b&Tag.1.Value=1").await;
    ask(&cloud, "DeleteTags&ResourceId.1=i-0a").await;
    assert_eq!(tags(&cloud).await, ["aws:autoscaling:groupName=workers"]);
}

#[tokio::test]
async fn tags_that_cannot_be_are_refused_and_nothing_is_set() {
    let cloud = start().await;
    let long = "k".repeat(129);
    let many: Vec<_> = (1..=50).map(|n| format!("&Tag.{n}.Key=k{n}&Tag.{n}.Value=v")).collect();
    let many = many.concat();
    for (asked, code) in [
        ("CreateTags&ResourceId.1=i-0a".to_owned(), "MissingParameter"),
        ("CreateTags&Tag.1.Key=a&Tag.1.Value=b".to_owned(), "MissingParameter"),
        ("CreateTags&ResourceId.1=i-0b&Tag.1.Key=a".to_owned(), "InvalidInstanceID.NotFound"),
        ("CreateTags&ResourceId.1=i-0a&Tag.1.Key=aws:x".to_owned(), "InvalidParameterValue"),
        ("DeleteTags&ResourceId.1=i-0a&Tag.1.Key=aws:x".to_owned(), "InvalidParameterValue"),
        (format!("CreateTags&ResourceId.1=i-0a&Tag.1.Key={long}"), "InvalidParameterValue"),
        (format!("CreateTags&ResourceId.1=i-0a{many}"), "TagLimitExceeded"),
    ] {
        let refused = ask(&cloud, &asked).await;
        assert_eq!((refused.status, refused.text("Code").as_str()), (400, code), "{asked}");
    }
    assert_eq!(tags(&cloud).await, ["aws:autoscaling:groupName=workers", "owner=alice"]);
}
