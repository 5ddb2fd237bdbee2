//! Listings in pages.

use reaper_simcloud::aws::{Account, Instance, Quirk};
use reaper_simcloud::{SimCloud, World};

use crate::client::{ACCOUNT, EC2, KEY, call};
use crate::small_world::ec2;

fn fleet(count: usize) -> World {
    let mut world = World::default();
    world.aws.add_account(Account::new(ACCOUNT, KEY)).expect("a new account");
    world.aws.fleet(ACCOUNT, "eu-west-1", count, |_, machine| machine).expect("a new fleet");
    world
}

/// What every page of a listing holds in elements of that name.
async fn pages(cloud: &SimCloud, action: &str, element: &str) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut token = String::new();
    loop {
        let page = call(cloud.addr(), EC2, &ec2(&format!("{action}{token}"))).await;
        pages.push(page.texts(element));
        match page.texts("nextToken").first() {
            Some(next) => token = format!("&NextToken={}", next.replace('|', "%7C")),
            None => return pages,
        }
    }
}

fn sizes(pages: &[Vec<String>]) -> Vec<usize> {
    pages.iter().map(Vec::len).collect()
}

#[tokio::test]
async fn pages_count_machines_and_end_without_a_token() {
    let cloud = SimCloud::start(fleet(25)).await.expect("a free port");
    let found = pages(&cloud, "DescribeInstances&MaxResults=10", "instanceId").await;
    assert_eq!(sizes(&found), [10, 10, 5]);
    let mut ids = found.concat();
    ids.dedup();
    assert_eq!(ids.len(), 25);
    let full = pages(&cloud, "DescribeInstances&MaxResults=25", "instanceId").await;
    assert_eq!(sizes(&full), [25], "a full last page needs no further one");
    let whole = pages(&cloud, "DescribeInstances", "instanceId").await;
    assert_eq!(sizes(&whole), [25], "who asks for no pages gets none");
}

#[tokio::test]
async fn types_come_a_hundred_to_a_page() {
    let cloud = SimCloud::start(fleet(0)).await.expect("a free port");
    let found = pages(&cloud, "DescribeInstanceTypes", "instanceType").await;
    assert_eq!(sizes(&found), [100, 16]);
    assert!(found.concat().is_sorted());
}

#[tokio::test]
async fn fl_014_pages_can_be_short_and_empty_and_still_have_a_token() {
    let mut world = fleet(5);
    world.aws.add_quirk(Quirk { empty_pages: 2, page_limit: Some(3), ..Quirk::default() });
    let cloud = SimCloud::start(world).await.expect("a free port");
    let found = pages(&cloud, "DescribeInstances&MaxResults=1000", "instanceId").await;
    assert_eq!(sizes(&found), [0, 0, 3, 2]);
}

#[tokio::test]
async fn a_listing_can_be_without_end() {
    let mut world = fleet(1);
    world.aws.add_quirk(Quirk { repeats_token: true, ..Quirk::default() });
    let cloud = SimCloud::start(world).await.expect("a free port");
    for token in ["", "&NextToken=again"] {
        let page = call(cloud.addr(), EC2, &ec2(&format!("DescribeInstances{token}"))).await;
        assert_eq!(page.text("nextToken"), "again");
        assert_eq!(page.texts("instanceId").len(), 1);
    }
}

#[tokio::test]
async fn tags_are_paged_through_the_middle_of_a_machine() {
    let cloud = SimCloud::start(fleet(3)).await.expect("a free port");
    let found = pages(&cloud, "DescribeTags&MaxResults=5", "key").await;
    assert_eq!(sizes(&found), [5, 5, 2]);
    assert_eq!(found.concat(), ["Name", "cost-center", "owner", "project"].repeat(3));
}

#[tokio::test]
async fn machines_of_one_reservation_are_listed_together() {
    let mut world = fleet(0);
    for id in ["i-1", "i-2", "i-3"] {
        let mut machine = Instance::new(ACCOUNT, "eu-west-1", id, "g5.xlarge");
        machine.reservation = (id != "i-3").then(|| "r-1".to_owned());
        world.aws.add_instance(machine).expect("a new machine");
    }
    let cloud = SimCloud::start(world).await.expect("a free port");
    let answer = call(cloud.addr(), EC2, &ec2("DescribeInstances")).await;
    assert_eq!(answer.texts("reservationId"), ["r-1", "r-3"]);
    assert_eq!(answer.texts("instanceId"), ["i-1", "i-2", "i-3"]);
}
