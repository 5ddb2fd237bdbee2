//! Laws of time: no call outlives its limit, and no account is asked faster than is documented.

use std::time::Duration;

use futures::future::join_all;
use reaper_provider::ErrorKind;
use reaper_simcloud::{Effect, Fault};
use tokio::time::{Instant, timeout};

use crate::rig::{Rate, Rig, fleet};
use crate::stage::{Reading, Stage};

/// The limit of a call.
const CALL: Duration = Duration::from_millis(300);
/// Whatever takes longer has no limit: a busy computer is not that slow.
const PATIENCE: Duration = Duration::from_secs(8);
/// How much later than it left a request may arrive.
const JITTER: Duration = Duration::from_millis(300);

async fn listed_in_time(rig: &'static dyn Rig, effect: Effect) -> Reading {
    let mut stage = Stage::with(rig, &fleet(3)).await;
    stage.settings.limits.call = CALL;
    stage.at_listing(effect);
    timeout(PATIENCE, stage.list()).await.expect("the limit of the call holds")
}

/// A provider that never answers costs the limit of the call; so does one that dribbles.
pub(crate) async fn silence(rig: &'static dyn Rig) {
    for effect in [Effect::Silence, Effect::Trickle { bytes: 1, every_ms: 50 }] {
        let begin = Instant::now();
        let reading = listed_in_time(rig, effect.clone()).await;
        assert_eq!(*reading.broken(), ErrorKind::Timeout, "{effect:?}");
        assert!(begin.elapsed() >= CALL, "{effect:?}");
        assert!(reading.machines.is_empty());
    }
}

/// Who the credentials are is asked under the same limit.
pub(crate) async fn silent_identity(rig: &'static dyn Rig) {
    let mut stage = Stage::with(rig, &fleet(1)).await;
    stage.settings.limits.call = CALL;
    stage.cloud.add_fault(Fault::always(Effect::Silence));
    let (provider, cx) = (stage.open(), stage.context());
    let identity = timeout(PATIENCE, provider.identity(&cx)).await.expect("the limit holds");
    assert_eq!(identity.expect_err("silence").kind, ErrorKind::Timeout);
}

/// An answer that breaks off is an error at once, and no list.
pub(crate) async fn cut(rig: &'static dyn Rig) {
    let reading = listed_in_time(rig, Effect::Cut).await;
    let kind = reading.broken();
    let fits =
        matches!(kind, ErrorKind::Unreachable | ErrorKind::ServerFault | ErrorKind::Protocol);
    assert!(fits, "{:?}", reading.ended);
    assert!(reading.machines.is_empty());
}

/// More listings at once than the bound allows requests; the most requests that were in flight.
async fn most_in_flight(rig: &'static dyn Rig, bound: usize, configured: Option<usize>) -> usize {
    let mut stage = Stage::with(rig, &[]).await;
    // Long enough for a busy computer to fill the bound meanwhile.
    stage.cloud.world().latency_ms = 200;
    stage.settings.limits.in_flight = configured;
    let provider = stage.open();
    let readings = join_all((0..2 * bound + 2).map(|_| stage.list_with(&*provider))).await;
    assert!(readings.iter().all(|reading| reading.ended.is_ok()));
    stage.cloud.requests().max_in_flight()
}

/// Requests in flight never exceed the documented bound, nor the configured one.
pub(crate) async fn in_flight(rig: &'static dyn Rig) {
    assert_eq!(most_in_flight(rig, rig.in_flight(), None).await, rig.in_flight());
    assert_eq!(most_in_flight(rig, 3, Some(3)).await, 3);
}

/// A provider that refuses the hasty, by its documented rate, has nothing to refuse.
pub(crate) async fn rate(rig: &'static dyn Rig) {
    let Rate { burst, per_second } = rig.rate().expect("the gate lets only these in");
    let mut stage = Stage::with(rig, &[]).await;
    stage.settings.limits.per_second = None;
    // What travels slowly at first may seem hasty later: three tenths of a second, as `JITTER`.
    let bucket =
        Effect::Rate { per_second: f64::from(per_second), burst: burst + per_second * 3 / 10 };
    stage.cloud.add_fault(Fault::always(bucket));
    let provider = stage.open();
    // An empty account takes one request; the last is due two seconds after the burst.
    let count = burst + 2 * per_second;
    let readings = join_all((0..count).map(|_| stage.list_with(&*provider))).await;
    let refused = readings.iter().find_map(|reading| reading.ended.as_ref().err());
    assert_eq!(refused, None);
    let requests = stage.cloud.requests();
    let arrived: Vec<_> = requests.all().iter().map(|entry| entry.arrived).collect();
    assert_eq!(arrived.len(), readings.len());
    assert!(arrived[arrived.len() - 1] + JITTER >= arrived[0] + Duration::from_secs(2));
}
