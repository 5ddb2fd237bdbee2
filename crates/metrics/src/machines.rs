//! Whom the value of a label means: a machine's id at its provider, its full id, or its name; a
//! port behind it is cut off, because `instance` has one.
//!
//! Names are not unique. A source is asked about the machines of one account after the other, and
//! before an action about one machine alone, so it remembers whom a name has meant: the idle hours
//! of one `notebook` are no evidence against another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{Instance, InstanceId};

/// How long a name is remembered after it was last seen. Longer than a run.
const REMEMBERED: TimeDelta = TimeDelta::hours(6);

type Bearers = BTreeMap<InstanceId, DateTime<Utc>>;

/// Names, and who bears them.
#[derive(Debug, Default)]
pub(crate) struct Machines(Mutex<BTreeMap<String, Bearers>>);

impl Machines {
    /// Takes note of machines that there are at `now`.
    pub(crate) fn note(&self, machines: &[&Instance], now: DateTime<Utc>) {
        let mut names = self.names();
        for machine in machines {
            let name = machine.name.value().map(|name| name.trim().to_owned());
            let own = [machine.id.native.clone(), machine.id.to_string()];
            for name in own.into_iter().chain(name).filter(|name| !name.is_empty()) {
                names.entry(name).or_default().insert(machine.id.clone(), now);
            }
        }
        names.retain(|_, bearers| {
            bearers.retain(|_, seen| (now - *seen).abs() <= REMEMBERED);
            !bearers.is_empty()
        });
    }

    /// Everybody whom the value may mean.
    pub(crate) fn meant(&self, value: &str) -> BTreeSet<InstanceId> {
        let names = self.names();
        let spellings = [Some(value), without_port(value)];
        let bearers = spellings.into_iter().flatten().filter_map(|name| names.get(name));
        bearers.flat_map(BTreeMap::keys).cloned().collect()
    }

    fn names(&self) -> MutexGuard<'_, BTreeMap<String, Bearers>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn without_port(value: &str) -> Option<&str> {
    let (host, port) = value.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(host)
}
