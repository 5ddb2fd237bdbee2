//! Laws of ending a bill: by one call and no other, sent once whatever comes back, and over only
//! when a read says so.

use std::time::Duration;

use reaper_model::{Instance, Meter, State, Verb};
use reaper_provider::{Delivery, ErrorKind, ProviderError, Refusal, StopPermit};
use reaper_simcloud::{Act, Change, Effect, Fault, Outcome};

use crate::permits::permit;
use crate::rig::{Rig, fleet};
use crate::stage::Stage;

/// Both.
const VERBS: [Verb; 2] = [Verb::Stop, Verb::Terminate];
/// What no answer within this time costs.
pub(crate) const CALL: Duration = Duration::from_secs(1);
/// The machine that is acted upon; the others are bystanders.
const TARGET: usize = 1;
/// How many machines there are.
const MACHINES: usize = 3;

/// The mildest way in which a bill is ended here, and the simulator's word for it.
pub(crate) fn mildest(rig: &dyn Rig) -> (Verb, &'static str) {
    let way = VERBS.into_iter().find_map(|verb| rig.ending(verb).map(|call| (verb, call)));
    way.expect("there is a way to end a bill")
}

/// Three machines, and what is there to act on the second. Of the attempts that are allowed, an
/// action makes no use.
pub(crate) struct Scene {
    pub(crate) stage: Stage,
    verb: Verb,
    call: &'static str,
}

impl Scene {
    pub(crate) async fn of(rig: &'static dyn Rig) -> Self {
        let mut stage = Stage::with(rig, &fleet(MACHINES)).await;
        stage.settings.limits.attempts = 4;
        let (verb, call) = mildest(rig);
        Self { stage, verb, call }
    }

    /// Where the machine takes it like this.
    async fn taking(rig: &'static dyn Rig, act: Act) -> Self {
        let scene = Self::of(rig).await;
        scene.stage.cloud.edit(|world| rig.takes(world, TARGET, act));
        scene
    }

    /// From now on this happens to the call.
    pub(crate) fn at_call(&self, effect: Effect) {
        let fault = Fault::always(effect).of_provider(self.stage.rig.descriptor().name);
        self.stage.cloud.add_fault(fault.at(self.call));
    }

    async fn read(&self) -> Result<Instance, ProviderError> {
        self.stage.read(TARGET).await
    }

    /// The right to act on the machine as it is now.
    pub(crate) async fn permit(&self) -> StopPermit {
        let machine = self.read().await.expect("there");
        permit(&machine, self.verb).expect("nothing speaks against it")
    }

    /// Acts by a new adapter.
    pub(crate) async fn act(&self, permit: StopPermit) -> Result<(), ProviderError> {
        self.stage.open().act(&self.stage.context(), permit).await
    }

    /// Exactly the one call went out, for exactly the one machine.
    #[track_caller]
    fn called_once(&self, when: &str) {
        let rig = self.stage.rig;
        let id = rig.id(TARGET);
        match &self.stage.cloud.requests().changes()[..] {
            [Change { provider, action, ids, .. }] => assert_eq!(
                (*provider, action.as_str(), &ids[..]),
                (rig.descriptor().name, self.call, &[id][..]),
                "{when}"
            ),
            changes => panic!("{when}: {changes:?}"),
        }
    }

    /// Nobody else was touched.
    async fn bystanders_run(&self) {
        for number in (0..MACHINES).filter(|&number| number != TARGET) {
            let other = self.stage.read(number).await.expect("there");
            assert_eq!((other.state, other.meter), (State::Running, Meter::Running), "{number}");
        }
    }
}

/// Whether a read shows that the bill has ended: the state says so, and so does its price.
fn has_ended(read: &Result<Instance, ProviderError>) -> bool {
    match read {
        Ok(machine) => matches!(
            (machine.state, machine.meter),
            (State::Stopped, Meter::StoppedFree) | (State::Ended, Meter::Ended)
        ),
        Err(error) => error.kind == ErrorKind::NotFound,
    }
}

/// What an adapter says that it calls, it calls, and what it does not name, it never does.
pub(crate) async fn only_named_calls(rig: &'static dyn Rig) {
    for verb in VERBS {
        let scene = Scene { verb, ..Scene::of(rig).await };
        let provider = scene.stage.open();
        assert_eq!(provider.call(verb).is_some(), rig.ending(verb).is_some(), "{verb:?}");
        let permit = permit(&scene.read().await.expect("there"), verb);
        if let Some(call) = rig.ending(verb) {
            let scene = Scene { call, ..scene };
            scene.act(permit.expect("nothing speaks against it")).await.expect("taken");
            scene.called_once(call);
            assert!(has_ended(&scene.read().await), "{verb:?}");
            scene.bystanders_run().await;
            continue;
        }
        // Either nobody gets a permit, or the adapter does nothing with it.
        match permit {
            Err(refusal) => assert!(matches!(refusal, Refusal::NoCall { .. }), "{refusal}"),
            Ok(permit) => {
                let error = scene.act(permit).await.expect_err("no such call");
                assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
            }
        }
        assert!(scene.stage.cloud.requests().changing().is_empty(), "{verb:?}");
        assert!(!has_ended(&scene.read().await), "{verb:?}");
    }
}

/// What comes back, what it means, whether it may have been carried out, and whether it was.
type Answer = (Effect, ErrorKind, Delivery, bool);

/// What a provider, its gateway and the network make of a call that changes something.
pub(crate) fn answers() -> Vec<Answer> {
    use Delivery::{Answered, MaybeSent};
    use ErrorKind::{ServerFault, Throttled, Timeout, Unreachable};
    let page = |status| Effect::Answer {
        status,
        body: "<html><body>Sorry</body></html>".to_owned(),
        content_type: "text/html".to_owned(),
    };
    let masked = Effect::Masked {
        status: 504,
        body: "<html><body>Sorry</body></html>".to_owned(),
        content_type: "text/html".to_owned(),
    };
    vec![
        (Effect::Throttle { retry_after: None }, Throttled, Answered, false),
        (Effect::Throttle { retry_after: Some(7) }, Throttled, Answered, false),
        (page(500), ServerFault, Answered, false),
        (page(502), ServerFault, Answered, false),
        (page(503), ServerFault, Answered, false),
        (masked, ServerFault, Answered, true),
        (Effect::Hangup, Unreachable, MaybeSent, false),
        (Effect::Dropped, Unreachable, MaybeSent, true),
        (Effect::Silence, Timeout, MaybeSent, false),
        (Effect::Lost, Timeout, MaybeSent, true),
    ]
}

/// The call is sent once, the error says what is known of its fate, and only a read tells it.
pub(crate) async fn sent_once(rig: &'static dyn Rig) {
    for (effect, kind, delivery, done) in answers() {
        let mut scene = Scene::of(rig).await;
        let permit = scene.permit().await;
        scene.at_call(effect.clone());
        if kind == ErrorKind::Timeout {
            scene.stage.settings.limits.call = CALL;
        }
        let error = scene.act(permit).await.expect_err("no acceptance");
        assert_eq!((&error.kind, error.delivery), (&kind, delivery), "{effect:?}: {error}");
        if let Effect::Throttle { retry_after } = effect {
            assert_eq!(error.retry_after, retry_after.map(Duration::from_secs));
        }
        scene.called_once(&format!("{effect:?}"));
        assert_eq!(has_ended(&scene.read().await), done, "{effect:?}");
        scene.bystanders_run().await;
    }
    // What was carried out and cannot be read whole: how that is told is the wire's own business.
    let scene = Scene::of(rig).await;
    let permit = scene.permit().await;
    scene.at_call(Effect::Cut);
    let cut = scene.act(permit).await;
    assert!(cut.is_ok() || cut.is_err_and(|error| error.delivery != Delivery::NotSent));
    scene.called_once("cut");
    assert!(has_ended(&scene.read().await));
}

/// The page of a gateway is not the provider's word on the machine.
pub(crate) async fn pages_are_no_refusals(rig: &'static dyn Rig) {
    for status in [302, 400, 401, 403, 404, 410] {
        let error = answered_by_page(rig, status).await.expect_err("no acceptance");
        let gone = matches!(error.kind, ErrorKind::NotFound | ErrorKind::Protected);
        assert!(!gone, "{status}: {error}");
    }
}

/// Nor is it an acceptance, where that says what was taken.
pub(crate) async fn pages_are_no_receipts(rig: &'static dyn Rig) {
    for status in [200, 202] {
        let error = answered_by_page(rig, status).await.expect_err("no acceptance");
        assert!(matches!(error.kind, ErrorKind::Protocol | ErrorKind::ServerFault), "{error}");
    }
}

/// Somebody before the provider answers the call, which never arrives.
async fn answered_by_page(rig: &'static dyn Rig, status: u16) -> Result<(), ProviderError> {
    let scene = Scene::of(rig).await;
    let permit = scene.permit().await;
    let (body, content_type) = ("<html>gateway</html>".to_owned(), "text/html".to_owned());
    scene.at_call(Effect::Answer { status, body, content_type });
    let acted = scene.act(permit).await;
    scene.called_once(&status.to_string());
    assert!(!has_ended(&scene.read().await));
    acted
}

/// Where nobody listens, nothing was sent, and that is said.
pub(crate) async fn nobody_there(rig: &'static dyn Rig) {
    let scene = Scene::of(rig).await;
    let (permit, provider) = (scene.permit().await, scene.stage.open());
    let cx = scene.stage.context();
    scene.stage.cloud.shutdown().await;
    let error = provider.act(&cx, permit).await.expect_err("nobody listens");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Unreachable, Delivery::NotSent));
}

/// Under way is not over, and what was only said was not done.
pub(crate) async fn ended_when_read(rig: &'static dyn Rig) {
    const UNDER_WAY: u32 = 2;
    let scene = Scene::taking(rig, Act::reads(UNDER_WAY)).await;
    scene.act(scene.permit().await).await.expect("taken");
    let first = scene.read().await;
    let way = first.as_ref().map(|machine| machine.state);
    assert!(matches!(way, Ok(State::Stopping | State::Ending)), "{way:?}");
    assert!(!has_ended(&first));
    // Some say at the second read that it is off, where only its disk is still being put away.
    scene.read().await.expect("there");
    assert!(has_ended(&scene.read().await));
    scene.called_once("under way");
    scene.bystanders_run().await;

    let scene = Scene::taking(rig, Act::outcome(Outcome::Lie)).await;
    scene.act(scene.permit().await).await.expect("taken, in words");
    let after = scene.read().await.expect("there");
    assert_eq!((after.state, after.meter), (State::Running, Meter::Running));

    let scene = Scene::taking(rig, Act::outcome(Outcome::Stuck)).await;
    scene.act(scene.permit().await).await.expect("taken");
    for _ in 0..3 {
        let stuck = scene.read().await;
        assert!(!has_ended(&stuck));
        // On its way down it gets no second call.
        assert!(permit(&stuck.expect("there"), scene.verb).is_err());
    }
    scene.called_once("stuck");
}

/// Who was faster is told apart from what failed: the machine is gone, or in another state.
pub(crate) async fn too_late(rig: &'static dyn Rig) {
    let scene = Scene::taking(rig, Act::outcome(Outcome::Gone)).await;
    let error = scene.act(scene.permit().await).await.expect_err("gone");
    assert_eq!((error.kind, error.delivery), (ErrorKind::NotFound, Delivery::Answered));
    scene.called_once("gone");
    assert!(has_ended(&scene.read().await));

    let scene = Scene::of(rig).await;
    let permit = scene.permit().await;
    scene.stage.cloud.edit(|world| rig.hinder(world, TARGET));
    let error = scene.act(permit).await.expect_err("not in this state");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Conflict, Delivery::Answered));
    scene.called_once("hindered");
    scene.bystanders_run().await;
}

/// A missing right is named as the policy for enforcing spells it, and looking needs none of it.
pub(crate) async fn denied(rig: &'static dyn Rig) {
    let scene = Scene::of(rig).await;
    let permission = scene.stage.cloud.edit(|world| rig.forbid(world)).to_owned();
    let error = scene.act(scene.permit().await).await.expect_err("denied");
    assert_eq!(error.delivery, Delivery::Answered);
    let right = permission.rsplit(':').next().expect("a word");
    // Where keys have no rights there is no policy, only words.
    let policy = rig.descriptor().enforce_policy;
    assert!(!policy.starts_with('{') || policy.contains(right), "{permission}: {policy}");
    assert_eq!(error.kind, ErrorKind::Denied { permission });
    scene.called_once("denied");
    let still = scene.read().await.expect("there");
    assert_eq!((still.state, still.meter), (State::Running, Meter::Running));
}

/// Protection is told by its kind and never lifted, whether it is seen before or comes between.
pub(crate) async fn protected(rig: &'static dyn Rig) {
    let protect = rig.protection().expect("the gate lets only these in");
    let scene = Scene::of(rig).await;
    let permit = scene.permit().await;
    scene.stage.cloud.edit(|world| protect(world, TARGET));
    let error = scene.act(permit).await.expect_err("protected");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Protected, Delivery::Answered));
    scene.called_once("protected");
    let still = scene.read().await.expect("there");
    assert_eq!((still.state, still.meter), (State::Running, Meter::Running));
    assert!(still.guards.value().is_some_and(|guards| !guards.is_empty()), "{:?}", still.guards);
}
