//! What keeps a whole run from acting: pins, the brake, a dry run.

use std::collections::BTreeMap;

use reaper_engine::act::{Acting, carry_out};
use reaper_engine::{Clock, Interrupt, Journal, Watch};
use reaper_model::document::MailStatus;
use reaper_model::{ActionResult, Class};
use reaper_policy::Policy;
use reaper_provider::{Armed, Consents, Identity, Pinned, Refusal};
use tokio::sync::Mutex;

use crate::build::{machine, machines, money, tags};
use crate::house::{House, Says};

#[tokio::test(start_paused = true)]
async fn pinned_accounts_only_an_unpinned_account_is_reported() {
    let mut house = House::new(machines(2));
    house.pin = None;
    house.run().await;
    house.wait("96h");
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.planned(), [""; 0]);
    assert!(ran.has(Class::Refused));
    let why = ran.machine("i-1").action.why.as_deref().unwrap_or_default();
    assert!(why.contains("expect_account"), "{why}");
    for letter in house.letters.got() {
        assert!(letter.key.starts_with("found-"), "a mail promised a stop: {}", letter.key);
    }
}

#[tokio::test(start_paused = true)]
async fn pinned_accounts_only_another_account_stops_everything() {
    let mut house = House::due(machines(2)).await;
    let before = house.state().await;
    let told = house.letters.got();
    house.pin = Some("444455556666".to_owned());
    let ran = house.run().await;
    assert_eq!(house.cloud.calls(), [], "not even a listing");
    assert!(ran.has(Class::Refused));
    assert_eq!(house.letters.got(), told);
    let after = house.state().await;
    assert!(before.machines().eq(after.machines()), "the history stays");
}

#[tokio::test(start_paused = true)]
async fn pinned_accounts_only_a_step_without_arms_is_skipped() {
    let house = House::due(machines(1)).await;
    let plan = house.dry().await.plan;
    assert_eq!(plan.steps.len(), 1);
    let watch = Watch::start(house.limits, Interrupt::never());
    let journal = Mutex::new(Journal::Kept(Box::new(house.ledger().await)));
    let policy = Policy::new(house.settings.policy.clone());
    let acting = Acting {
        arms: &BTreeMap::new(),
        policy: &policy,
        sensors: &reaper_engine::Sensors::default(),
        suspects: &reaper_policy::Suspects::default(),
        clock: Clock::running(house.now),
        watch: &watch,
        interrupt: &Interrupt::never(),
        limits: house.settings.act,
        hook: None,
        journal: &journal,
        plan: &plan.digest,
    };
    house.cloud.forget_calls();
    let acted = carry_out(&acting, &plan.steps).await;
    assert_eq!(acted.len(), 1);
    assert_eq!(acted[0].result, Some(ActionResult::SkippedChanged));
    assert_eq!(house.cloud.calls(), []);
}

#[test]
fn pinned_accounts_only_nobody_else_gets_arms() {
    let identity = Identity { account: "1".into(), login: "tester".to_owned() };
    let pin = |pin| Pinned::compare(&"research".into(), &"aws".into(), pin, &identity);
    assert!(matches!(pin(None), Err(Refusal::NotPinned { .. })));
    assert!(matches!(pin(Some("2")), Err(Refusal::WrongAccount { .. })));
    let pinned = pin(Some("1")).expect("is the one");
    let disarmed = Armed::new(pinned.clone(), Consents::default(), false);
    assert_eq!(disarmed, Err(Refusal::NotEnforcing));
    assert!(Armed::new(pinned, Consents::default(), true).is_ok());
}

#[tokio::test(start_paused = true)]
async fn brake_stops_everything_over_any_of_its_bounds() {
    type Bound = fn(&mut reaper_plan::Limits);
    let bounds: [Bound; 3] = [
        |limits| limits.max_actions = 2,
        |limits| limits.max_share = 50.into(),
        |limits| limits.max_hourly_value = money("10 EUR"),
    ];
    for bound in bounds {
        let mut house = House::due(machines(3)).await;
        bound(&mut house.settings.limits);
        let ran = house.run().await;
        assert_eq!(ran.planned(), ["i-1", "i-2", "i-3"], "the plan is shown");
        assert!(ran.plan.brake.holds());
        assert_eq!(house.cloud.acts(), [""; 0], "never the first few");
        assert!(ran.has(Class::Refused));

        house.orders.expect = Some(2);
        house.run().await;
        assert_eq!(house.cloud.acts(), [""; 0], "another number was looked at");

        house.orders.expect = Some(3);
        let ran = house.run().await;
        house.cloud.keeps_the_laws();
        assert_eq!(house.cloud.acts(), ["i-1", "i-2", "i-3"]);
        assert!(!ran.has(Class::Refused));
    }
}

#[tokio::test(start_paused = true)]
async fn brake_stops_everything_also_in_a_plan_that_is_applied() {
    let mut house = House::due(machines(3)).await;
    let plan = house.dry().await.plan;
    assert!(!plan.brake.holds());
    house.settings.limits.max_actions = 2;
    let ran = house.apply(plan).await;
    assert_eq!(house.cloud.acts(), [""; 0], "the limits of today count");
    assert!(ran.has(Class::Refused));
}

#[tokio::test(start_paused = true)]
async fn brake_stops_everything_whose_price_is_not_known() {
    let house = House::due(machines(2)).await;
    house.cloud.without_prices();
    let ran = house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert_eq!(ran.planned(), [""; 0]);
    let why = ran.machine("i-1").action.why.as_deref().unwrap_or_default();
    assert!(why.contains("price is not known"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn dry_is_dry_and_decides_what_a_real_run_does() {
    let house = House::due(machines(2)).await;
    let mut new = machine("i-9");
    new.tags = tags(&[("owner", "bob")]);
    house.cloud.add(new);
    let bytes = house.disk.everything().await;
    let told = house.letters.got();

    let dry = house.dry().await;
    assert_eq!(house.disk.everything().await, bytes, "byte for byte");
    assert_eq!(house.letters.got(), told, "no mail");
    assert_eq!(house.cloud.acts(), [""; 0], "no call");
    let due: Vec<_> = dry.document.mails.iter().map(|mail| (&mail.to, mail.status)).collect();
    assert_eq!(due, [(&"bob@example.org".to_owned(), MailStatus::Due)]);

    let ran = house.run().await;
    assert_eq!(dry.plan.steps, ran.plan.steps);
    assert_eq!(house.cloud.acts(), dry.planned(), "the planned set is the acted set");
    let keys = |ran: &reaper_engine::Ran| -> Vec<String> {
        ran.document.mails.iter().map(|mail| mail.key.clone()).collect()
    };
    assert_eq!(keys(&dry), keys(&ran));
    assert_eq!(house.letters.to().last().map(String::as_str), Some("bob@example.org"));
}

#[tokio::test(start_paused = true)]
async fn dry_is_dry_without_any_ledger() {
    let house = House::new(machines(1));
    let dry = house.dry().await;
    assert!(house.disk.everything().await.is_empty());
    assert_eq!(dry.document.mails.len(), 1);
    assert_eq!(house.letters.got(), []);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_may_not_act_does_all_but_that() {
    let mut house = House::new(machines(1));
    house.orders.enforces = false;
    house.orders.acts = false;
    house.run().await;
    house.wait("96h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    let keys = house.letters.keys();
    assert_eq!(keys.len(), 1);
    assert!(keys[0].starts_with("found-"), "a mail promised a stop: {}", keys[0]);

    // Enforcing begins: its own notice, and the whole period.
    house.orders.enforces = true;
    house.orders.acts = true;
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    assert!(house.letters.keys().last().is_some_and(|key| key.starts_with("stop-")));
    house.wait("73h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    house.cloud.keeps_the_laws();
}
