//! What a whole account costs in requests, on the simulated cloud.

use reaper_aws::AwsProvider;
use reaper_model::Location;
use reaper_provider::{AccountSettings, CallContext, Provider, RequestCounter, Sink, Surroundings};
use reaper_simcloud::aws::Account;
use reaper_simcloud::{SimCloud, World};

const ACCOUNT: &str = "111122223333";
const REGIONS: [&str; 4] = ["eu-west-1", "eu-west-2", "us-east-1", "us-east-2"];

async fn cloud(regions: &[&str], machines: usize, kind: &str) -> SimCloud {
    let mut world = World::default();
    world.aws.add_account(Account::new(ACCOUNT, "AKIAEXAMPLE")).expect("a new account");
    for region in regions {
        let fleet = world.aws.fleet(ACCOUNT, region, machines, |number, mut machine| {
            if number > 0 {
                kind.clone_into(&mut machine.instance_type);
            }
            machine
        });
        fleet.expect("new machines");
    }
    SimCloud::start(world).await.expect("a free port")
}

fn open(cloud: &SimCloud, options: &[(&str, &str)]) -> AwsProvider {
    let mut settings = AccountSettings::named("research");
    settings.endpoint_url = Some(cloud.base_url("aws"));
    settings.locations = REGIONS.map(Location::new).to_vec();
    for (key, value) in [("access_key_id", "AKIAEXAMPLE"), ("secret_access_key", "test")] {
        settings.credentials.insert(key.to_owned(), value.to_owned().into());
    }
    for (key, value) in options {
        settings.options.insert((*key).to_owned(), (*value).to_owned());
    }
    AwsProvider::open(settings, Surroundings::NONE).expect("opens")
}

/// Machines of all regions, and the requests that they took.
async fn audit(provider: &AwsProvider) -> (usize, u32) {
    let cx = CallContext {
        now: "2026-11-30T12:00:00Z".parse().expect("a time"),
        requests: RequestCounter::default(),
    };
    let identity = provider.identity(&cx).await.expect("an identity");
    assert_eq!(identity.account.as_str(), ACCOUNT);
    let mut machines = 0;
    for region in provider.coverage(&cx).await.expect("regions").locations {
        let mut sink = Sink::new(&|_| ());
        let ended = provider.list(&cx, &identity, &region, &mut sink).await;
        ended.expect("listed");
        machines += sink.machines().len();
    }
    (machines, cx.requests.sent())
}

#[tokio::test]
async fn four_regions_of_a_hundred_machines_take_one_request_each_and_two_for_the_account() {
    let cloud = cloud(&REGIONS, 100, "g5.xlarge").await;
    assert_eq!(audit(&open(&cloud, &[])).await, (400, 6));
    let unnamed = [("name_uncovered_regions", "false")];
    assert_eq!(audit(&open(&cloud, &unnamed)).await, (400, 5));
}

#[tokio::test]
async fn a_big_fleet_without_accelerators_is_filtered_unless_forbidden() {
    let cloud = cloud(&REGIONS[..1], 3500, "m5.large").await;
    let asked = || cloud.requests().of("DescribeInstances").len();
    assert_eq!(audit(&open(&cloud, &[])).await.0, 1);
    assert_eq!(asked(), 2 + 3, "a full page, a filtered one, and three empty regions");
    let unfiltered = [("server_side_filter", "false")];
    assert_eq!(audit(&open(&cloud, &unfiltered)).await.0, 1);
    assert_eq!(asked(), 5 + 4 + 3, "four pages more, and three empty regions");
}
