//! Who reads a weekly mail, and what of a document is theirs: an owner sees nothing of anybody
//! else's.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::document::{AuditDocument, MachineView, OwnerStatus, OwnerView};
use reaper_report::finding::{is_announced, is_finding};

use crate::address::Address;

/// Between the names of several owners, as the document joins them.
const BETWEEN: &str = ", ";

/// Who reads a weekly mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader<'a> {
    /// Somebody who gets everything.
    Digest,
    /// An owner, who gets what is theirs alone.
    Owner(Owner<'a>),
}

/// An owner of machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner<'a> {
    /// Whose machines: all of which it is a known owner.
    pub address: &'a Address,
    /// What else tags call this owner: machines that are gone have no address in the document. In
    /// any case; names that the document itself ties to the address need not be here.
    pub names: &'a [String],
}

impl Reader<'_> {
    /// Whether the machine is the reader's.
    pub(super) fn has(self, machine: &MachineView) -> bool {
        self.owns(&machine.owner)
    }

    /// Whether something of this owner is the reader's.
    pub(super) fn owns(self, owner: &OwnerView) -> bool {
        match self {
            Self::Digest => true,
            Self::Owner(reader) => addresses(owner).any(|address| is(address, reader.address)),
        }
    }
}

/// What a reader can tell of machines by: full ids and names of owners.
#[derive(Debug)]
pub(super) struct Belongings<'a> {
    reader: Reader<'a>,
    /// Whether a machine of the document is the reader's, by full id.
    machines: BTreeMap<&'a str, bool>,
    /// What tags call the reader, folded.
    names: Vec<String>,
}

impl<'a> Belongings<'a> {
    pub(super) fn of(reader: Reader<'a>, doc: &'a AuditDocument) -> Self {
        let mut names = Vec::new();
        if let Reader::Owner(owner) = reader {
            names.push(owner.address.folded());
            names.extend(owner.names.iter().map(|name| name.trim().to_lowercase()));
            // One name and one address belong together; of several nobody knows which to which.
            let alone = |text: &&str| !text.contains(BETWEEN);
            names.extend(doc.instances.iter().filter(|machine| reader.has(machine)).filter_map(
                |machine| {
                    machine.owner.email.as_deref().filter(alone)?;
                    Some(machine.owner.id.as_deref().filter(alone)?.trim().to_lowercase())
                },
            ));
        }
        let machines =
            doc.instances.iter().map(|machine| (machine.id.as_str(), reader.has(machine)));
        Self { reader, machines: machines.collect(), names }
    }

    /// Whether something that the document tells of a machine is the reader's. What is known of the
    /// machine now goes before what its row says.
    pub(super) fn have(&self, id: &str, owner: Option<&str>) -> bool {
        match (self.reader, self.machines.get(id)) {
            (Reader::Digest, _) => true,
            (Reader::Owner(_), Some(theirs)) => *theirs,
            (Reader::Owner(_), None) => owner.is_some_and(|owner| {
                owner.split(BETWEEN).any(|name| self.names.contains(&name.trim().to_lowercase()))
            }),
        }
    }

    /// Whether a warning is about a machine of the reader's.
    pub(super) fn hold(&self, subject: Option<&str>) -> bool {
        subject.is_some_and(|id| self.machines.get(id) == Some(&true))
    }
}

/// The addresses of owners, where they are known: what contradicts itself or names somebody who has
/// left goes to the fallback.
fn addresses(owner: &OwnerView) -> impl Iterator<Item = &str> {
    let known = owner.status == OwnerStatus::Known;
    let email = owner.email.as_deref().filter(|_| known);
    email.into_iter().flat_map(|email| email.split(BETWEEN))
}

fn is(text: &str, address: &Address) -> bool {
    if text.is_ascii() {
        // There are many machines and many owners, and the spelling of an address in ASCII differs
        // in case alone.
        return text.trim().eq_ignore_ascii_case(address.as_str());
    }
    text.parse().is_ok_and(|other: Address| other.folded() == address.folded())
}

/// Whether an owner has anything to read: a finding, an announced stop among them, or a stop in the
/// period.
pub fn concerns(doc: &AuditDocument, owner: Owner<'_>) -> bool {
    let belongings = Belongings::of(Reader::Owner(owner), doc);
    let found = |machine: &MachineView| is_finding(machine) && Reader::Owner(owner).has(machine);
    doc.instances.iter().any(found)
        || doc
            .report
            .iter()
            .flat_map(|report| &report.stopped)
            .any(|stopped| belongings.have(&stopped.id, stopped.owner.as_deref()))
}

/// The machines, by full id, of which an owner's report tells: findings, and stops in the period.
pub fn told_of<'a>(doc: &'a AuditDocument, owner: Owner<'a>) -> BTreeSet<&'a str> {
    let belongings = Belongings::of(Reader::Owner(owner), doc);
    let found = doc.instances.iter().filter(|machine| {
        (is_finding(machine) || is_announced(machine)) && Reader::Owner(owner).has(machine)
    });
    let stopped = doc.report.iter().flat_map(|report| &report.stopped);
    let stopped = stopped.filter(|stopped| belongings.have(&stopped.id, stopped.owner.as_deref()));
    found
        .map(|machine| machine.id.as_str())
        .chain(stopped.map(|stopped| stopped.id.as_str()))
        .collect()
}

/// The owners that have anything to read, each once however it is spelt, in order. Which of them
/// may be written to is decided elsewhere.
pub fn owners(doc: &AuditDocument) -> Vec<Address> {
    let mut all: BTreeMap<String, Address> = BTreeMap::new();
    let stopped = doc.report.iter().flat_map(|report| &report.stopped);
    let written = stopped.filter_map(|stopped| stopped.owner.as_deref());
    let texts = doc.instances.iter().flat_map(|machine| addresses(&machine.owner));
    for text in texts.chain(written.flat_map(|owner| owner.split(BETWEEN))) {
        if let Ok(address) = text.parse::<Address>() {
            all.entry(address.folded()).or_insert(address);
        }
    }
    all.into_values().filter(|address| concerns(doc, Owner { address, names: &[] })).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    fn address(text: &str) -> Address {
        text.parse().expect("an address")
    }

    fn ids<'a>(doc: &'a AuditDocument, owner: &Address) -> Vec<&'a str> {
        let reader = Reader::Owner(Owner { address: owner, names: &[] });
        let theirs = doc.instances.iter().filter(|machine| reader.has(machine));
        theirs.map(|machine| machine.native_id.as_str()).collect()
    }

    #[test]
    fn fl_135_three_owners_get_a_mail_and_each_has_their_own_machines() {
        let doc = fixture::weekly();
        let all: Vec<String> = owners(&doc).iter().map(ToString::to_string).collect();
        assert_eq!(all, ["alice@example.org", "bob@example.org"]);
        assert_eq!(
            ids(&doc, &address("ALICE@example.org")),
            ["i-0alice1", "0920582c7ff041399e34823a0be62549"]
        );
        assert_eq!(
            ids(&doc, &address("bob@example.org")),
            ["8f5e1c2d-6a44-4a31-9d10-2f6f0e9b7a55"]
        );
    }

    #[test]
    fn fl_135_an_address_that_ends_alike_or_is_contained_is_another() {
        let mut doc = fixture::weekly();
        doc.instances[0].owner.email = Some("xalice@example.org, bob@example.org".to_owned());
        assert!(!ids(&doc, &address("alice@example.org")).contains(&"i-0alice1"));
        assert!(ids(&doc, &address("bob@example.org")).contains(&"i-0alice1"));
    }

    #[test]
    fn fl_149_an_owner_without_findings_stops_or_announcements_has_nothing_to_read() {
        let mut doc = fixture::weekly();
        let dave = address("dave@example.org");
        assert!(
            doc.instances
                .iter()
                .any(|machine| { machine.owner.email.as_deref() == Some("dave@example.org") })
        );
        assert!(!concerns(&doc, Owner { address: &dave, names: &[] }));
        // A machine of bob's was stopped: that is something to read, also when nothing is found.
        doc.instances.clear();
        let bob = address("bob@example.org");
        assert!(!concerns(&doc, Owner { address: &bob, names: &[] }));
        assert!(concerns(&doc, Owner { address: &bob, names: &["Bob".to_owned()] }));
    }

    #[test]
    fn owners_who_have_left_or_contradict_each_other_get_none() {
        let mut doc = fixture::weekly();
        for status in [OwnerStatus::Departed, OwnerStatus::Conflicting] {
            doc.instances.iter_mut().for_each(|machine| machine.owner.status = status);
            assert!(owners(&doc).is_empty(), "{status:?}");
        }
    }

    #[test]
    fn fl_136_a_broken_address_hides_no_other() {
        let mut doc = fixture::weekly();
        doc.instances[0].owner.email = Some("broken.@, carol@example.org".to_owned());
        let all: Vec<String> = owners(&doc).iter().map(ToString::to_string).collect();
        assert!(all.contains(&"carol@example.org".to_owned()) && all.len() == 3, "{all:?}");
    }
}
