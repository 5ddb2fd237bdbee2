//! The engine around a scripted cloud: time limits, doubles, pins, details that are missing. Time is
//! tokio's paused clock, so that hours pass at once.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod cloud;

use std::sync::Arc;
use std::time::Duration;

use reaper_budget::Month;
use reaper_engine::{
    Account, Assessed, Interrupt, Inventory, Limits, PriceBook, Progress, Silent, Watch, Yardstick,
    assess, collect, probe,
};
use reaper_model::document::{OwnerStatus, Verdict, WantedAction};
use reaper_model::{Listing, Span};
use reaper_policy::{Conditions, Policy, PolicySpec, RuleSpec};
use reaper_provider::{Consents, ErrorKind};

use crate::cloud::{Cloud, now};

fn account(name: &str, cloud: Cloud) -> Account {
    Account {
        name: name.into(),
        provider: Arc::new(cloud),
        expect_account: None,
        consents: Consents::default(),
    }
}

fn watch(scope: u64, run: u64) -> Watch {
    let limits = Limits {
        scope: Duration::from_secs(scope),
        run: Duration::from_secs(run),
        ..Limits::default()
    };
    Watch::start(limits, Interrupt::never())
}

async fn read(accounts: &[Account], watch: &Watch) -> Inventory {
    let silent: Arc<dyn Progress> = Arc::new(Silent);
    collect(accounts, watch, now(), &silent).await
}

/// Finds every machine without owner.
fn yardstick(watch: Watch) -> Yardstick {
    let when = Conditions { owner: vec![OwnerStatus::Absent], ..Conditions::default() };
    let rule = RuleSpec {
        name: "ownerless".to_owned(),
        when,
        except: None,
        action: WantedAction::Stop,
        notice: Span::ZERO,
    };
    Yardstick {
        policy: Arc::new(Policy::new(PolicySpec { rules: vec![rule], ..PolicySpec::default() })),
        prices: Arc::new(PriceBook::default()),
        sensors: Arc::default(),
        belongings: Arc::default(),
        whole_fleet: true,
        all_there: true,
        month: Month::holding(now(), chrono_tz::UTC),
        watch,
        now: now(),
    }
}

async fn judged(accounts: &[Account], watch: Watch) -> Vec<Assessed> {
    let mut inventory = read(accounts, &watch).await;
    assess(&mut inventory, accounts, &yardstick(watch)).await.machines
}

fn error(listing: &reaper_provider::InstanceListing) -> String {
    listing.error().map(ToString::to_string).unwrap_or_default()
}

#[tokio::test(start_paused = true)]
async fn what_was_read_before_the_scope_limit_is_kept_and_called_partial() {
    let accounts = [account("a", Cloud::new("1", ["r"]).machines(2).hangs_after_listing())];
    let inventory = read(&accounts, &watch(10, 1_000)).await;
    let Listing::Partial { got, error } = &inventory.scopes[0].listing else {
        panic!("{:?}", inventory.scopes[0].listing)
    };
    assert_eq!(got.len(), 2);
    assert_eq!(error.kind, ErrorKind::Timeout);
    assert!(error.to_string().contains("10 s, timeouts.scope"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn fl_066_the_run_limit_is_named_when_it_is_the_one_that_passed() {
    let accounts = [account("a", Cloud::new("1", ["r"]).hangs_after_listing())];
    let inventory = read(&accounts, &watch(300, 5)).await;
    let said = error(&inventory.scopes[0].listing);
    assert!(said.contains("5 s, timeouts.run or --timeout"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn fl_066_scopes_that_the_run_has_no_time_for_are_not_begun() {
    let regions: Vec<String> = (0..5).map(|number| format!("r-{number}")).collect();
    let cloud = Cloud::new("1", regions.iter().map(String::as_str)).hangs_after_listing();
    let limits =
        Limits { scope: Duration::from_mins(5), run: Duration::from_secs(5), scopes_at_once: 1 };
    let watch = Watch::start(limits, Interrupt::never());
    let inventory = read(&[account("a", cloud)], &watch).await;
    let said: Vec<String> = inventory.scopes.iter().map(|read| error(&read.listing)).collect();
    assert_eq!(said.len(), 5);
    assert!(said[1..].iter().all(|text| text.contains("not reached")), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_closer_look_that_hangs_ends_with_the_run_and_leaves_it_open() {
    let accounts = [account("a", Cloud::new("1", ["r"]).machines(3).hangs_at_details())];
    let begun = tokio::time::Instant::now();
    let machines = judged(&accounts, watch(300, 20)).await;
    assert!(begun.elapsed() <= Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!(machines.len(), 3);
    for machine in &machines {
        assert_eq!(machine.judgement.verdict, Verdict::Unjudged);
        assert!(machine.judgement.evidence_unread);
    }
}

#[tokio::test(start_paused = true)]
async fn an_adapter_that_forgets_a_candidate_does_not_make_it_unprotected() {
    let accounts = [account("a", Cloud::new("1", ["r"]).machines(2).forgets_details())];
    for machine in judged(&accounts, watch(10, 100)).await {
        assert_eq!(machine.judgement.verdict, Verdict::Unjudged);
        assert!(machine.judgement.why.contains("no detail"), "{}", machine.judgement.why);
    }
}

#[tokio::test(start_paused = true)]
async fn with_all_evidence_the_machine_is_an_orphan() {
    let accounts = [account("a", Cloud::new("1", ["r"]).machines(1))];
    let machines = judged(&accounts, watch(10, 100)).await;
    assert_eq!(machines[0].judgement.verdict, Verdict::Orphan);
}

#[tokio::test(start_paused = true)]
async fn fl_079_a_machine_that_two_accounts_show_is_kept_once() {
    let cloud = || Cloud::new("1", ["r"]).machines(2);
    let inventory = read(&[account("a", cloud()), account("b", cloud())], &watch(10, 100)).await;
    let counts: Vec<usize> = inventory.scopes.iter().map(|read| read.machines).collect();
    assert_eq!(counts, [2, 0]);
    assert_eq!(inventory.doubled.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn fl_078_one_wrong_pin_lists_nothing_and_names_every_place() {
    let right = account("a", Cloud::new("1", ["r", "s"]).machines(1));
    let wrong =
        Account { expect_account: Some("9".to_owned()), ..account("b", Cloud::new("2", ["r"])) };
    let inventory = read(&[right, wrong], &watch(10, 100)).await;
    assert!(inventory.scopes.is_empty());
    assert_eq!(inventory.skipped.len(), 2, "the right account's places are said");
    assert_eq!(inventory.wrong_accounts.len(), 1);
    assert!(inventory.identities.contains_key(&reaper_model::AccountName::new("a")));
    assert!(!inventory.is_whole());
}

#[tokio::test(start_paused = true)]
async fn fl_064_a_place_without_the_product_is_skipped_and_said() {
    let cloud = Cloud::new("1", ["r", "s"]).refuses_in("s", ErrorKind::NotEnabled);
    let inventory = read(&[account("a", cloud)], &watch(10, 100)).await;
    assert_eq!(inventory.scopes.len(), 1);
    assert_eq!(inventory.skipped.len(), 1);
    assert!(inventory.is_whole(), "nothing failed");
}

#[tokio::test(start_paused = true)]
async fn an_account_without_any_place_is_not_an_empty_one() {
    let cloud = Cloud::new("1", ["r", "s"])
        .refuses_in("r", ErrorKind::NotEnabled)
        .refuses_in("s", ErrorKind::NotEnabled);
    let inventory = read(&[account("a", cloud)], &watch(10, 100)).await;
    assert_eq!(inventory.failures.len(), 1);
    assert!(!inventory.is_whole());
}

#[tokio::test(start_paused = true)]
async fn a_probe_tells_what_an_audit_could_not_read_of_its_candidates() {
    let accounts = [account("a", Cloud::new("1", ["r"]).machines(3).forgets_details())];
    let watch = watch(10, 100);
    let mut inventory = read(&accounts, &watch).await;
    let gaps = probe(&mut inventory, &accounts, &watch, now()).await;
    let gaps: Vec<_> = gaps.values().flatten().collect();
    assert_eq!(gaps, ["the provider gave no detail"]);
    assert_eq!(inventory.scopes[0].listing.got().len(), 3, "the inventory is left as it is");
}
