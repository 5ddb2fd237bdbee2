//! One test for each file of `tests/scenarios`.

use std::collections::BTreeSet;

use super::story::{folder, tell};

macro_rules! scenarios {
    ($($name:ident)+) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                tell(stringify!($name)).await;
            }
        )+

        #[test]
        fn every_scenario_is_told() {
            let there: BTreeSet<String> = std::fs::read_dir(folder())
                .expect("the folder of the scenarios")
                .map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8"))
                .collect();
            let told = BTreeSet::from([$(concat!(stringify!($name), ".txt").to_owned()),+]);
            assert_eq!(there, told);
        }
    };
}

scenarios! {
    asked_to_come_back
    aws_over_days
    brake
    changed_at_the_last_moment
    crashed_in_the_middle
    exempted_since_the_plan
    fixed_in_time
    gone_before_the_call
    hooks
    idle_by_evidence
    idle_no_more
    interrupted
    inventory_fell
    kept
    lambda_is_only_reported
    lambda_over_days
    lie
    local_data
    mail_server_down
    ovhcloud_over_days
    owner_has_left
    owners_own_rule
    perhaps_delivered
    plan_and_apply
    plans_that_are_refused
    protected_at_the_provider
    refused_by_the_provider
    reporting_first
    scaleway_over_days
    several_owners
    spot_in_a_batch
    stuck
    tug_of_war
    twin
    unpinned_account
    wrong_account
}
