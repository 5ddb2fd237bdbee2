//! `[notify.email]`: defaults that follow from other settings, and what is refused.

use secrecy::ExposeSecret;

use super::support::{ACCOUNT, accepted, read_in, refused};
use crate::{Email, Tls};

const RULE: &str = "[[rule]]\nname = \"r\"\nwhen = { expired = true }\n";

/// A file with these mail settings and these of the server.
fn mail(email: &str, smtp: &str) -> String {
    format!(
        "[notify.email]\nfrom = \"reaper@Example.org\"\n{email}\n\
         [notify.email.smtp]\nhost = \"smtp.example.org\"\n{smtp}\n{RULE}"
    )
}

fn read_mail(text: &str) -> Email {
    accepted(text).email.expect("mail")
}

#[test]
fn a_sender_and_a_server_are_enough() {
    let email = read_mail(&mail("", ""));
    assert_eq!(email.from, "reaper@Example.org");
    assert_eq!((email.from_name, email.reply_to), (None, None));
    assert_eq!(email.max_size.bytes(), 10 * 1024 * 1024);
    assert_eq!(email.remind_every.as_secs(), 7 * 86_400);
    assert_eq!(email.allowed_domains, ["example.org"]);
    assert_eq!(email.report_to, Vec::<String>::new());
    assert_eq!(email.smtp.host, "smtp.example.org");
    assert_eq!((email.smtp.port, email.smtp.tls), (587, Tls::StartTls));
    assert!(email.smtp.login.is_none() && email.smtp.ca_bundle.is_none());
}

#[test]
fn everything_that_can_be_said_is_heard() {
    let email = read_mail(&mail(
        "from_name = \"The Größte reaper\"\nreply_to = \"team@example.org\"\nmax_size = \"512 KiB\"\n\
         report_to = [\"a@example.org\", \"b@example.org\", \"a@example.org\"]\n\
         allowed_domains = [\"Example.COM\", \"example.com\"]\nremind_every = \"36h\"",
        "port = 2525\ntls = \"implicit\"\nuser = \"me\"\npassword = { env = \"SMTP_PASSWORD\" }",
    ));
    assert_eq!(email.from_name.as_deref(), Some("The Größte reaper"));
    assert_eq!(email.reply_to.as_deref(), Some("team@example.org"));
    assert_eq!(email.max_size.bytes(), 524_288);
    assert_eq!(email.report_to, ["a@example.org", "b@example.org"]);
    assert_eq!(email.allowed_domains, ["example.com"]);
    assert_eq!(email.remind_every.as_secs(), 36 * 3600);
    assert_eq!((email.smtp.port, email.smtp.tls), (2525, Tls::Implicit));
    assert!(!format!("{email:?}").contains("hunter2"));
    let login = email.smtp.login.expect("a login");
    assert_eq!((login.user.as_str(), login.password.expose_secret()), ("me", "hunter2-secret"));
}

#[test]
fn defaults_follow_from_the_owners() {
    let owners = "[owners]\ndomain = \"Corp.example\"\nfallback = \"gpu@elsewhere.example\"\n";
    let config = accepted(&format!("{owners}{}", mail("", "")));
    assert!(config.warnings.is_empty(), "{:?}", config.warnings);
    let email = config.email.as_ref().expect("mail");
    assert_eq!(email.allowed_domains, ["corp.example", "example.org"]);
    assert_eq!(email.report_to, ["gpu@elsewhere.example"]);
    let listed: Vec<String> = config
        .effective()
        .iter()
        .filter(|setting| setting.key.starts_with("notify."))
        .map(|s| format!("{} = {}{}", s.key, s.value, if s.is_default { " (default)" } else { "" }))
        .collect();
    insta::assert_snapshot!(listed.join("\n"), @r#"
    notify.email.max_size = 10 MiB (default)
    notify.email.smtp.tls = starttls (default)
    notify.email.smtp.port = 587 (default)
    notify.email.report_to = ["gpu@elsewhere.example"] (default)
    notify.email.allowed_domains = ["corp.example", "example.org"] (default)
    notify.email.remind_every = 7d (default)
    "#);
}

#[test]
fn fl_121_a_report_that_reaches_nobody_is_pointed_out() {
    let config = accepted(&mail("", ""));
    let [warning] = &config.warnings[..] else { panic!("one warning: {:?}", config.warnings) };
    assert_eq!(
        (warning.code, warning.subject.as_str()),
        ("config-report-to-nobody", "[notify.email]")
    );
    assert!(accepted(&mail("report_to = \"a@example.org\"", "")).warnings.is_empty());
}

#[test]
fn the_port_follows_from_the_encryption() {
    for (tls, port) in [("starttls", 587), ("implicit", 465), ("none", 25)] {
        assert_eq!(read_mail(&mail("", &format!("tls = \"{tls}\""))).smtp.port, port, "{tls}");
    }
}

fn at(host: &str, rest: &str) -> String {
    mail("report_to = \"a@example.org\"", rest).replace("smtp.example.org", host)
}

const LOGIN: &str = "tls = \"none\"\nuser = \"me\"\npassword = { env = \"SMTP_PASSWORD\" }";

#[test]
fn fl_142_a_password_in_the_clear_stays_on_this_machine() {
    for host in ["127.0.0.1", "127.8.9.10", "::1", "[::1]", "localhost", "LOCALHOST"] {
        let config = accepted(&at(host, LOGIN));
        assert!(config.warnings.is_empty(), "{host}: {:?}", config.warnings);
        let smtp = config.email.expect("mail").smtp;
        assert_eq!(smtp.host, host.trim_matches(['[', ']']));
        assert!(smtp.login.is_some());
    }
    for host in
        ["smtp.example.org", "10.0.0.1", "128.0.0.1", "::2", "localhost.example.org", "0.0.0.0"]
    {
        let shown = refused(&at(host, LOGIN));
        assert!(shown.contains("the password would be sent in the clear"), "{host}: {shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    insta::assert_snapshot!(refused(&at("smtp.example.org", LOGIN)), @r#"
    error: [notify.email.smtp]: the password would be sent in the clear
     --> reaper.toml:6:7
      |
    6 | tls = "none"
      |       ^^^^^^
      |
      = help: write tls = "starttls" or "implicit"; "none" is for this machine only
    "#);
}

#[test]
fn mail_in_the_clear_to_another_machine_is_pointed_out() {
    let warned = |host| {
        let warnings = accepted(&at(host, "tls = \"none\"")).warnings;
        warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    assert_eq!(warned("relay.example.org"), ["config-plain-smtp"]);
    assert_eq!(warned("127.0.0.1"), Vec::<&str>::new());
}

#[test]
fn what_cannot_send_mail_is_refused() {
    for (email, smtp, words) in [
        ("", "user = \"me\"", "there is `user` without `password`"),
        ("", "password = { env = \"SMTP_PASSWORD\" }", "there is `password` without `user`"),
        ("", "user = \"me\"\npassword = { env = \"NOT_SET\" }", "`NOT_SET` is not set"),
        ("", "port = 0", "from 1 to 65535"),
        ("", "port = 70000", "from 1 to 65535"),
        ("", "tls = \"start-tls\"", "did you mean `starttls`?"),
        ("", "ca_bundle = \"absent.pem\"", "`/nowhere/absent.pem` cannot be read"),
        ("reply_to = \"nobody\"", "", "`nobody` is no mail address"),
        ("report_to = [\"a@example.org\", \"b\"]", "", "`b` is no mail address"),
        ("from_name = \"a\\nBcc: x@example.org\"", "", "has control characters"),
        ("allowed_domains = []", "", "is an empty list"),
        ("allowed_domains = \"a@example.org\"", "", "is no domain"),
        ("allowed_domains = \"*.example.org\"", "", "is no domain"),
        ("allowed_domains = \".example.org\"", "", "is no domain"),
        ("max_size = 10", "", "write for example \"10 MiB\""),
        ("max_size = \"10 MB\"", "", "the units are KiB and MiB"),
        ("max_size = \"0 MiB\"", "", "must be above zero"),
        ("remind_every = 7", "", "has no unit"),
        ("remind_every = \"0s\"", "", "must be longer than nothing"),
        ("allowed_domain = \"example.org\"", "", "did you mean `allowed_domains`?"),
    ] {
        let shown = refused(&mail(email, smtp));
        assert!(shown.contains(words), "{words}: {shown}");
        assert_eq!(shown.matches("error:").count(), 1, "{shown}");
    }
}

#[test]
fn a_host_is_a_name_alone() {
    for host in ["smtp.example.org:587", "smtp://smtp.example.org", "me@example.org", "a b", "h/x"]
    {
        let shown = refused(&at(host, ""));
        assert!(shown.contains("is not the name of a machine"), "{host}: {shown}");
    }
}

#[test]
fn sender_and_server_are_needed() {
    let shown = refused("[notify.email]\n");
    assert!(shown.contains("[notify.email] needs `from`"), "{shown}");
    assert!(shown.contains("[notify.email] needs `smtp`"), "{shown}");
    let shown = refused("[notify.email]\nfrom = \"reaper\"\nsmtp = {}\n");
    assert!(shown.contains("`reaper` is no mail address"), "{shown}");
    assert!(shown.contains("[notify.email.smtp] needs `host`"), "{shown}");
}

#[test]
fn the_server_may_have_a_bundle_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["ca.pem", "mail.pem"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let bundle = |own: &str| {
        let text = format!("[tls]\nca_bundle = \"ca.pem\"\n{}{ACCOUNT}", mail("", own));
        let config = read_in(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        config.email.expect("mail").smtp.ca_bundle
    };
    assert_eq!(bundle(""), Some(folder.path().join("ca.pem")));
    assert_eq!(bundle("ca_bundle = \"mail.pem\""), Some(folder.path().join("mail.pem")));
}

#[test]
fn an_empty_report_to_means_that_nobody_gets_the_report() {
    let text = "version = 1\n[[account]]\nname = \"lab\"\nprovider = \"lambda\"\n[owners]\nfallback = \
                \"team@example.org\"\n[notify.email]\nfrom = \"reaper@example.org\"\nsmtp = { host = \
                \"127.0.0.1\", tls = \"none\" }\n";
    let to = |text: &str| {
        let config = super::support::accepted(text);
        config.email.expect("mail").report_to
    };
    assert_eq!(to(text), ["team@example.org"]);
    assert_eq!(to(&format!("{text}report_to = []\n")), [""; 0]);
    let thrice = "report_to = [\"a@example.org\", \"A@example.org\", \"a@Example.org\"]\n";
    assert_eq!(to(&format!("{text}{thrice}")), ["a@example.org"]);
}
