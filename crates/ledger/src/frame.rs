//! One stored document: `{"format":2,"sha256":"…","body":…}`. The digest covers the bytes of the
//! body, so that a torn or edited object is noticed before anything in it is believed.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// The format that this version writes, and the newest that it reads. Goes up whenever an older
/// version would misread what a newer one writes, a new kind of entry included.
///
/// | format | brought |
/// | --- | --- |
/// | 1 | machines, cases, notices, actions, exemptions, leases |
/// | 2 | money: meters, frozen rates, alerts by limit and recipient. No alert was written before |
/// | 3 | weekly reports by due time and recipient, and what channels were told of stops |
pub const FORMAT: u32 = 3;

/// The oldest that it reads: a log goes on in the newest format from where it was.
const OLDEST: u32 = 1;

const BEFORE_BODY: &str = "\",\"body\":";
const HEX: usize = 64;

/// SHA-256 of a document's body; in JSON and text 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// What the first commit names as its predecessor.
    pub const NONE: Self = Self([0; 32]);

    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != HEX || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        {
            return None;
        }
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("expected 64 hexadecimal digits"))
    }
}

/// A body as stored bytes, and its digest.
pub(crate) fn encode<T: Serialize>(object: &str, body: &T) -> Result<(Vec<u8>, Digest), Error> {
    let body = serde_json::to_vec(body).map_err(|error| unreadable(object, &error))?;
    let digest = Digest::of(&body);
    let mut bytes = start(digest).into_bytes();
    bytes.extend_from_slice(&body);
    bytes.extend_from_slice(b"}\n");
    Ok((bytes, digest))
}

/// The body of stored bytes, if they are whole and unchanged, and its digest.
pub(crate) fn decode<T: DeserializeOwned>(
    object: &str,
    bytes: &[u8],
) -> Result<(T, Digest), Error> {
    let (body, digest) = split(bytes).ok_or_else(|| stranger(object, bytes))?;
    if Digest::of(body) != digest {
        return Err(unreadable(object, &"torn or edited: its bytes do not match its digest"));
    }
    let body = serde_json::from_slice(body).map_err(|error| unreadable(object, &error))?;
    Ok((body, digest))
}

fn start(digest: Digest) -> String {
    format!("{}{digest}{BEFORE_BODY}", opening(FORMAT))
}

fn opening(format: u32) -> String {
    format!("{{\"format\":{format},\"sha256\":\"")
}

fn split(bytes: &[u8]) -> Option<(&[u8], Digest)> {
    let opened = |format| bytes.strip_prefix(opening(format).as_bytes());
    let rest = (OLDEST..=FORMAT).rev().find_map(opened)?;
    let (digest, rest) = rest.split_at_checked(HEX)?;
    let body = rest.strip_prefix(BEFORE_BODY.as_bytes())?.strip_suffix(b"}\n")?;
    Some((body, Digest::parse(std::str::from_utf8(digest).ok()?)?))
}

/// Not a document that this version reads: one of a later format, or none at all.
fn stranger(object: &str, bytes: &[u8]) -> Error {
    #[derive(Deserialize)]
    struct Any {
        format: u32,
    }
    match serde_json::from_slice(bytes) {
        Ok(Any { format }) if format > FORMAT => {
            Error::NewerFormat { object: object.to_owned(), found: format, known: FORMAT }
        }
        Ok(_) | Err(_) => unreadable(object, &"torn, or not written by this program"),
    }
}

pub(crate) fn unreadable(object: &str, why: &dyn fmt::Display) -> Error {
    Error::Unreadable { object: object.to_owned(), why: why.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_comes_back_with_its_digest() {
        let (bytes, digest) = encode("x", &["a", "b"]).expect("serialises");
        let read: (Vec<String>, Digest) = decode("x", &bytes).expect("whole");
        assert_eq!(read, (vec!["a".to_owned(), "b".to_owned()], digest));
        serde_json::from_slice::<serde_json::Value>(&bytes).expect("one JSON document");
    }

    #[test]
    fn every_cut_and_every_flipped_byte_is_noticed() {
        let (bytes, _) = encode("x", &["some", "text"]).expect("serialises");
        for at in 0..bytes.len() {
            assert!(decode::<Vec<String>>("x", &bytes[..at]).is_err(), "cut at {at}");
            let mut edited = bytes.clone();
            edited[at] ^= 1;
            let read = decode::<Vec<String>>("x", &edited);
            // The number of an older format is one that is read too, and of the same body.
            let older = edited.starts_with(opening(FORMAT - 1).as_bytes());
            assert!(read.is_err() || older, "flipped at {at}");
        }
    }

    #[test]
    fn a_later_format_is_told_apart_from_rubbish() {
        let later = br#"{"format":7,"whatever":{}}"#;
        let error = decode::<u8>("x", later).expect_err("not ours");
        assert!(matches!(error, Error::NewerFormat { found: 7, known: FORMAT, .. }), "{error}");
    }
}
