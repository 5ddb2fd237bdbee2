//! Notices on their way: whoever cannot be told is replaced, whoever was told is not told again,
//! and only what was taken counts.

use std::pin::pin;
use std::time::Duration;

use chrono::TimeDelta;
use reaper_engine::RunError;
use reaper_ledger::state::{Message, Step};
use reaper_model::document::{MailStatus, OwnerStatus, WantedAction};
use reaper_model::{Class, NoticeStep, Phase};
use reaper_policy::{Conditions, RuleSpec};
use reaper_provider::Consents;
use tokio::time::Instant;

use crate::build::{id, machine, machine_in, machines, tags};
use crate::cloud::Call;
use crate::house::Says as _;
use crate::house::{ALICE, FALLBACK, House, until};
use crate::letters::Says;

fn statuses(ran: &reaper_engine::Ran) -> Vec<(&str, MailStatus)> {
    ran.document.mails.iter().map(|mail| (mail.to.as_str(), mail.status)).collect()
}

#[tokio::test(start_paused = true)]
async fn no_action_before_notice_and_its_whole_period() {
    let mut house = House::new(machines(1));
    house.run().await;
    assert_eq!(house.letters.to(), [ALICE]);
    assert!(house.letters.got()[0].text.contains("3 Dec"), "{}", house.letters.got()[0].text);
    for _ in 0..11 {
        house.wait("6h");
        house.run().await;
    }
    assert_eq!(house.cloud.acts(), [""; 0], "66 of 72 hours");
    house.wait("5h59m");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0], "one minute is missing");
    house.wait("1m");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(house.letters.to(), [ALICE], "told once");
}

#[tokio::test(start_paused = true)]
async fn an_unknown_recipient_is_replaced_by_the_fallback_in_the_same_run() {
    let mut house = House::new(machines(2));
    house.letters.says(ALICE, [Says::Nobody]);
    let ran = house.run().await;
    assert_eq!(house.letters.to(), [ALICE, FALLBACK]);
    assert_eq!(statuses(&ran), [(ALICE, MailStatus::Rejected), (FALLBACK, MailStatus::Accepted)]);
    assert!(ran.has(Class::Undelivered));
    let text = &house.letters.got()[1].text;
    assert!(text.contains("notebook-i-1") && text.contains("notebook-i-2"), "{text}");

    house.wait("24h");
    let ran = house.run().await;
    assert_eq!(house.letters.to(), [ALICE, FALLBACK], "nobody is told again");
    assert!(!ran.has(Class::Undelivered));
    house.wait("49h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1", "i-2"], "the fallback's acceptance counts");
}

#[tokio::test(start_paused = true)]
async fn a_recipient_who_is_busy_gets_the_same_mail_in_the_next_run() {
    let mut house = House::new(machines(1));
    house.letters.says(ALICE, [Says::Later, Says::Later]);
    let ran = house.run().await;
    assert_eq!(house.letters.to(), [ALICE], "once a run, and no fallback");
    assert_eq!(statuses(&ran), [(ALICE, MailStatus::Deferred)]);
    assert!(ran.has(Class::Undelivered));
    house.wait("24h");
    house.run().await;
    house.wait("24h");
    let ran = house.run().await;
    assert_eq!(statuses(&ran), [(ALICE, MailStatus::Accepted)]);
    let keys = house.letters.keys();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]), "one key: {keys:?}");
    // The period counts from the acceptance, two days after the first attempt.
    house.wait("71h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0]);
    house.wait("2h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_us_says_nothing_about_the_recipient() {
    let mut house = House::new(machines(1));
    house.letters.says(ALICE, [Says::NotYou]);
    let ran = house.run().await;
    assert_eq!(house.letters.to(), [ALICE], "no fallback for our own fault");
    assert_eq!(statuses(&ran), [(ALICE, MailStatus::Deferred)]);
    house.wait("24h");
    house.run().await;
    assert_eq!(house.letters.to(), [ALICE, ALICE]);
}

#[tokio::test(start_paused = true)]
async fn a_mail_that_was_possibly_sent_does_not_count_and_keeps_its_key() {
    let mut house = House::new(machines(1));
    house.letters.says(ALICE, [Says::Perhaps]);
    let ran = house.run().await;
    assert_eq!(statuses(&ran), [(ALICE, MailStatus::PossiblySent)]);
    assert!(ran.has(Class::Undelivered));
    house.wait("96h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0], "perhaps told is not told");
    let keys = house.letters.keys();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
    house.wait("73h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
}

#[tokio::test(start_paused = true)]
async fn an_intent_left_by_a_dead_run_is_sent_again_under_its_key() {
    let mut house = House::new(machines(1));
    house.letters.says(ALICE, [Says::Nothing]);
    {
        let mut run = pin!(house.attempt());
        until(run.as_mut(), || !house.letters.got().is_empty()).await;
    }
    let key = house.letters.keys().remove(0);
    let step = house.state().await.notice(&key).map(|notice| notice.step.clone());
    assert_eq!(step, Some(Step::Intended));
    assert!(matches!(house.attempt().await, Err(RunError::Locked(_))), "its lease still holds");

    house.wait("2h");
    house.run().await;
    assert_eq!(house.letters.keys(), [key.clone(), key.clone()]);
    let accepted = house.state().await.notice(&key).and_then(Message::accepted_at);
    assert_eq!(accepted, Some(house.now));
}

#[tokio::test(start_paused = true)]
async fn a_mail_whose_intent_cannot_be_recorded_is_not_sent() {
    let house = House::new(machines(1));
    house.disk.refuse("\"kind\":\"notice\"", 1);
    assert!(matches!(house.attempt().await, Err(RunError::State(_))));
    assert_eq!(house.letters.got(), []);
}

#[tokio::test(start_paused = true)]
async fn an_acceptance_that_cannot_be_recorded_is_sent_again_under_its_key() {
    let mut house = House::new(machines(1));
    house.disk.refuse("\"step\":\"accepted\"", 1);
    assert!(matches!(house.attempt().await, Err(RunError::State(_))));
    house.wait("2h");
    house.run().await;
    let keys = house.letters.keys();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test(start_paused = true)]
async fn fl_138_one_mail_for_all_machines_of_a_person_and_none_again() {
    let mut fleet: Vec<_> =
        (1..=5).map(|n| machine_in(&format!("r-{n}"), &format!("i-{n}"))).collect();
    let mut other = machine("i-9");
    other.tags = tags(&[("owner", "Bob@Example.org")]);
    fleet.push(other);
    let mut house = House::new(fleet);
    house.orders.enforces = false;
    house.orders.acts = false;
    house.run().await;
    assert_eq!(house.letters.to().len(), 2, "{:?}", house.letters.to());
    let got = house.letters.got();
    let hers = got.iter().find(|letter| letter.to == ALICE).expect("Alice is told");
    for native in 1..=5 {
        assert!(hers.text.contains(&format!("notebook-i-{native}")), "{}", hers.text);
    }
    assert!(!hers.text.contains("notebook-i-9"), "it is not hers");
    for _ in 0..6 {
        house.wait("24h");
        house.run().await;
    }
    assert_eq!(house.letters.to().len(), 2, "not before remind_every");
    house.wait("24h");
    house.run().await;
    assert_eq!(house.letters.to().len(), 4, "then once more");
    let keys = house.letters.keys();
    assert_ne!(keys[0], keys[2], "a reminder is another mail");
}

#[tokio::test(start_paused = true)]
async fn no_mail_begins_after_an_interrupt() {
    let mut house = House::new(vec![machine("i-1")]);
    house.cloud.raise_at(Call::List("r-1".to_owned()), 1);
    let ran = house.run().await;
    assert!(ran.document.interrupted);
    assert_eq!(house.letters.got(), []);
    house.wait("1h");
    house.run().await;
    assert_eq!(house.letters.to(), [ALICE], "the next run tells her");
}

#[tokio::test(start_paused = true)]
async fn a_mail_on_its_way_is_waited_for_a_while_after_an_interrupt() {
    let bob = "bob@example.org";
    for (says, status) in
        [(Says::Yes, MailStatus::Accepted), (Says::Nothing, MailStatus::PossiblySent)]
    {
        let mut other = machine("i-2");
        other.tags = tags(&[("owner", "bob")]);
        let mut house = House::new(vec![machine("i-1"), other]);
        house.letters.says(ALICE, [says]);
        let begun = Instant::now();
        let ran = {
            let mut run = pin!(house.attempt());
            until(run.as_mut(), || house.letters.to() == [ALICE]).await;
            house.cloud.interrupt();
            run.await.expect("comes to its document")
        };
        assert!(begun.elapsed() <= Duration::from_secs(7), "{:?}", begun.elapsed());
        assert_eq!(statuses(&ran), [(ALICE, status), (bob, MailStatus::Deferred)]);
        assert_eq!(house.letters.to(), [ALICE], "nothing new is begun");

        house.wait("1h");
        house.run().await;
        let keys = house.letters.keys();
        if status == MailStatus::Accepted {
            assert_eq!(house.letters.to(), [ALICE, bob]);
        } else {
            assert_eq!(house.letters.to(), [ALICE, ALICE, bob]);
            assert_eq!(keys[0], keys[1]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_to_tell_is_said_and_never_acted_upon() {
    let mut stray = machine("i-1");
    stray.tags = tags(&[]);
    let mut house = House::new(vec![stray]);
    house.settings.routing.fallback = None;
    house.run().await;
    house.wait("200h");
    let ran = house.run().await;
    assert_eq!(house.letters.got(), []);
    assert_eq!(house.cloud.acts(), [""; 0]);
    let why = ran.machine("i-1").action.why.as_deref().unwrap_or_default();
    assert!(why.contains("nobody can be told"), "{why}");
}

#[tokio::test(start_paused = true)]
async fn an_owner_elsewhere_is_not_written_to() {
    let mut foreign = machine("i-1");
    foreign.tags = tags(&[("owner", "mallory@example.com")]);
    let house = House::new(vec![foreign]);
    house.run().await;
    assert_eq!(house.letters.to(), [FALLBACK]);
}

#[tokio::test(start_paused = true)]
async fn a_finding_that_was_fixed_and_comes_back_is_told_of_anew() {
    let mut house = House::new(machines(1));
    let rule = &mut house.settings.policy.rules[0];
    rule.when = Conditions { owner: vec![OwnerStatus::Absent], ..rule.when.clone() };
    house.cloud.edit("i-1", |machine| machine.tags = tags(&[]));
    house.run().await;
    assert_eq!(house.letters.to(), [FALLBACK]);
    house.wait("48h");
    house.cloud.edit("i-1", |machine| machine.tags = tags(&[("owner", "alice")]));
    house.run().await;
    assert!(house.state().await.machine(&id("i-1")).is_some_and(|m| m.cases.is_empty()));
    house.wait("23h");
    house.cloud.edit("i-1", |machine| machine.tags = tags(&[]));
    house.run().await;
    house.wait("24h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0], "the old notice is worth nothing");
    assert_eq!(house.letters.to(), [FALLBACK, FALLBACK]);
    let state = house.state().await;
    let case = &state.machine(&id("i-1")).expect("is remembered").cases["forgotten"];
    assert_eq!(case.phase, Phase::Noticed);
    assert!(case.due_at.is_some_and(|due| due - house.now >= TimeDelta::hours(48)));
    assert!(state.notices().all(|(_, notice)| notice.intent.step == NoticeStep::Stop));
}

#[tokio::test(start_paused = true)]
async fn who_was_told_of_a_stop_is_told_of_a_termination_before_there_is_one() {
    let mut house = House::new(machines(1));
    house.settings.policy.rules[0].action = WantedAction::Terminate;
    house.run().await;
    assert!(house.letters.got()[0].text.contains("will be stopped"), "nobody has consented");
    house.wait("71h");
    house.consents = Consents { terminate: true, local_data_loss: false };
    house.run().await;
    let letters = house.letters.got();
    assert_eq!(letters.len(), 2);
    assert_ne!(letters[0].key, letters[1].key);
    assert!(letters[1].text.contains("will be terminated"), "{}", letters[1].text);
    house.wait("71h");
    house.run().await;
    assert_eq!(house.cloud.acts(), [""; 0], "its own period is not over");
    house.wait("1h");
    house.run().await;
    assert_eq!(house.cloud.acts(), ["i-1"]);
    assert_eq!(house.letters.to(), [ALICE, ALICE]);
}

#[tokio::test(start_paused = true)]
async fn a_mail_names_the_action_of_its_own_rule() {
    let mut house = House::new(machines(1));
    house.consents = Consents { terminate: true, local_data_loss: false };
    let stops = house.settings.policy.rules[0].clone();
    let (name, action) = ("old".to_owned(), WantedAction::Terminate);
    house.settings.policy.rules = vec![RuleSpec { name, action, ..stops.clone() }];
    house.run().await;
    house.settings.policy.rules.push(stops);
    house.run().await;
    let texts: Vec<_> = house.letters.got().into_iter().map(|letter| letter.text).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts[0].contains("will be terminated"), "{}", texts[0]);
    assert!(texts[1].contains("will be stopped"), "{}", texts[1]);
    assert!(!texts[1].contains("will be terminated"), "{}", texts[1]);
}
