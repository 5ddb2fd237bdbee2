//! What the listings of volumes, addresses, snapshots and images have in common: things by name, all
//! or none, filters by tag, and pages.

use std::collections::BTreeMap;

use crate::aws::error::AwsError;
use crate::aws::form::Filter;
use crate::aws::paging::Page;
use crate::aws::wire::Ask;
use crate::aws::xml::Xml;

/// Whether all things that a request names are there. EC2 has a word of its own for each kind of
/// thing that is not.
pub(super) fn all_there(
    names: &[&str],
    kind: (&'static str, &str),
    is_there: impl Fn(&str) -> bool,
) -> Result<(), AwsError> {
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_there(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (code, words) = kind;
    Err(AwsError::bad(code, format!("The {words} '{}' does not exist.", missing.join(", "))))
}

/// The page of things that is asked for. EC2 does not page what it was asked for by name.
pub(super) fn page<'a, T>(
    ask: &Ask<'_>,
    names: &[&str],
    things: impl Iterator<Item = (&'a str, T)>,
) -> Result<Page<T>, AwsError> {
    if !names.is_empty() && ask.form.get("MaxResults").is_some() {
        let words = "The parameter maxResults cannot be used with a list of ids";
        return Err(AwsError::bad("InvalidParameterCombination", words));
    }
    let paging = ask.paging(5..=1_000, None)?;
    let after = paging.after().map(|(id, _)| id);
    let rest = things
        .filter(|(id, _)| names.is_empty() || names.contains(id))
        .filter(|(id, _)| after.is_none_or(|after| *id > after));
    Ok(paging.take(rest.map(|(id, thing)| ((id, ""), thing))))
}

/// Whether a filter is one by tag.
pub(super) fn is_of_tags(filter: &str) -> bool {
    filter == "tag-key" || filter.starts_with("tag:")
}

/// Whether tags pass a filter by tag.
pub(super) fn passes(filter: &Filter, tags: &BTreeMap<String, String>) -> bool {
    if filter.name == "tag-key" {
        return tags.keys().any(|key| filter.fits(key));
    }
    let value = filter.name.strip_prefix("tag:").and_then(|key| tags.get(key));
    value.is_some_and(|value| filter.fits(value))
}

/// The tags, where there are some.
pub(super) fn write_tags(xml: &mut Xml, tags: &BTreeMap<String, String>) {
    if tags.is_empty() {
        return;
    }
    xml.set("tagSet", tags, |xml, (key, value)| {
        xml.leaf("key", key);
        xml.leaf("value", value);
    });
}
