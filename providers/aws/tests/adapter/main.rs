//! The adapter over the real wire against a scripted EC2.

#![expect(clippy::expect_used, reason = "a test says by panic what it found")]

mod account;
mod details;
mod listing;
mod support;

use reaper_aws::AwsProvider;
use reaper_provider::{AccountSettings, Surroundings};

fn open(settings: AccountSettings) -> AwsProvider {
    AwsProvider::open(settings, Surroundings::NONE).expect("opens")
}
