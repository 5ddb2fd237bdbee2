//! Permits, obtained as everybody obtains them: by all checks, of an account that agrees to
//! everything.

use chrono::DateTime;
use reaper_model::document::Verdict;
use reaper_model::{Fingerprint, Instance, InstanceId, Step, Verb};
use reaper_provider::{
    Armed, Consents, Fresh, Identity, Pinned, Refusal, StopPermit, TagPermit, authorise,
};

/// The account of a machine, as pinned.
fn pinned(id: &InstanceId) -> Pinned {
    let identity = Identity { account: id.account.clone(), login: String::new() };
    let pin = Some(id.account.as_str());
    Pinned::compare(&"lawful".into(), &id.provider, pin, &identity).expect("pinned")
}

/// The right to end the bill of a machine that was read just now.
///
/// # Errors
///
/// What speaks against it, all consents notwithstanding.
pub(crate) fn permit(machine: &Instance, verb: Verb) -> Result<StopPermit, Refusal> {
    let consents = Consents { terminate: true, local_data_loss: true };
    let armed = Armed::new(pinned(&machine.id), consents, true)?;
    let (now, fingerprint) = (DateTime::UNIX_EPOCH, Fingerprint::of(machine, ""));
    let step = Step {
        id: machine.id.clone(),
        account: "lawful".into(),
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
    let verdict = Verdict::Orphan;
    let fresh =
        Fresh { instance: machine, fingerprint: &fingerprint, asked: true, verdict, why: "" };
    authorise(&armed, &step, &fresh, now)
}

/// The right to set a tag of a machine, or to remove it.
pub(crate) fn tag_permit(id: &InstanceId, key: &str, value: Option<&str>) -> TagPermit {
    pinned(id).tag(id, key, value).expect("a machine of the account")
}
