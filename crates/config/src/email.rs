//! `[notify.email]`: who writes, through which server, to whom.

use std::path::Path;

use reaper_model::Span;
use reaper_policy::OwnerSpec;

use crate::contact::{self, distinct, domain_of};
use crate::context::{Context, help};
use crate::section::Section;
use crate::settings::list;
use crate::types::{Email, Login, Smtp, Tls};
use crate::units::Size;

const DEFAULT_MAX_SIZE: Size = Size::from_mib(10);
const DEFAULT_REMIND_EVERY: Span = Span::from_secs(7 * 24 * 60 * 60);

/// The mail settings. `owners` and `ca_bundle` give the defaults of some.
pub(crate) fn email(
    cx: &mut Context<'_>,
    root: &Section<'_>,
    owners: &OwnerSpec,
    ca_bundle: Option<&Path>,
) -> Option<Email> {
    let section = root.table(cx, "notify")?.table(cx, "email")?;
    let from = section.address(cx, "from");
    let from_name = from_name(cx, &section);
    let reply_to = section.address(cx, "reply_to");
    let max_size = section.size_or(cx, "max_size", DEFAULT_MAX_SIZE);
    let smtp = section.table(cx, "smtp").and_then(|section| smtp(cx, &section, ca_bundle));
    let report_to = report_to(cx, &section, owners);
    let allowed_domains = allowed_domains(cx, &section, owners, from.as_deref());
    let remind_every = section.limit_or(cx, "remind_every", DEFAULT_REMIND_EVERY);
    Some(Email {
        from: from?,
        from_name,
        reply_to,
        max_size,
        smtp: smtp?,
        report_to,
        allowed_domains,
        remind_every,
    })
}

fn from_name(cx: &mut Context<'_>, section: &Section<'_>) -> Option<String> {
    let text = section.text(cx, "from_name")?;
    if text.value.contains(char::is_control) {
        let message = format!("{} has control characters", section.label("from_name"));
        cx.refuse(text.span, message, help("a name is one line of text"));
        return None;
    }
    Some(text.value)
}

fn report_to(cx: &mut Context<'_>, section: &Section<'_>, owners: &OwnerSpec) -> Vec<String> {
    let is_default = section.value("report_to").is_none();
    let addresses = if is_default {
        owners.fallback.iter().cloned().collect()
    } else {
        section.any_addresses(cx, "report_to")
    };
    if is_default && addresses.is_empty() {
        let text = "there is neither `report_to` nor `owners.fallback`: a report reaches nobody";
        cx.warn("config-report-to-nobody", &section.subject, text);
    }
    cx.record(section.path_of("report_to"), list(&addresses), is_default);
    addresses
}

fn allowed_domains(
    cx: &mut Context<'_>,
    section: &Section<'_>,
    owners: &OwnerSpec,
    from: Option<&str>,
) -> Vec<String> {
    let is_default = section.value("allowed_domains").is_none();
    let domains = if is_default {
        let own = owners.domain.as_ref().map(|domain| domain.to_lowercase());
        distinct(own.into_iter().chain(from.and_then(domain_of)).collect())
    } else {
        section.domains(cx, "allowed_domains")
    };
    cx.record(section.path_of("allowed_domains"), list(&domains), is_default);
    domains
}

fn smtp(cx: &mut Context<'_>, section: &Section<'_>, ca_bundle: Option<&Path>) -> Option<Smtp> {
    let host = section.host(cx, "host");
    let word = section.word(cx, "tls");
    let tls = match word {
        Some("implicit") => Tls::Implicit,
        Some("none") => Tls::None,
        _ => Tls::StartTls,
    };
    cx.record(section.path_of("tls"), word.unwrap_or("starttls"), section.value("tls").is_none());
    let usual = match tls {
        Tls::StartTls => 587,
        Tls::Implicit => 465,
        Tls::None => 25,
    };
    let port = section.whole(cx, "port").and_then(|port| u16::try_from(port).ok());
    let port = port.unwrap_or(usual);
    cx.record(section.path_of("port"), port, section.value("port").is_none());
    let login = login(cx, section);
    let own_bundle = section.readable_file(cx, "ca_bundle");
    let (name, host) = host?;
    if tls == Tls::None && !contact::is_loopback(&host) {
        if section.value("password").is_some() {
            cx.refuse(
                section.place("tls"),
                format!("{}: the password would be sent in the clear", section.subject),
                help("write tls = \"starttls\" or \"implicit\"; \"none\" is for this machine only"),
            );
        } else {
            let text = "`tls` is \"none\": mail crosses the network in the clear";
            cx.warn("config-plain-smtp", &section.subject, text);
        }
    }
    let ca_bundle = own_bundle.or_else(|| ca_bundle.map(Path::to_owned));
    Some(Smtp { host: name, port, tls, login, ca_bundle })
}

fn login(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Login> {
    let user = section.text(cx, "user").map(|text| text.value);
    let password = section.secret(cx, "password");
    for (there, missing) in [("user", "password"), ("password", "user")] {
        if section.value(there).is_some() && section.value(missing).is_none() {
            let message = format!("{}: there is `{there}` without `{missing}`", section.subject);
            cx.refuse(section.place(there), message, help("write both or neither"));
        }
    }
    Some(Login { user: user?, password: password? })
}
