//! The keys that requests are signed with. While one takes the place of another, each signs, and
//! the receiver may know either.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

const PREFIX: &str = "whsec_";
/// Bytes of a key, as the standard asks for.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A text is no key. Nothing of it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret is `whsec_` and the base64 of 24 to 64 bytes")]
pub struct KeyError;

/// A key, ready to sign.
#[derive(Clone)]
pub(super) struct SigningKey(Hmac<Sha256>);

impl SigningKey {
    pub(super) fn read(secret: &SecretString) -> Result<Self, KeyError> {
        let encoded = secret.expose_secret().trim().strip_prefix(PREFIX).ok_or(KeyError)?;
        let bytes = STANDARD.decode(encoded).map_err(|_| KeyError)?;
        if !LENGTHS.contains(&bytes.len()) {
            return Err(KeyError);
        }
        Hmac::new_from_slice(&bytes).map(Self).map_err(|_| KeyError)
    }

    /// `v1,` and the base64 of the HMAC over id, time stamp and body.
    fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(format!("{id}.{timestamp}.").as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The signatures of all keys, as the header lists them.
pub(super) fn signatures(keys: &[SigningKey], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signatures: Vec<String> = keys.iter().map(|key| key.sign(id, timestamp, body)).collect();
    signatures.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Result<SigningKey, KeyError> {
        SigningKey::read(&text.into())
    }

    #[test]
    fn the_example_of_the_standard_is_signed_alike() {
        let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a key");
        let body = br#"{"test": 2432232314}"#;
        assert_eq!(
            signatures(&[key.clone(), key], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= \
             v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn secrets_never_leave_what_is_no_key_is_refused_and_not_shown() {
        let long = format!("whsec_{}", STANDARD.encode([7; 65]));
        let short = format!("whsec_{}", STANDARD.encode([7; 23]));
        for text in ["", "hunter2", "whsec_", "whsec_hunter2!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
            .into_iter()
            .chain([long.as_str(), short.as_str()])
        {
            let error = key(text).expect_err("no key");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{text}");
        }
        let key = key(&format!("whsec_{}", STANDARD.encode([7; 24]))).expect("a key");
        assert_eq!(format!("{key:?}"), "SigningKey");
    }
}
