//! Digests: what makes an edited plan known, and what a machine must still look like.

use std::fmt::Write as _;

use reaper_model::{Fingerprint, Instance, InstanceId, Plan};
use reaper_policy::Owner;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// The digest of a plan over everything in it but the digest itself, `sha256:…`.
pub fn digest(plan: &Plan) -> String {
    of_json(&Plan { digest: String::new(), ..plan.clone() })
}

/// The plan with its digest.
#[must_use]
pub fn sealed(plan: Plan) -> Plan {
    Plan { digest: digest(&plan), ..plan }
}

/// The fingerprint that steps carry. A fresh read is compared with it by making one the same way.
pub fn fingerprint(instance: &Instance, owner: &Owner) -> Fingerprint {
    Fingerprint::of(instance, &owner.names.join(", "))
}

/// The digest of an inventory, `sha256:…`: of one line for each machine, so that nothing of ten
/// thousand machines is held at once.
pub(crate) fn inventory<'a>(
    machines: impl Iterator<Item = (&'a InstanceId, Fingerprint)>,
) -> String {
    let mut hash = Sha256::new();
    for (id, seen) in machines {
        match serde_json::to_vec(&(id.to_string(), seen)) {
            Ok(line) => hash.update(line),
            Err(error) => return format!("none, it cannot be written: {error}"),
        }
        hash.update(b"\n");
    }
    format!("sha256:{}", digits(&hash.finalize()))
}

/// SHA-256 in hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    digits(&Sha256::digest(bytes))
}

fn digits(hash: &[u8]) -> String {
    hash.iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What cannot be written has no digest: the text says so, and no lint takes it for one.
fn of_json(value: &impl Serialize) -> String {
    match serde_json::to_vec(value) {
        Ok(bytes) => format!("sha256:{}", hex(&bytes)),
        Err(error) => format!("none, it cannot be written: {error}"),
    }
}
