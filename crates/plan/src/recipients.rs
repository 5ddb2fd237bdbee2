//! Who has to be told of a finding: the owner where one is known and may be written to, else the
//! fallback.

use std::collections::BTreeSet;
use std::fmt;

use reaper_model::document::OwnerStatus;
use reaper_policy::Owner;

use crate::question::Routing;

/// Somebody who has to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipient {
    /// The address as written.
    pub(crate) to: String,
    /// Why the fallback; `None` for owners.
    pub(crate) instead: Option<Instead>,
}

/// Why the fallback is told.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Instead {
    /// The machine has no owner who is known to work here.
    Owner(OwnerStatus),
    /// The owner is known by name, and no address follows from it.
    NoAddress,
    /// The owner's addresses lie outside the allowed domains.
    OutsideDomains,
    /// Every address of the owner was refused for good.
    Rejected,
    /// Both sides of a tug of war are told.
    Contested,
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Owner(OwnerStatus::Absent) => "it has no owner",
            Self::Owner(OwnerStatus::Empty) => "its owner tag names nobody",
            Self::Owner(OwnerStatus::Unknown) => "its owner is not in the directory",
            Self::Owner(OwnerStatus::Departed) => "its owner has left",
            Self::Owner(OwnerStatus::Conflicting) => "its tags name different owners",
            Self::Owner(OwnerStatus::Unreadable) => "its owner cannot be read",
            Self::Owner(OwnerStatus::Known) | Self::NoAddress => "its owner has no mail address",
            Self::OutsideDomains => "its owner's address lies outside the allowed domains",
            Self::Rejected => "the mail server refuses its owner's address",
            Self::Contested => "it is started again after every stop",
        })
    }
}

/// One spelling for every spelling of a mailbox.
pub(crate) fn folded(address: &str) -> String {
    address.trim().to_lowercase()
}

/// Who has to be told today of a finding on a machine of this owner. `rejected` are the folded
/// addresses that were refused for good for this case. The fallback stays even if it was refused:
/// there is nobody behind it.
pub(crate) fn of(routing: &Routing, owner: &Owner, rejected: &BTreeSet<String>) -> Vec<Recipient> {
    if !routing.can_mail {
        return Vec::new();
    }
    match reachable(routing, owner, rejected) {
        Ok(owners) => {
            // One of several owners who cannot be told is not forgotten for the others' sake.
            let lost = rejected_of(routing, owner, rejected)
                .then(|| fallback(routing, Instead::Rejected))
                .flatten()
                .filter(|lost| owners.iter().all(|to| folded(to) != folded(&lost.to)));
            owners.into_iter().map(|to| Recipient { to, instead: None }).chain(lost).collect()
        }
        Err(instead) => fallback(routing, instead).into_iter().collect(),
    }
}

/// Whether one of the owner's addresses that may be written to was refused for good.
fn rejected_of(routing: &Routing, owner: &Owner, rejected: &BTreeSet<String>) -> bool {
    owner.emails.iter().any(|email| routing.permits(email) && rejected.contains(&folded(email)))
}

/// Owner and fallback, for what both must know.
pub(crate) fn both(
    routing: &Routing,
    owner: &Owner,
    rejected: &BTreeSet<String>,
) -> Vec<Recipient> {
    let mut recipients = of(routing, owner, rejected);
    let other = fallback(routing, Instead::Contested).filter(|other| {
        routing.can_mail && recipients.iter().all(|known| folded(&known.to) != folded(&other.to))
    });
    recipients.extend(other);
    recipients
}

/// Why nobody can be told, for people.
pub(crate) const fn nobody(routing: &Routing) -> &'static str {
    if routing.can_mail {
        "nobody can be told: no owner can be reached and there is no owners.fallback"
    } else {
        "nobody can be told: there is no [notify.email]"
    }
}

fn fallback(routing: &Routing, instead: Instead) -> Option<Recipient> {
    let to = routing.fallback.clone()?;
    Some(Recipient { to, instead: Some(instead) })
}

/// The owner's addresses that may and can be written to, none twice; else why there are none.
fn reachable(
    routing: &Routing,
    owner: &Owner,
    rejected: &BTreeSet<String>,
) -> Result<Vec<String>, Instead> {
    if owner.status != OwnerStatus::Known {
        return Err(Instead::Owner(owner.status));
    }
    if owner.emails.is_empty() {
        return Err(Instead::NoAddress);
    }
    let mut allowed: Vec<&String> =
        owner.emails.iter().filter(|email| routing.permits(email)).collect();
    if allowed.is_empty() {
        return Err(Instead::OutsideDomains);
    }
    allowed.retain(|email| !rejected.contains(&folded(email)));
    if allowed.is_empty() {
        return Err(Instead::Rejected);
    }
    let mut seen = BTreeSet::new();
    allowed.retain(|email| seen.insert(folded(email)));
    Ok(allowed.into_iter().cloned().collect())
}

impl Routing {
    /// Whether an owner's address lies in a domain that may be written to: tags can be written by
    /// anybody.
    pub fn permits(&self, address: &str) -> bool {
        let address = folded(address);
        let Some((_, domain)) = address.rsplit_once('@') else { return false };
        self.allowed_domains.iter().any(|allowed| folded(allowed) == domain)
    }
}
