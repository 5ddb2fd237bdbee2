//! A real SMTP server in a process of its own, on a free port, and the mailer that talks to it.

use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use reaper_notify::{Delivery, Mail, Post as _, Smtp, SmtpMailer, Tls};
use serde_json::{Value, json};

/// A running server; ends with this value.
pub(crate) struct Server {
    child: Child,
    /// Reads all the time: a full pipe would hold the server up.
    said: Option<JoinHandle<String>>,
    pub(crate) port: u16,
}

impl Server {
    /// Starts it as `tests/python/smtp_server.py` describes.
    pub(crate) fn start(config: &Value) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/python/smtp_server.py");
        let mut child = Command::new(python())
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let stdin = child.stdin.as_mut().expect("piped");
        std::io::Write::write_all(stdin, format!("{config}\n").as_bytes()).expect("it reads");
        let mut said = BufReader::new(child.stdout.take().expect("piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let first: Value = serde_json::from_str(&line).expect("one JSON line");
        let port = first["port"].as_u64().and_then(|port| port.try_into().ok()).expect("a port");
        let said = std::thread::spawn(move || {
            let mut text = String::new();
            said.read_to_string(&mut text).expect("readable");
            text
        });
        Self { child, said: Some(said), port }
    }

    /// Ends it and gives all that happened, in order.
    pub(crate) fn finish(mut self) -> Events {
        drop(self.child.stdin.take());
        let text = self.said.take().expect("once").join().expect("all read");
        Events(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }

    /// Settings that fit a server without encryption and login.
    pub(crate) fn settings(&self) -> Smtp {
        Smtp {
            host: "localhost".to_owned(),
            port: self.port,
            tls: Tls::None,
            login: None,
            ca_bundle: None,
            timeout: Duration::from_secs(30),
            max_size: None,
            from: "reaper@example.org".parse().expect("an address"),
            from_name: Some("reaper".to_owned()),
            reply_to: None,
        }
    }

    /// A mailer with those settings.
    pub(crate) fn mailer(&self) -> SmtpMailer {
        mailer(self.settings())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that was finished has ended already; one of a failed test ends here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn python() -> String {
    std::env::var("REAPER_TEST_PYTHON")
        .unwrap_or_else(|_| panic!("REAPER_TEST_PYTHON is not set: run the tests with tests/run"))
}

/// What a server saw.
pub(crate) struct Events(Vec<Value>);

impl Events {
    fn of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| event["event"] == kind)
    }

    pub(crate) fn connections(&self) -> usize {
        self.of("connection").count()
    }

    pub(crate) fn mails(&self) -> Vec<&Value> {
        self.of("mail").collect()
    }

    pub(crate) fn logins(&self) -> Vec<&Value> {
        self.of("auth").collect()
    }

    /// The commands, in order.
    pub(crate) fn verbs(&self) -> Vec<&str> {
        self.of("command").map(|event| event["verb"].as_str().expect("a verb")).collect()
    }

    /// The recipients of all mails, in order.
    pub(crate) fn recipients(&self) -> Vec<&str> {
        let one = |mail: &'_ &Value| mail["recipients"].as_array().is_some_and(|r| r.len() == 1);
        let mails = self.mails();
        assert!(mails.iter().all(one), "one recipient a mail");
        mails.iter().map(|mail| mail["recipients"][0].as_str().expect("text")).collect()
    }
}

pub(crate) fn mailer(settings: Smtp) -> SmtpMailer {
    SmtpMailer::new(settings).expect("settings that fit")
}

/// A small mail.
pub(crate) fn mail(to: &str) -> Mail {
    Mail {
        key: "case-1.notice".parse().expect("a key"),
        to: to.parse().expect("an address"),
        at: "2026-12-01T08:00:00Z".parse().expect("a time"),
        subject: "reaper: a test".to_owned(),
        text: "Hello.\n".to_owned(),
        html: "<p>Hello.</p>\n".to_owned(),
        references: None,
        alert: None,
        list: None,
        images: Vec::new(),
        attachment: None,
        reduced: None,
    }
}

/// Posts within a bound that no time limit of the tests comes near to.
pub(crate) async fn post(mailer: &SmtpMailer, to: &str) -> Delivery {
    let bound = Duration::from_mins(2);
    tokio::time::timeout(bound, mailer.post(&mail(to))).await.expect("ends within its limit")
}

/// Files of a certificate authority and of a certificate of `localhost` that it vouches for.
pub(crate) struct Authority {
    folder: tempfile::TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
        let mut params = CertificateParams::new(Vec::new()).expect("valid");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key"))
            .expect("an authority");
        let key = KeyPair::generate().expect("a key");
        let certificate = CertificateParams::new(vec!["localhost".to_owned()])
            .expect("valid")
            .signed_by(&key, &ca)
            .expect("signed");
        let folder = tempfile::tempdir().expect("a folder");
        let files = [
            ("ca.pem", ca.pem()),
            ("server.pem", certificate.pem()),
            ("key.pem", key.serialize_pem()),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).expect("written");
        }
        Self { folder }
    }

    /// The bundle to trust.
    pub(crate) fn bundle(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// The server's configuration, with its certificate.
    pub(crate) fn serving(&self, mut config: Value) -> Value {
        let path = |name: &str| -> Value { json!(Path::join(self.folder.path(), name)) };
        config["certificate"] = path("server.pem");
        config["key"] = path("key.pem");
        config
    }
}
