//! The closer look at single machines: what a listing does not show and costs calls of its own, which
//! is their protection and the spot requests behind them.

use std::collections::BTreeMap;

use futures::future::join_all;
use reaper_model::{Fact, Guard, Ignorance, Instance, Purchase, Source};
use reaper_provider::Detail;

use crate::stop;
use crate::wire::{ATTRIBUTE, SPOT, Wire};

/// Looks at machines of the wire's region. What cannot be read is unknown for that machine alone.
pub(crate) async fn details(wire: &Wire<'_>, candidates: &[&Instance]) -> Vec<Detail> {
    let mut spot = spot_requests(wire, candidates).await;
    let guards = join_all(candidates.iter().map(|machine| guards(wire, &machine.id.native)));
    let guards = guards.await;
    candidates
        .iter()
        .zip(guards)
        .map(|(machine, guards)| {
            let request = spot.remove(&machine.id.native);
            let stop = request
                .as_ref()
                .map(|(purchase, grouped)| stop::learnt(machine, purchase, *grouped));
            let purchase = request.map(|(purchase, _)| purchase);
            Detail { id: machine.id.clone(), guards, purchase, stop }
        })
        .collect()
}

async fn guards(wire: &Wire<'_>, id: &str) -> Fact<Vec<Guard>> {
    let source = Source::new(ATTRIBUTE);
    match wire.protection(id).await {
        Ok((stop, terminate)) => {
            let guards = [(stop, Guard::Stop), (terminate, Guard::Terminate)];
            let guards: Vec<Guard> =
                guards.into_iter().filter_map(|(on, guard)| on.then_some(guard)).collect();
            if guards.is_empty() {
                Fact::absent(&source)
            } else {
                Fact::known(guards, &source, wire.cx.now)
            }
        }
        Err(error) => Fact::unknown(Ignorance::ReadFailed, error.to_string()),
    }
}

/// How each spot machine among the candidates is paid for, and whether its request is one of a
/// group.
async fn spot_requests(
    wire: &Wire<'_>,
    candidates: &[&Instance],
) -> BTreeMap<String, (Purchase, bool)> {
    let ids: Vec<String> = candidates
        .iter()
        .filter(|machine| matches!(machine.purchase, Purchase::Spot { .. }))
        .map(|machine| machine.id.native.clone())
        .collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    let source = Source::new(SPOT);
    let answer = wire.spot_requests(&ids).await;
    ids.into_iter()
        .map(|id| {
            let request = match &answer {
                Ok(requests) => requests
                    .get(&id)
                    .copied()
                    .ok_or((Ignorance::NotOffered, "its spot request is gone".to_owned())),
                Err(error) => Err((Ignorance::ReadFailed, error.to_string())),
            };
            let (persistent, grouped) = match request {
                Ok(request) => {
                    (Fact::known(request.persistent, &source, wire.cx.now), request.grouped)
                }
                Err((kind, why)) => (Fact::unknown(kind, why), false),
            };
            (id, (Purchase::Spot { persistent }, grouped))
        })
        .collect()
}
