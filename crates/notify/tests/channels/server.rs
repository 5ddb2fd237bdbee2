//! A server that answers as told, one behaviour per request, and keeps what it was sent.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// What to do with a request.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Answer with a status line, further headers and a body.
    Answer(&'static str, Vec<String>, String),
    /// Read the request and never answer.
    Silence,
    /// Read the request and close.
    Hangup,
}

/// A bare answer.
pub(crate) fn answer(status: &'static str) -> Behaviour {
    Behaviour::Answer(status, Vec::new(), String::new())
}

/// An answer with a header.
pub(crate) fn with(status: &'static str, header: &str) -> Behaviour {
    Behaviour::Answer(status, vec![header.to_owned()], String::new())
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// `POST /path?query`.
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    pub(crate) at: Instant,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str()).expect("the header")
    }
}

/// Serves until dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Request by request; after the last behaviour the last one again.
    pub(crate) async fn start(behaviours: Vec<Behaviour>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let kept = Arc::clone(&received);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, behaviours) = (Arc::clone(&kept), behaviours.clone());
                // Clients may hang up; the test looks at what they sent.
                tokio::spawn(async move { drop(converse(stream, &behaviours, &kept).await) });
            }
        });
        Self { address, received, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().expect("no test has panicked").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    mut stream: TcpStream,
    behaviours: &[Behaviour],
    kept: &Mutex<Vec<Received>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    let target = first.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().expect("a number"))];
    stream.read_exact(&mut body).await?;
    let body = String::from_utf8(body).expect("UTF-8");
    let index = {
        let mut kept = kept.lock().expect("no test has panicked");
        kept.push(Received { target, headers, body, at: Instant::now() });
        kept.len().min(behaviours.len()) - 1
    };
    match &behaviours[index] {
        Behaviour::Answer(status, headers, body) => {
            let mut head = vec![format!("HTTP/1.1 {status}")];
            head.extend(headers.iter().cloned());
            head.push(format!("content-length: {}\r\nconnection: close", body.len()));
            let answer = format!("{}\r\n\r\n{body}", head.join("\r\n"));
            stream.write_all(answer.as_bytes()).await?;
            stream.shutdown().await
        }
        Behaviour::Silence => std::future::pending().await,
        Behaviour::Hangup => Ok(()),
    }
}
