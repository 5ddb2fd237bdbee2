//! Setting and removing one tag. Scaleway replaces the whole list, so it is read just before, and
//! all other texts go back as they came, in their order. What somebody else changes between that
//! reading and the answer would be lost: there is no call that guards against it.

use reaper_http::Lenient;
use reaper_model::InstanceId;
use reaper_model::tags::fold_key;
use reaper_provider::{CallContext, Delivery, ErrorKind, ProviderError, TagPermit};

use crate::client::{Api, SERVER, UPDATE};
use crate::tags::{SSH_KEY, parse};
use crate::wire;

/// Does what the permit says. Sends nothing that changes where nothing would change.
pub(crate) async fn change(
    api: &Api,
    cx: &CallContext,
    permit: &TagPermit,
) -> Result<(), ProviderError> {
    let InstanceId { location, native, .. } = permit.id();
    let entry = permit.value().map(|value| written(permit.key(), value)).transpose()?;
    let before = texts(&api.server(cx, location, native).await?, SERVER)?;
    let wanted = changed(before.clone(), permit.key(), entry);
    if wanted == before {
        return Ok(());
    }
    let mut shown = texts(&api.set_tags(cx, location, native, &wanted).await?, UPDATE)?;
    let mut expected = wanted;
    shown.sort();
    expected.sort();
    if shown == expected {
        return Ok(());
    }
    let detail = "the tags that were sent are not those that are shown";
    Err(ProviderError::answered(ErrorKind::Inconsistent, UPDATE, detail))
}

/// Every tag, letter for letter. One that cannot be read would be lost.
fn texts(server: &wire::Server, call: &str) -> Result<Vec<String>, ProviderError> {
    let all = server.tags.good().map(|tags| tags.iter().map(Lenient::good).collect());
    let all: Option<Vec<&String>> = all.flatten();
    all.map(|tags| tags.into_iter().cloned().collect()).ok_or_else(|| {
        let detail = "its tags cannot be read, so none of them is touched";
        ProviderError::answered(ErrorKind::Protocol, call, detail)
    })
}

/// The tag as one text: `key=value`, or the bare key where there is no value.
fn written(key: &str, value: &str) -> Result<String, ProviderError> {
    let word = value.is_empty() && parse(key).value.is_none();
    let text = if word { key.to_owned() } else { format!("{key}={value}") };
    let tag = parse(&text);
    if tag.key == key && tag.value.unwrap_or_default() == value && !text.starts_with(SSH_KEY) {
        return Ok(text);
    }
    let detail = format!("{key:?} cannot be the key of a tag at Scaleway");
    Err(ProviderError::new(ErrorKind::Invalid, Delivery::NotSent, UPDATE, detail))
}

/// The list with `entry` in place of what has exactly this key, or without any spelling of the key.
/// What is only spelled alike stays when a tag is set, because it may say more; when it is removed,
/// whatever would still be read as that tag goes.
fn changed(mut texts: Vec<String>, key: &str, entry: Option<String>) -> Vec<String> {
    let key_of = |text: &str| (!text.starts_with(SSH_KEY)).then(|| parse(text).key);
    let Some(entry) = entry else {
        let folded = fold_key(key);
        texts.retain(|text| key_of(text).is_none_or(|other| fold_key(&other) != folded));
        return texts;
    };
    let is_it = |text: &String| key_of(text).is_some_and(|other| other == key);
    let place = texts.iter().position(is_it).unwrap_or(texts.len());
    texts.retain(|text| !is_it(text));
    texts.insert(place, entry);
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEP: &str = "reaper-keep";

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn set(texts: &[&str], value: &str) -> Vec<String> {
        changed(list(texts), KEEP, Some(written(KEEP, value).expect("a key")))
    }

    #[test]
    fn fl_036_one_entry_changes_and_all_others_stay_letter_for_letter() {
        let others = ["n=a=b", " odd : tag ", "AUTHORIZED_KEY=ssh-rsa_A", "owner=", "owner="];
        let new = "reaper-keep=2026-12-24";
        assert_eq!(set(&others, "2026-12-24"), list(&[&others[..], &[new]].concat()));
        let (head, tail) = others.split_at(2);
        for old in ["reaper-keep", "reaper-keep=", "reaper-keep:true", "reaper-keep=false"] {
            let found = set(&[head, &[old], tail, &["reaper-keep=again"]].concat(), "2026-12-24");
            assert_eq!(found, list(&[head, &[new], tail].concat()), "{old}");
        }
        assert_eq!(set(&["owner="], ""), list(&["owner=", "reaper-keep"]));
    }

    #[test]
    fn another_spelling_stays_when_set_and_goes_when_removed() {
        assert_eq!(set(&["Reaper_Keep"], "x"), list(&["Reaper_Keep", "reaper-keep=x"]));
        let texts = ["a", "Reaper_Keep", "reaper-keep=x", "reaper.keep:y", "AUTHORIZED_KEY=reaper"];
        assert_eq!(changed(list(&texts), KEEP, None), list(&["a", "AUTHORIZED_KEY=reaper"]));
        let texts = list(&["a", "reaper-keeper=x", "x=reaper-keep"]);
        assert_eq!(changed(texts.clone(), KEEP, None), texts);
        let texts = list(&["AUTHORIZED_KEY=ssh-rsa_A"]);
        assert_eq!(changed(texts.clone(), "authorized-key", None), texts);
    }

    #[test]
    fn a_key_that_would_not_be_read_again_is_refused() {
        for key in ["", "a=b", "=", "AUTHORIZED_KEY"] {
            let error = written(key, "2026-12-24").expect_err(key);
            assert_eq!((error.kind, error.delivery), (ErrorKind::Invalid, Delivery::NotSent));
        }
        assert_eq!(written("team:keep", "").expect("a key"), "team:keep=");
    }
}
