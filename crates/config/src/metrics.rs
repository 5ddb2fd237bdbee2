//! `[metrics]`: where it is learnt what machines do.

use reaper_model::Span;
use url::Url;

use crate::contact::is_loopback;
use crate::context::{Context, help};
use crate::section::Section;
use crate::types::{Login, Metrics, PrometheusAuth, PrometheusServer, SigV4Keys};

const DEFAULT_LABEL: &str = "instance";
const DEFAULT_TIMEOUT: Span = Span::from_secs(30);

/// The sources; without a table everything that needs no address.
pub(crate) fn metrics(cx: &mut Context<'_>, root: &Section<'_>) -> Metrics {
    let section = root.table_or_defaults(cx, "metrics");
    let clouds = flag(cx, &section, "clouds");
    let probe = flag(cx, &section, "probe");
    let prometheus = section.table(cx, "prometheus").and_then(|section| prometheus(cx, &section));
    Metrics { clouds, probe, prometheus }
}

fn flag(cx: &mut Context<'_>, section: &Section<'_>, key: &str) -> bool {
    let given = section.flag(cx, key).unwrap_or(true);
    cx.record(section.path_of(key), given, section.value(key).is_none());
    given
}

fn prometheus(cx: &mut Context<'_>, section: &Section<'_>) -> Option<PrometheusServer> {
    let label = label(cx, section);
    let auth = auth(cx, section);
    let url = url(cx, section);
    let timeout = section.limit_or(cx, "timeout", DEFAULT_TIMEOUT);
    Some(PrometheusServer { url: url?, label, auth: auth?, timeout })
}

fn label(cx: &mut Context<'_>, section: &Section<'_>) -> String {
    let label = section.text_or(cx, "label", DEFAULT_LABEL);
    let usual = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !label.chars().all(usual) || label.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!("{}: `{label}` is no name of a label", section.label("label"));
        let advice = help("letters, digits and _, such as \"instance\" or \"Hostname\"");
        cx.refuse(section.place("label"), message, advice);
    }
    label
}

/// At most one way to log in; `None` if what is there was refused.
fn auth(cx: &mut Context<'_>, section: &Section<'_>) -> Option<PrometheusAuth> {
    let given: Vec<&str> = logins(section).collect();
    if let [first, second, ..] = given[..] {
        let message = format!("{}: there are `{first}` and `{second}`", section.subject);
        cx.refuse(section.place(second), message, help("keep the one that the server asks for"));
    }
    match given.first().copied() {
        Some("basic") => {
            let basic = section.table(cx, "basic")?;
            let user = basic.text(cx, "user").map(|text| text.value);
            let password = basic.secret(cx, "password");
            Some(PrometheusAuth::Basic(Login { user: user?, password: password? }))
        }
        Some("bearer") => section.secret(cx, "bearer").map(PrometheusAuth::Bearer),
        Some(_) => {
            let keys = section.table(cx, "sigv4")?;
            let region = keys.text(cx, "region").map(|text| text.value);
            let access_key_id = keys.secret(cx, "access_key_id");
            let secret_access_key = keys.secret(cx, "secret_access_key");
            let session_token = keys.secret(cx, "session_token");
            Some(PrometheusAuth::SigV4(SigV4Keys {
                region: region?,
                access_key_id: access_key_id?,
                secret_access_key: secret_access_key?,
                session_token,
            }))
        }
        None => Some(PrometheusAuth::None),
    }
}

fn logins<'s>(section: &'s Section<'_>) -> impl Iterator<Item = &'static str> + 's {
    ["basic", "bearer", "sigv4"].into_iter().filter(|key| section.value(key).is_some())
}

/// What a server in the same network is told in the clear is nobody's secret, but a login is.
fn url(cx: &mut Context<'_>, section: &Section<'_>) -> Option<String> {
    let text = section.text(cx, "url")?;
    let has_login = logins(section).next().is_some();
    let problem = match Url::parse(&text.value) {
        Err(error) => Some(format!("is no address: {error}")),
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            Some("has a login in it; `basic` is for that".to_owned())
        }
        Ok(url) if url.query().is_some() || url.fragment().is_some() => {
            Some("has a query; it is a base address".to_owned())
        }
        Ok(url) if url.path().trim_end_matches('/').ends_with("/api/v1") => {
            Some("ends with /api/v1, which is added".to_owned())
        }
        Ok(url) => match (url.scheme(), url.host()) {
            ("https", Some(_)) => None,
            ("http", Some(host)) if !has_login || is_loopback(&host) => None,
            ("http", Some(_)) => Some("would be sent a login in the clear".to_owned()),
            _ => Some("begins with neither https:// nor http://".to_owned()),
        },
    };
    if let Some(problem) = problem {
        let message = format!("{} {problem}", section.label("url"));
        cx.refuse(text.span, message, help("write for example \"https://prometheus.example.org\""));
        return None;
    }
    Some(text.value)
}
