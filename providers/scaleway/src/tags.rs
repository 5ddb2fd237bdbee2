//! Scaleway's flat tags read as pairs, and the controllers that they name.
//!
//! A tag is one text. `key=value` is a pair, split at the first `=`; else `key:value`, split at the
//! first `:`; else it is a word. A tag that begins with its separator is a word. Tags that carry
//! SSH keys into a server are never shown. How one of them is changed is told in `retag`.

use chrono::{DateTime, Utc};
use reaper_http::Lenient;
use reaper_model::{Fact, Ignorance, Manager, Source, Tag, Tags};

/// How SSH keys were given to a server before Scaleway had an API for them.
pub(crate) const SSH_KEY: &str = "AUTHORIZED_KEY=";

/// Reads a server's tags. One that is no text makes all of them unknown: it may have been the
/// owner's.
pub(crate) fn read(
    raw: Lenient<Vec<Lenient<String>>>,
    source: &Source,
    now: DateTime<Utc>,
    unreadable: &mut Vec<String>,
) -> Fact<Tags> {
    let Some(raw) = raw.take("tags", unreadable) else {
        return Fact::unknown(Ignorance::Unusable, "Scaleway gave no readable list of tags");
    };
    let mut texts = Vec::new();
    for tag in raw {
        match tag {
            Lenient::Good(text) if text.starts_with(SSH_KEY) => {}
            Lenient::Good(text) => texts.push(text),
            Lenient::Missing | Lenient::Bad(_) => {
                unreadable.push("a tag that is no text".to_owned());
                return Fact::unknown(Ignorance::Unusable, "one of its tags is no text");
            }
        }
    }
    if texts.is_empty() {
        return Fact::absent(source);
    }
    let tags = Tags::new(texts.iter().map(|text| parse(text)).collect());
    Fact::known(tags.with_raw(texts), source, now)
}

/// Reads one tag.
pub(crate) fn parse(text: &str) -> Tag {
    let split = |separator| text.split_once(separator).filter(|(key, _)| !key.is_empty());
    match split('=').or_else(|| split(':')) {
        Some((key, value)) => Tag::pair(key, value),
        None => Tag::word(text),
    }
}

/// The controller that a server's tags name: a Kapsule node pool, which replaces what is stopped.
pub(crate) fn manager(tags: &Fact<Tags>, source: &Source, now: DateTime<Utc>) -> Fact<Manager> {
    let tags = match tags {
        Fact::Known { value, .. } => value,
        Fact::Absent { .. } => return Fact::absent(source),
        Fact::Unknown(_) => {
            return Fact::unknown(
                Ignorance::Unusable,
                "its tags, which would name a Kapsule pool, cannot be read",
            );
        }
    };
    let Some(cluster) = tags.exact("kapsule") else { return Fact::absent(source) };
    let pool = tags.exact("pool-name").or_else(|| tags.exact("pool")).unwrap_or("unnamed");
    let manager = Manager {
        kind: "kapsule".to_owned(),
        name: format!("{cluster} pool {pool}"),
        advice: "lower the size of its node pool".to_owned(),
    };
    Fact::known(manager, source, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(texts: &[&str]) -> Fact<Tags> {
        let raw = texts.iter().map(|text| Lenient::Good((*text).to_owned())).collect();
        read(Lenient::Good(raw), &Source::new("test"), DateTime::UNIX_EPOCH, &mut Vec::new())
    }

    #[test]
    fn fl_036_pairs_words_and_what_lies_between() {
        let read =
            tags(&["owner=a@example.org", "project:atlas", "reaper-keep", "owner=", "n=a=b"]);
        let read = read.value().expect("tags");
        let owners: Vec<_> = read.matching("owner").map(|tag| tag.value.as_deref()).collect();
        assert_eq!(owners, [Some(""), Some("a@example.org")]);
        assert_eq!(read.exact("project"), Some("atlas"));
        assert_eq!(read.exact("n"), Some("a=b"));
        assert!(read.iter().any(|tag| *tag == Tag::word("reaper-keep")));
        assert_eq!(parse("=x"), Tag::word("=x"));
        assert_eq!(parse(""), Tag::word(""));
    }

    #[test]
    fn ssh_keys_in_tags_are_never_shown() {
        let read = tags(&["AUTHORIZED_KEY=ssh-ed25519_AAAA_user", "Owner=Alice"]);
        assert_eq!(read.value().map(Tags::raw), Some(vec!["Owner=Alice".to_owned()]));
        assert!(matches!(tags(&["AUTHORIZED_KEY=ssh-rsa"]), Fact::Absent { .. }));
    }

    #[test]
    fn an_empty_list_is_a_confirmed_absence_and_null_is_not() {
        assert!(matches!(tags(&[]), Fact::Absent { .. }));
        let odd = vec![Lenient::Good("owner=alice".to_owned()), Lenient::Bad("a number")];
        for raw in [Lenient::Missing, Lenient::Bad("a text"), Lenient::Good(odd)] {
            let source = Source::new("test");
            let fact = read(raw, &source, DateTime::UNIX_EPOCH, &mut Vec::new());
            assert!(fact.gap().is_some());
            assert!(manager(&fact, &source, DateTime::UNIX_EPOCH).gap().is_some());
        }
    }

    #[test]
    fn kapsule_nodes_name_their_pool() {
        let read = tags(&["kapsule=494bb9c0", "pool=2c8fadc0", "pool-name=gpu", "managed=true"]);
        let found = manager(&read, &Source::new("test"), DateTime::UNIX_EPOCH);
        let name = found.value().map(ToString::to_string);
        assert_eq!(name.as_deref(), Some("kapsule 494bb9c0 pool gpu"));
        let other = manager(&tags(&["managed=true"]), &Source::new("test"), DateTime::UNIX_EPOCH);
        assert!(matches!(other, Fact::Absent { .. }));
    }
}
