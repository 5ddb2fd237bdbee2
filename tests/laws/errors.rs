//! Laws of errors: each is of the kind on which a decision can be made, never decided on text.

use reaper_provider::{Delivery, ErrorKind, Surroundings};
use reaper_simcloud::Effect;

use crate::rig::{Rig, fleet};
use crate::stage::{Stage, open, settings};

/// A missing right is named as the provider spells it.
pub(crate) async fn denied(rig: &'static dyn Rig) {
    let (world, permission) = rig.denied();
    let stage = Stage::of(rig, world).await;
    let reading = stage.list().await;
    assert_eq!(*reading.broken(), ErrorKind::Denied { permission: permission.to_owned() });
    assert_eq!(reading.ended.expect_err("broken").delivery, Delivery::Answered);
    assert!(reading.machines.is_empty());
}

/// A key that is not known concerns the account as a whole, so that nothing else is asked. (A
/// simulated clock may stand elsewhere than ours; then the clock is to blame for all AWS tells.)
pub(crate) async fn unknown_key(rig: &'static dyn Rig) {
    let mut stage = Stage::with(rig, &fleet(1)).await;
    rig.mistake_key(&mut stage.settings);
    let reading = stage.list().await;
    assert!(reading.broken().is_account_wide(), "{:?}", reading.ended);
    assert!(reading.machines.is_empty());
    let error = stage.open().identity(&stage.context()).await.expect_err("no such key");
    assert!(error.kind.is_account_wide(), "{error}");
}

/// Without a key there is an error before anything is sent, never an account without machines.
pub(crate) async fn no_key(rig: &'static dyn Rig) {
    let mut stage = Stage::with(rig, &fleet(1)).await;
    rig.lose_key(&mut stage.settings);
    match (rig.descriptor().open)(stage.settings.clone(), Surroundings::NONE) {
        Err(refused) => assert!(!refused.problem.is_empty()),
        Ok(provider) => {
            let error = provider.identity(&stage.context()).await.expect_err("no key");
            assert_eq!((error.kind, error.delivery), (ErrorKind::NoCredentials, Delivery::NotSent));
        }
    }
    assert!(stage.cloud.requests().is_empty());
}

/// What a provider, its gateway and the network do on a bad day.
pub(crate) async fn kinds(rig: &'static dyn Rig) {
    let html = |status| Effect::Answer {
        status,
        body: "<html><body>Sorry</body></html>".to_owned(),
        content_type: "text/html".to_owned(),
    };
    for (effect, kind) in [
        (Effect::Throttle { retry_after: None }, ErrorKind::Throttled),
        (Effect::Throttle { retry_after: Some(7) }, ErrorKind::Throttled),
        (html(500), ErrorKind::ServerFault),
        (html(502), ErrorKind::ServerFault),
        (html(503), ErrorKind::ServerFault),
        (html(504), ErrorKind::ServerFault),
        (Effect::Hangup, ErrorKind::Unreachable),
    ] {
        let stage = Stage::with(rig, &fleet(1)).await;
        stage.at_listing(effect.clone());
        let reading = stage.list().await;
        assert_eq!(*reading.broken(), kind, "{effect:?}");
        let error = reading.ended.expect_err("broken");
        assert_eq!(error.delivery == Delivery::Answered, effect != Effect::Hangup, "{error}");
        assert!(!error.to_string().contains('<'), "{error}");
        assert!(!error.call.is_empty());
    }
}

/// Where nobody listens, that is said, with the address.
pub(crate) async fn nobody_there(rig: &'static dyn Rig) {
    let stage = Stage::with(rig, &[]).await;
    let (address, cx) = (stage.cloud.addr().to_string(), stage.context());
    let settings = settings(rig, &stage.cloud.base_url(rig.descriptor().name));
    stage.cloud.shutdown().await;
    let error = open(rig, settings).identity(&cx).await.expect_err("nobody listens");
    assert_eq!(error.kind, ErrorKind::Unreachable);
    assert!(error.detail.contains(&address), "{error}");
}
