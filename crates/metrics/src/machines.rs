//! Whom the value of a label means: a machine's id at its provider, its full id, or its name; a
//! port behind it is cut off, because `instance` has one.
//!
//! Names are not unique: the idle hours of one `notebook` are no evidence against another. So a
//! name means somebody only where all machines of the run are known and one bears it. Before an
//! action a machine is asked about alone; the others are not forgotten then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use reaper_model::{Instance, InstanceId};

type Bearers = BTreeMap<String, BTreeSet<InstanceId>>;

/// Everybody of whom is known.
#[derive(Debug, Default)]
pub(crate) struct Machines(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    ids: Bearers,
    names: Bearers,
    /// Somebody may be there who is not known.
    partial: bool,
}

/// Whom a value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Meant {
    /// Nobody who is known.
    Nobody,
    /// This machine.
    One(InstanceId),
    /// Each of these, so none of them.
    Several(BTreeSet<InstanceId>),
    /// This machine, unless another that could not be read has the same name.
    Perhaps(InstanceId),
}

impl Machines {
    /// From now on there are these, and no others if they are the `whole`.
    pub(crate) fn meet(&self, machines: &[&Instance], whole: bool) {
        *self.known() = Known { partial: !whole, ..Known::default() };
        self.note(machines);
    }

    /// There are these as well.
    pub(crate) fn note(&self, machines: &[&Instance]) {
        let mut known = self.known();
        for machine in machines {
            for id in [machine.id.native.clone(), machine.id.to_string()] {
                known.ids.entry(id).or_default().insert(machine.id.clone());
            }
            let name = machine.name.value().map(|name| name.trim()).unwrap_or_default();
            if !name.is_empty() {
                known.names.entry(name.to_owned()).or_default().insert(machine.id.clone());
            }
        }
    }

    /// Whom the value means.
    pub(crate) fn meant(&self, value: &str) -> Meant {
        let known = self.known();
        let spellings = [Some(value), without_port(value)];
        let bearers = |of: &Bearers| -> BTreeSet<InstanceId> {
            let found = spellings.iter().flatten().filter_map(|spelling| of.get(*spelling));
            found.flatten().cloned().collect()
        };
        let by_id = bearers(&known.ids);
        let all: BTreeSet<InstanceId> = by_id.union(&bearers(&known.names)).cloned().collect();
        let mut all_of_them = all.iter();
        match (all_of_them.next(), all_of_them.next()) {
            (None, _) => Meant::Nobody,
            (Some(id), None) if known.partial && by_id.is_empty() => Meant::Perhaps(id.clone()),
            (Some(id), None) => Meant::One(id.clone()),
            (Some(_), Some(_)) => Meant::Several(all),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn without_port(value: &str) -> Option<&str> {
    let (host, port) = value.rsplit_once(':')?;
    (!port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())).then_some(host)
}
