//! The adapter over the real wire, against a scripted EC2 and against the simulated one.

#![expect(clippy::expect_used, reason = "a test says by panic what it found")]

mod account;
mod acting;
mod acting_on_simcloud;
mod assets;
mod billing;
mod details;
mod listing;
mod metrics;
mod permits;
mod prices;
mod reading;
mod simcloud;
mod stage;
mod support;

use reaper_aws::AwsProvider;
use reaper_provider::{AccountSettings, Surroundings};

fn open(settings: AccountSettings) -> AwsProvider {
    AwsProvider::open(settings, Surroundings::NONE).expect("opens")
}
