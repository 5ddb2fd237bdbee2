//! Mail addresses, domains and hosts, as `[owners]` and `[notify.email]` write them.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv6Addr};

use reaper_policy::owner::is_address;
use url::Host;

use crate::context::{Context, help};
use crate::section::Section;
use crate::value::Text;

impl Section<'_> {
    /// A mail address.
    pub(crate) fn address(&self, cx: &mut Context<'_>, name: &str) -> Option<String> {
        let text = self.text(cx, name)?;
        address(cx, &self.label(name), text)
    }

    /// One mail address or a list of any length, none twice; nothing if the key is not there.
    pub(crate) fn any_addresses(&self, cx: &mut Context<'_>, name: &str) -> Vec<String> {
        let texts = self.texts(cx, name);
        self.distinct_addresses(cx, name, texts)
    }

    /// One mail address or a list of at least one, none twice; nothing if the key is not there.
    pub(crate) fn addresses(&self, cx: &mut Context<'_>, name: &str) -> Vec<String> {
        let texts = self.some_texts(cx, name);
        self.distinct_addresses(cx, name, texts)
    }

    fn distinct_addresses(
        &self,
        cx: &mut Context<'_>,
        name: &str,
        texts: Vec<Text>,
    ) -> Vec<String> {
        let what = self.label(name);
        let addresses = texts.into_iter().filter_map(|text| address(cx, &what, text));
        let mut seen = BTreeSet::new();
        addresses.filter(|address| seen.insert(address.to_lowercase())).collect()
    }

    /// The part of an address behind the `@`.
    pub(crate) fn domain(&self, cx: &mut Context<'_>, name: &str) -> Option<String> {
        let text = self.text(cx, name)?;
        domain(cx, text)
    }

    /// One domain or a list of at least one, in lower case, none twice; nothing if the key is not
    /// there.
    pub(crate) fn domains(&self, cx: &mut Context<'_>, name: &str) -> Vec<String> {
        let texts = self.some_texts(cx, name);
        let domains = texts.into_iter().filter_map(|text| domain(cx, text));
        distinct(domains.map(|domain| domain.to_lowercase()).collect())
    }

    /// The name or address of another machine; an IPv6 address without its brackets.
    pub(crate) fn host(&self, cx: &mut Context<'_>, name: &str) -> Option<(String, Host)> {
        let text = self.text(cx, name)?;
        let bare = text.value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let bare = bare.unwrap_or(&text.value);
        let host = match bare.parse::<Ipv6Addr>() {
            Ok(address) => Ok(Host::Ipv6(address)),
            Err(_) => Host::parse(&text.value),
        };
        if let Ok(host) = host {
            return Some((bare.to_owned(), host));
        }
        if text.value.contains('@') {
            // What stands before it may be a login.
            cx.conceal([text.span.clone()]);
        }
        cx.refuse(
            text.span,
            format!("{} is not the name of a machine", self.label(name)),
            help("write the name alone, such as \"smtp.example.org\"; port and login have keys"),
        );
        None
    }
}

fn address(cx: &mut Context<'_>, what: &str, text: Text) -> Option<String> {
    if !is_address(&text.value) {
        let message = format!("{what}: `{}` is no mail address", text.value);
        cx.refuse(text.span, message, help("write for example \"gpu-team@example.org\""));
        return None;
    }
    Some(text.value)
}

fn domain(cx: &mut Context<'_>, text: Text) -> Option<String> {
    let foreign = |c: char| c.is_whitespace() || c.is_control() || "@*/:,;".contains(c);
    if text.value.contains(foreign) || text.value.starts_with('.') || text.value.ends_with('.') {
        let message = format!("`{}` is no domain", text.value);
        cx.refuse(text.span, message, help("write the part behind the @, such as \"example.org\""));
        return None;
    }
    Some(text.value)
}

/// The part behind the `@`, in lower case.
pub(crate) fn domain_of(address: &str) -> Option<String> {
    address.rsplit_once('@').map(|(_, domain)| domain.to_lowercase())
}

/// Without what was there before, in the order given.
pub(crate) fn distinct(entries: Vec<String>) -> Vec<String> {
    entries.into_iter().fold(Vec::new(), |mut kept, entry| {
        if !kept.contains(&entry) {
            kept.push(entry);
        }
        kept
    })
}

/// Whether nothing sent there leaves this machine.
pub(crate) fn is_loopback<S: AsRef<str>>(host: &Host<S>) -> bool {
    match host {
        Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).is_loopback(),
        Host::Domain(name) => name.as_ref() == "localhost",
    }
}
