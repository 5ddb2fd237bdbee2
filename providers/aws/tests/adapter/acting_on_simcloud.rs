//! Calls that change something, on the simulated cloud: what becomes of the machines, and what is
//! said when the wire breaks.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reaper_aws::AwsProvider;
use reaper_model::{Instance as Machine, InstanceId, Meter, ProviderName, State, Verb};
use reaper_provider::{
    AccountSettings, CallContext, Consents, Delivery, ErrorKind, Provider, ProviderError, Refusal,
    allowed,
};
use reaper_simcloud::aws::{Account, Instance, Spot};
use reaper_simcloud::{Act, Effect, Fault, Outcome, SimCloud, World};

use crate::open;
use crate::permits::{permit, tag_permit};
use crate::support::{context, identity};

const ACCOUNT: &str = "111122223333";
const REGION: &str = "eu-west-1";
const ID: &str = "i-0000000000000001a";

/// A machine that has run for a month.
fn instance() -> Instance {
    let launched: DateTime<Utc> = "2026-11-01T10:00:00Z".parse().expect("a time");
    Instance::new(ACCOUNT, REGION, ID, "g4dn.xlarge")
        .launched(reaper_simcloud::When::At(launched))
        .tag("project", "atlas")
}

fn spot(kind: &str, launch_group: Option<&str>) -> Instance {
    let mut machine = instance();
    machine.spot = Some(Spot {
        kind: kind.to_owned(),
        state: "active".to_owned(),
        request: "sir-1".to_owned(),
        launch_group: launch_group.map(str::to_owned),
    });
    machine
}

/// The cloud with its only machine, and an adapter.
struct Stage {
    cloud: SimCloud,
    provider: AwsProvider,
    cx: CallContext,
}

impl Stage {
    async fn with(machine: Instance) -> Self {
        let mut world = World::default();
        world.clock.set(context().now);
        world.aws.add_account(Account::new(ACCOUNT, "AKIAEXAMPLE")).expect("a new account");
        world.aws.add_instance(machine).expect("a new machine");
        let cloud = SimCloud::start(world).await.expect("a free port");
        let provider = open(settings(&cloud));
        Self { cloud, provider, cx: context() }
    }

    async fn read(&self) -> Result<Machine, ProviderError> {
        self.provider.read(&self.cx, &identity(), &id()).await
    }

    async fn act(&self, verb: Verb) -> Result<(), ProviderError> {
        let machine = self.read().await.expect("there");
        self.provider.act(&self.cx, permit(&machine, verb)).await
    }

    /// Operations that changed something, in order.
    fn changes(&self) -> Vec<String> {
        self.cloud.requests().changing().iter().map(|entry| entry.call.operation.clone()).collect()
    }
}

fn settings(cloud: &SimCloud) -> AccountSettings {
    let mut settings = crate::support::settings(&cloud.base_url("aws"));
    settings.credentials.insert("access_key_id".to_owned(), "AKIAEXAMPLE".into());
    // Of more attempts than one, an action makes no use.
    settings.limits.attempts = 3;
    settings
}

fn id() -> InstanceId {
    InstanceId {
        provider: ProviderName::new("aws"),
        account: ACCOUNT.into(),
        location: REGION.into(),
        native: ID.to_owned(),
    }
}

#[tokio::test]
async fn a_stop_ends_the_bill_and_what_stays_charged_is_still_shown() {
    let stage = Stage::with(instance().act(Act::reads(1))).await;
    assert_eq!(stage.act(Verb::Stop).await, Ok(()));
    let under_way = stage.read().await.expect("there");
    assert_eq!(under_way.state, State::Stopping);
    let stopped = stage.read().await.expect("there");
    assert_eq!((stopped.state, stopped.meter), (State::Stopped, Meter::StoppedFree));
    assert_eq!(stage.changes(), ["StopInstances"]);
}

#[tokio::test]
async fn fl_037_one_time_spot_is_terminated_and_a_stop_of_it_would_be_refused() {
    let stage = Stage::with(spot("one-time", None)).await;
    let machine = stage.read().await.expect("there");
    let everything = Consents { terminate: true, local_data_loss: true };
    let refusal = allowed(&machine, Verb::Stop, everything).expect_err("cannot be stopped");
    assert!(matches!(refusal, Refusal::NoCall { .. }), "{refusal}");
    assert_eq!(stage.act(Verb::Terminate).await, Ok(()));
    assert_eq!(stage.read().await.expect("a ghost").state, State::Ended);
    assert_eq!(stage.changes(), ["TerminateInstances"]);
}

#[tokio::test]
async fn spot_of_a_launch_group_is_objected_to_and_persistent_spot_is_stopped() {
    let grouped = Stage::with(spot("persistent", Some("trainers"))).await;
    let objections = grouped.read().await.expect("there").stop.objections;
    assert!(objections.iter().any(|one| one.contains("group")), "{objections:?}");

    let alone = Stage::with(spot("persistent", None)).await;
    assert!(alone.read().await.expect("there").stop.objections.is_empty());
    assert_eq!(alone.act(Verb::Stop).await, Ok(()));
    let stopped = alone.read().await.expect("there");
    assert_eq!(stopped.state, State::Stopped);
    let offer = stopped.stop;
    assert_eq!(offer.kind, reaper_model::StopKind::Deallocate, "its request waits: {offer:?}");
}

#[tokio::test]
async fn fl_039_protection_is_told_and_never_lifted() {
    let mut machine = instance();
    machine.disable_api_stop = true;
    let stage = Stage::with(machine).await;
    for verb in [Verb::Stop, Verb::Terminate] {
        let error = stage.act(verb).await.expect_err("protected");
        assert_eq!((error.kind, error.delivery), (ErrorKind::Protected, Delivery::Answered));
    }
    assert_eq!(stage.changes(), ["StopInstances", "TerminateInstances"]);
    assert_eq!(stage.read().await.expect("there").state, State::Running);
}

#[tokio::test]
async fn fl_042_what_was_taken_and_not_done_is_seen_by_the_next_read() {
    let stage = Stage::with(instance().act(Act::outcome(Outcome::Lie))).await;
    assert_eq!(stage.act(Verb::Stop).await, Ok(()), "taken");
    let machine = stage.read().await.expect("there");
    assert_eq!((machine.state, machine.meter), (State::Running, Meter::Running));
}

#[tokio::test]
async fn fl_045_a_machine_that_went_meanwhile_is_not_found_and_a_stopped_one_is_no_error() {
    let gone = Stage::with(instance().act(Act::outcome(Outcome::Gone))).await;
    let error = gone.act(Verb::Stop).await.expect_err("gone");
    assert_eq!(error.kind, ErrorKind::NotFound);

    let stage = Stage::with(instance()).await;
    let machine = stage.read().await.expect("there");
    for _ in 0..2 {
        let permit = permit(&machine, Verb::Stop);
        assert_eq!(stage.provider.act(&stage.cx, permit).await, Ok(()));
    }
    assert_eq!(stage.read().await.expect("there").state, State::Stopped);
}

#[tokio::test]
async fn fl_046_a_call_that_may_have_arrived_says_so_and_is_sent_once() {
    for (effect, kind) in [
        (Effect::Hangup, ErrorKind::Unreachable),
        (Effect::Dropped, ErrorKind::Unreachable),
        (Effect::Cut, ErrorKind::Unreachable),
        (Effect::Lost, ErrorKind::Timeout),
    ] {
        let mut stage = Stage::with(instance()).await;
        let mut settings = settings(&stage.cloud);
        settings.limits.call = Duration::from_millis(800);
        stage.provider = open(settings);
        stage.cloud.add_fault(Fault::always(effect.clone()).at("StopInstances"));
        let error = stage.act(Verb::Stop).await.expect_err("no answer");
        assert_eq!((&error.kind, error.delivery), (&kind, Delivery::MaybeSent), "{effect:?}");
        assert_eq!(stage.changes(), ["StopInstances"], "{effect:?}");
    }
}

#[tokio::test]
async fn fl_046_a_call_that_found_nobody_was_not_sent() {
    let stage = Stage::with(instance()).await;
    let permit = permit(&stage.read().await.expect("there"), Verb::Stop);
    stage.cloud.shutdown().await;
    let error = stage.provider.act(&stage.cx, permit).await.expect_err("nobody listens");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Unreachable, Delivery::NotSent));
}

#[tokio::test]
async fn a_tag_that_is_set_is_read_and_all_others_stay() {
    let stage = Stage::with(instance()).await;
    for value in [Some("2026-12-24"), Some(""), None] {
        let permit = tag_permit(&id(), "reaper-keep", value);
        stage.provider.tag(&stage.cx, permit).await.expect("taken");
        let tags = stage.read().await.expect("there").tags;
        let tags = tags.value().expect("read");
        assert_eq!(tags.exact("reaper-keep"), value);
        assert_eq!(tags.exact("project"), Some("atlas"));
    }
    assert_eq!(stage.changes(), ["CreateTags", "CreateTags", "DeleteTags"]);
}

#[tokio::test]
async fn a_read_says_what_the_listing_and_the_details_say_together() {
    for machine in [instance(), spot("one-time", None), spot("persistent", Some("trainers"))] {
        let stage = Stage::with(machine).await;
        let (provider, region) = (&stage.provider, REGION.into());
        let mut sink = reaper_provider::Sink::new(&|_| ());
        provider.list(&stage.cx, &identity(), &region, &mut sink).await.expect("listed");
        let mut listed = sink.into_inner().remove(0);
        let detail = provider.details(&stage.cx, &region, &[&listed]).await.remove(0);
        listed.guards = detail.guards;
        if let Some((purchase, stop)) = detail.purchase.zip(detail.stop) {
            (listed.purchase, listed.stop) = (purchase, stop);
        }
        assert_eq!(stage.read().await.expect("there"), listed);
    }
}
