//! Whose a machine is: mapping file, tags, name pattern, people directory.

use std::collections::BTreeSet;

use reaper_model::document::OwnerStatus;
use reaper_model::tags::{fold_key, trim_blanks};
use reaper_model::{Tag, Unknown};

use crate::directory::{Employment, Person};
use crate::spec::OwnerSpec;
use crate::subject::{Claimed, quote};

/// What is known about a machine's owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// How sure that is.
    pub status: OwnerStatus,
    /// Names as written, in order, without doubles.
    pub names: Vec<String>,
    /// Addresses that mail can go to, in order, without doubles.
    pub emails: Vec<String>,
    /// The team, where the directory says it.
    pub team: Option<String>,
    /// Which tag, map entry or pattern said so.
    pub source: Option<String>,
    /// The contradiction, the placeholder, the reading error.
    pub why: Option<String>,
    /// The key of `owners.map` that named it.
    pub mapped_by: Option<String>,
    /// Whether the status rests on a failed reading.
    pub gap: Option<Unknown>,
}

impl Owner {
    fn nobody(status: OwnerStatus, source: Option<String>, why: Option<String>) -> Self {
        Self {
            status,
            names: Vec::new(),
            emails: Vec::new(),
            team: None,
            source,
            why,
            mapped_by: None,
            gap: None,
        }
    }
}

/// Finds owners by one configuration.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    spec: OwnerSpec,
    folded: Vec<String>,
    placeholders: BTreeSet<String>,
}

impl Resolver {
    pub(crate) fn new(spec: OwnerSpec, placeholders: BTreeSet<String>) -> Self {
        let folded = spec.tags.iter().map(|key| fold_key(key)).collect();
        Self { spec, folded, placeholders }
    }

    /// The keys of the mapping.
    pub(crate) fn mapped_keys(&self) -> impl Iterator<Item = &str> {
        self.spec.map.keys().map(String::as_str)
    }

    pub(crate) fn owner(&self, claimed: &Claimed<'_>) -> Owner {
        if let Some((key, owner)) = self.mapped(claimed) {
            let owner = self.named(owner, format!("owners.map {key:?}"));
            return Owner { mapped_by: Some(key), ..owner };
        }
        if let Some(gap) = claimed.tags.not_offered() {
            return self.without_tags(claimed, gap);
        }
        let mut empty = None;
        for key in &self.folded {
            let tags = match claimed.tags.of(key) {
                Ok(tags) => tags,
                Err(unknown) => {
                    let mut owner = Owner::nobody(
                        OwnerStatus::Unreadable,
                        None,
                        Some(format!("tags unread: {unknown}")),
                    );
                    owner.gap = Some(unknown.clone());
                    return owner;
                }
            };
            match self.tagged(&tags) {
                None => {}
                Some(owner) if owner.status == OwnerStatus::Empty => {
                    empty.get_or_insert(owner);
                }
                Some(owner) => return owner,
            }
        }
        empty.unwrap_or_else(|| {
            let keys = self.spec.tags.join(", ");
            Owner::nobody(OwnerStatus::Absent, None, Some(format!("no tag {keys}")))
        })
    }

    /// The mapping names a machine by `provider/account/location/id` or `provider/account/id`, the
    /// account by its name in the configuration or at the provider.
    fn mapped(&self, claimed: &Claimed<'_>) -> Option<(String, &str)> {
        if self.spec.map.is_empty() {
            return None;
        }
        let id = claimed.id;
        [
            id.to_string(),
            format!("{}/{}/{}/{}", id.provider, claimed.account, id.location, id.native),
            format!("{}/{}/{}", id.provider, claimed.account, id.native),
            format!("{}/{}/{}", id.provider, id.account, id.native),
        ]
        .into_iter()
        .find_map(|key| self.spec.map.get(&key).map(|owner| (key, owner.as_str())))
    }

    fn without_tags(&self, claimed: &Claimed<'_>, gap: &Unknown) -> Owner {
        let by_name = self.spec.name_pattern.as_ref().zip(claimed.name.value()).and_then(
            |(pattern, name)| pattern.owner(name).map(|owner| (owner, format!("name {name:?}"))),
        );
        if let Some((owner, source)) = by_name {
            return self.named(owner, source);
        }
        let provider = &claimed.id.provider;
        let mut owner = Owner::nobody(
            OwnerStatus::Unreadable,
            None,
            Some(format!("owner unknown at {provider}: the provider gives no tags")),
        );
        owner.gap = Some(gap.clone());
        owner
    }

    /// What the tags of one folded key say; `None` when there are none.
    fn tagged(&self, tags: &[&Tag]) -> Option<Owner> {
        let (first, rest) = tags.split_first()?;
        let value = first.trimmed_value();
        if rest.iter().any(|tag| tag.trimmed_value().to_lowercase() != value.to_lowercase()) {
            let all: Vec<_> = tags.iter().map(|tag| quote(tag)).collect();
            let names = tags.iter().map(|tag| tag.trimmed_value()).filter(|name| !name.is_empty());
            return Some(Owner {
                names: names.map(str::to_owned).collect(),
                ..Owner::nobody(
                    OwnerStatus::Conflicting,
                    Some(format!("tags {}", all.join(" and "))),
                    Some(format!("the tags {} disagree", all.join(" and "))),
                )
            });
        }
        let source = format!("tag {}", quote(first));
        if value.is_empty() {
            return Some(Owner::nobody(
                OwnerStatus::Empty,
                Some(source),
                Some(format!("{} is empty", quote(first))),
            ));
        }
        if self.placeholders.contains(&value.to_lowercase()) {
            let why = format!(
                "{} counts as empty: {value:?} is on the list of placeholders",
                quote(first)
            );
            return Some(Owner::nobody(OwnerStatus::Empty, Some(source), Some(why)));
        }
        Some(self.named(value, source))
    }

    pub(crate) fn named(&self, text: &str, source: String) -> Owner {
        let names = self.split(text);
        if names.is_empty() {
            let why = format!("{source} names nobody");
            return Owner::nobody(OwnerStatus::Empty, Some(source), Some(why));
        }
        let people: Vec<Option<&Person>> = names.iter().map(|name| self.person(name)).collect();
        let (status, why) = self.status(&names, &people);
        let mut emails: Vec<String> = Vec::new();
        for (name, person) in names.iter().zip(&people) {
            if person.is_some_and(|person| person.status == Employment::Departed) {
                continue;
            }
            let address =
                person.and_then(|person| person.email.clone()).or_else(|| self.address(name));
            if let Some(address) = address
                && !emails.iter().any(|known| known.eq_ignore_ascii_case(&address))
            {
                emails.push(address);
            }
        }
        let team = people.iter().flatten().find_map(|person| person.team.clone());
        Owner { status, names, emails, team, source: Some(source), why, mapped_by: None, gap: None }
    }

    fn status(
        &self,
        names: &[String],
        people: &[Option<&Person>],
    ) -> (OwnerStatus, Option<String>) {
        if self.spec.directory.is_none() {
            return (OwnerStatus::Known, None);
        }
        if people.iter().flatten().any(|person| person.status == Employment::Active) {
            return (OwnerStatus::Known, None);
        }
        let all = names.join(", ");
        if people.iter().all(Option::is_some) {
            (OwnerStatus::Departed, Some(format!("{all} left, says the directory")))
        } else {
            (OwnerStatus::Unknown, Some(format!("{all} is not in the directory")))
        }
    }

    fn person(&self, name: &str) -> Option<&Person> {
        let directory = self.spec.directory.as_ref()?;
        directory.find(name).or_else(|| directory.find(&self.address(name)?))
    }

    /// Where mail for this name goes: the name if it is an address, else the name at the domain.
    fn address(&self, name: &str) -> Option<String> {
        if name.contains('@') {
            return is_address(name).then(|| name.to_owned());
        }
        let address = format!("{name}@{}", self.spec.domain.as_deref()?);
        is_address(&address).then_some(address)
    }

    /// Several owners in one value. Blanks and `/` separate addresses only: a bare `Alice Smith` or
    /// `n/a` is one name. A value that the directory knows as a whole is not split.
    fn split(&self, text: &str) -> Vec<String> {
        if self.person(text).is_some() {
            return vec![text.to_owned()];
        }
        let mut names: Vec<String> = Vec::new();
        for part in text.split([';', ',', '|']) {
            for name in people(part) {
                if !names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                    names.push(name.to_owned());
                }
            }
        }
        names
    }
}

/// The people that a part between separators names. Beside an address, words are its decoration:
/// `Alice Smith <alice@example.org>` and `alice@example.org (vision)` are one person.
fn people(part: &str) -> Vec<&str> {
    let part = trim_blanks(part);
    if !part.contains('@') {
        return if part.is_empty() { Vec::new() } else { vec![part] };
    }
    part.split(|c: char| matches!(c, '/' | '<' | '>' | '(' | ')') || c.is_whitespace())
        .map(|word| word.strip_prefix("mailto:").unwrap_or(word))
        .filter(|word| word.contains('@'))
        .collect()
}

/// Good enough to hand to a mail server: one `@`, something on both sides, no blanks or controls,
/// no dot at either end.
pub fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.split_once('@') else { return false };
    let plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && !part.ends_with('.')
            && !part.chars().any(|c| c == '@' || c.is_whitespace() || c.is_control())
    };
    plain(local) && plain(domain) && !text.contains(['<', '>', ',', ';', '"'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_before_anybody_is_mailed() {
        assert!(is_address("r.example@example.org"));
        for text in [
            "broken.@example.org",
            "@example.org",
            "a@",
            "a b@c",
            "a@b@c",
            "alice",
            "a@b.\r\nBcc: x@y",
        ] {
            assert!(!is_address(text), "{text:?}");
        }
    }
}
