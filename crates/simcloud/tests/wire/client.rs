//! A client that speaks plain HTTP over a socket, so that nothing hides what is on the wire.

use std::net::SocketAddr;

use quick_xml::events::Event;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) const ACCOUNT: &str = "111122223333";
pub(crate) const KEY: &str = "AKIAEXAMPLE";

/// An answer as it came, as far as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The texts of all elements of that name, in order.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        let mut reader = quick_xml::Reader::from_str(&self.body);
        let mut path = Vec::new();
        let mut found = Vec::new();
        loop {
            match reader.read_event().expect("well-formed XML") {
                Event::Start(start) => {
                    path.push(start.name().as_ref().to_owned());
                    if path.last().is_some_and(|last| last == name) {
                        found.push(String::new());
                    }
                }
                Event::Empty(empty) if empty.name().as_ref() == name => found.push(String::new()),
                Event::Text(text) if path.last().is_some_and(|last| last == name) => {
                    found.last_mut().expect("an open element").push_str(&text);
                }
                Event::GeneralRef(reference) if path.last().is_some_and(|last| last == name) => {
                    let text = quick_xml::escape::resolve_predefined_entity(&reference);
                    let text = text.expect("a predefined entity");
                    found.last_mut().expect("an open element").push_str(text);
                }
                Event::End(_) => {
                    path.pop();
                }
                Event::Eof => return found,
                _ => {}
            }
        }
    }

    /// The text of the only element of that name.
    pub(crate) fn text(&self, name: &str) -> String {
        let mut texts = self.texts(name);
        assert_eq!(texts.len(), 1, "<{name}> in {}", self.body);
        texts.remove(0)
    }

    /// Whether there is an element of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        !self.texts(name).is_empty()
    }
}

/// Sends text and reads until the server closes.
pub(crate) async fn exchange(addr: SocketAddr, request: &str) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(addr).await?;
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(answer)
}

/// Who signs, for where.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signer<'a> {
    pub(crate) key: &'a str,
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
    pub(crate) token: Option<&'a str>,
    pub(crate) date: &'a str,
}

pub(crate) const EC2: Signer<'static> =
    Signer { key: KEY, region: "eu-west-1", service: "ec2", token: None, date: "20260101T000000Z" };
pub(crate) const STS: Signer<'static> = Signer { service: "sts", ..EC2 };

pub(crate) fn request(signer: Option<Signer<'_>>, body: &str) -> String {
    let signature = signer.map_or_else(String::new, |signer| {
        let Signer { key, region, service, token, date } = signer;
        let token = token.map_or_else(String::new, |t| format!("x-amz-security-token: {t}\r\n"));
        format!(
            "authorization: AWS4-HMAC-SHA256 Credential={key}/20260101/{region}/{service}/aws4_request, SignedHeaders=host, Signature=00\r\nx-amz-date: {date}\r\n{token}"
        )
    });
    format!(
        "POST /aws/ HTTP/1.1\r\nhost: localhost\r\n{signature}content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// One call of a provider that takes JSON, with the header that tells who asks: status and body,
/// which is null where it is not JSON.
pub(crate) async fn rest(
    addr: SocketAddr,
    target: &str,
    auth: &str,
    body: &str,
) -> (u16, serde_json::Value) {
    let text = format!(
        "{} HTTP/1.1\r\nhost: localhost\r\n{auth}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        target,
        body.len()
    );
    let answer = parse(&exchange(addr, &text).await.expect("an answer"));
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

/// Takes an answer apart.
pub(crate) fn parse(bytes: &[u8]) -> Answer {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
}

/// One call of the query protocol.
pub(crate) async fn call(addr: SocketAddr, signer: Signer<'_>, body: &str) -> Answer {
    parse(&exchange(addr, &request(Some(signer), body)).await.expect("an answer"))
}
