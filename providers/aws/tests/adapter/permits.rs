//! Permits, obtained as everybody obtains them: by all checks.

use reaper_model::document::Verdict;
use reaper_model::{Fingerprint, Instance, InstanceId, ProviderName, Step, Verb};
use reaper_provider::{Armed, Consents, Fresh, Pinned, StopPermit, TagPermit, authorise};

use crate::support::{context, identity};

fn pinned() -> Pinned {
    let identity = identity();
    let pin = Some(identity.account.as_str());
    Pinned::compare(&"research".into(), &ProviderName::new("aws"), pin, &identity).expect("pinned")
}

/// The right to end a machine's bill, of an account that agrees to everything.
pub(crate) fn permit(machine: &Instance, verb: Verb) -> StopPermit {
    let consents = Consents { terminate: true, local_data_loss: true };
    let armed = Armed::new(pinned(), consents, true).expect("enforcing");
    let (now, fingerprint) = (context().now, Fingerprint::of(machine, ""));
    let step = Step {
        id: machine.id.clone(),
        account: "research".into(),
        name: None,
        verb,
        call: String::new(),
        rule: "ownerless".to_owned(),
        reasons: Vec::new(),
        notice: String::new(),
        noticed_at: now,
        due_at: now,
        hastened_by: Vec::new(),
        fingerprint: fingerprint.clone(),
        ground: String::new(),
        hourly: None,
        value: None,
        saves_per_month: None,
        still_charged: Vec::new(),
        loses: Vec::new(),
    };
    let fresh = Fresh {
        instance: machine,
        fingerprint: &fingerprint,
        asked: true,
        verdict: Verdict::Orphan,
        why: "",
    };
    authorise(&armed, &step, &fresh, now).expect("a machine that may be acted on")
}

/// The right to set or remove a tag.
pub(crate) fn tag_permit(id: &InstanceId, key: &str, value: Option<&str>) -> TagPermit {
    pinned().tag(id, key, value).expect("a machine of the account")
}
