//! Mail addresses, checked once where they come in: nothing later can break a header or a command
//! with them.

use std::fmt;
use std::str::FromStr;

use url::Host;

/// One mail address without a display name.
///
/// The domain is in its ASCII form and in lower case; the part before the `@` is as written. Equal
/// means equal letter for letter; [`Address::folded`] is for telling people apart.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address(lettre::Address);

/// Why a text is not a mail address. The text itself is not repeated: it comes from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Blanks, line breaks or other characters that nobody sees.
    #[error("a mail address holds no blanks or control characters")]
    Hidden,
    /// No `@`, or several.
    #[error("a mail address has exactly one `@`")]
    At,
    /// Nothing usable before the `@`.
    #[error("the part before the `@` is not usable")]
    Local,
    /// Nothing usable behind the `@`.
    #[error("the part behind the `@` is not a domain")]
    Domain,
}

impl Address {
    /// The domain, ASCII and in lower case.
    pub fn domain(&self) -> &str {
        self.0.domain()
    }

    /// The address in lower case: the same for all spellings of one mailbox.
    pub fn folded(&self) -> String {
        self.0.to_string().to_lowercase()
    }

    /// Whether only servers with the SMTPUTF8 extension can be told this address.
    pub fn needs_utf8(&self) -> bool {
        !self.0.user().is_ascii()
    }

    pub(crate) fn as_str(&self) -> &str {
        self.0.as_ref()
    }

    pub(crate) const fn on_the_wire(&self) -> &lettre::Address {
        &self.0
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_matches(' ');
        if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(AddressError::Hidden);
        }
        let (local, domain) = text.split_once('@').ok_or(AddressError::At)?;
        if domain.contains('@') {
            return Err(AddressError::At);
        }
        // Quoted local parts are legal and in nobody's use, but a good place to hide things in.
        if local.contains(['"', '\\', '(', ')', '<', '>', '[', ']', ',', ';', ':']) {
            return Err(AddressError::Local);
        }
        let domain = ascii_domain(domain)?;
        lettre::Address::new(local, domain).map(Self).map_err(|error| match error {
            lettre::address::AddressError::InvalidUser => AddressError::Local,
            _ => AddressError::Domain,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0.as_ref())
    }
}

/// `Bücher.example` → `xn--bcher-kva.example`. An IP address is no domain.
fn ascii_domain(text: &str) -> Result<String, AddressError> {
    // A percent sign would be decoded by the parser, which is made for URLs.
    if text.is_empty() || text.contains('%') || text.ends_with('.') {
        return Err(AddressError::Domain);
    }
    match Host::parse(text) {
        Ok(Host::Domain(domain)) if domain.chars().all(is_plain) => Ok(domain),
        Ok(_) | Err(_) => Err(AddressError::Domain),
    }
}

/// Letters of host names. The parser also lets pass what only a browser would look up.
const fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn plain_addresses_are_kept_and_their_domain_is_folded() {
        assert_eq!(address(" Alice.B+gpu@Example.ORG ").to_string(), "Alice.B+gpu@example.org");
        assert_eq!(address("root@mailhost").domain(), "mailhost");
        assert_eq!(address("ALICE@example.org").folded(), address("alice@Example.org").folded());
    }

    #[test]
    fn fl_030_a_name_without_a_domain_is_no_address() {
        assert_eq!("r.example".parse::<Address>(), Err(AddressError::At));
    }

    #[test]
    fn fl_134_line_breaks_never_get_into_an_address() {
        for text in ["a@example.org\r\nBcc: thief@example.net", "a\n@example.org", "a\u{0}@b.org"] {
            assert_eq!(text.parse::<Address>(), Err(AddressError::Hidden), "{text:?}");
        }
    }

    #[test]
    fn fl_136_broken_addresses_are_refused_one_by_one() {
        for (text, error) in [
            ("", AddressError::At),
            ("broken.@", AddressError::Domain),
            ("broken.@example.org", AddressError::Local),
            ("@example.org", AddressError::Local),
            ("a@b@example.org", AddressError::At),
            ("a@example.org,b@example.org", AddressError::At),
            ("<a@example.org>", AddressError::Local),
            ("\"a\"@example.org", AddressError::Local),
            ("a@-.org", AddressError::Domain),
            ("a@example..org", AddressError::Domain),
            ("a@example.org.", AddressError::Domain),
            ("a@10.0.0.1", AddressError::Domain),
            ("a@[10.0.0.1]", AddressError::Domain),
            ("a@ex%41mple.org", AddressError::Domain),
            ("a b@example.org", AddressError::Hidden),
        ] {
            assert_eq!(text.parse::<Address>(), Err(error), "{text:?}");
        }
    }

    #[test]
    fn fl_145_a_domain_outside_ascii_gets_its_ascii_form() {
        let address = address("jürgen@Bücher.example");
        assert_eq!(address.to_string(), "jürgen@xn--bcher-kva.example");
        assert!(address.needs_utf8());
        assert!(!self::address("j@Bücher.example").needs_utf8());
    }
}
