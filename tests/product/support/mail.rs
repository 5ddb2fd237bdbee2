//! A real SMTP server in a process of its own, on a free port, and the mails that it accepted.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::variable;

/// A verb that no mailer says: the server tells of it after everything that came before.
const MARK: &str = "VRFY";

/// A running server; ends with this value.
pub(crate) struct MailServer {
    child: Child,
    said: BufReader<ChildStdout>,
    /// Where it listens.
    pub(crate) port: u16,
}

/// One mail that the server accepted.
#[derive(Debug, Clone)]
pub(crate) struct Mail {
    pub(crate) to: String,
    pub(crate) subject: String,
    /// Names the notice, however often it is sent.
    pub(crate) id: String,
    /// The plain part.
    pub(crate) text: String,
}

impl MailServer {
    /// Starts it with settings as `smtp_server.py` describes them.
    pub(crate) fn start(settings: &Value) -> Self {
        let mut child = Command::new(variable("REAPER_TEST_PYTHON"))
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/python/smtp_server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let stdin = child.stdin.as_mut().expect("piped");
        writeln!(stdin, "{settings}").expect("it reads its settings");
        let mut said = BufReader::new(child.stdout.take().expect("piped"));
        let first = line(&mut said);
        let port = first["port"].as_u64().and_then(|port| port.try_into().ok()).expect("a port");
        Self { child, said, port }
    }

    /// The mails accepted since the last time this was asked, in order.
    pub(crate) fn mails(&mut self) -> Vec<Mail> {
        let mut mark = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // It speaks first.
        mark.read_exact(&mut [0]).expect("a greeting");
        writeln!(mark, "{MARK} nobody\r").expect("it listens");
        let mut mails = Vec::new();
        loop {
            let event = line(&mut self.said);
            match event["event"].as_str() {
                Some("mail") => mails.push(mail(&event)),
                Some("command") if event["verb"] == MARK => return mails,
                _ => {}
            }
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        // It may have ended already; there is nothing else to learn.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn line(said: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    said.read_line(&mut line).expect("it says what happens");
    serde_json::from_str(&line).expect("one JSON line")
}

fn mail(event: &Value) -> Mail {
    let recipients = event["recipients"].as_array().expect("a list");
    assert_eq!(recipients.len(), 1, "one mail a recipient: {recipients:?}");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let headers = event["headers"].as_array().expect("a list");
    let header = |name: &str| {
        let header = headers.iter().find(|header| header[0] == name);
        text(&header.unwrap_or_else(|| panic!("no {name}"))[1])
    };
    let parts = event["parts"].as_array().expect("a list");
    let plain = parts.iter().find(|part| part["type"] == "text/plain").expect("a plain part");
    Mail {
        to: text(&recipients[0]),
        subject: header("subject"),
        id: header("message-id"),
        text: text(&plain["text"]),
    }
}
