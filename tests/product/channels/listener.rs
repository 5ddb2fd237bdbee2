//! A server that gives every request the same answer, or from some time on none, and keeps what it
//! was sent.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    /// With its query.
    pub(crate) path: String,
    /// As it came.
    pub(crate) text: String,
    /// Null where it is no JSON.
    pub(crate) body: Value,
}

/// Listens for as long as the tests run.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Listener {
    /// Answers everything with this status.
    pub(crate) fn start(status: u16) -> Self {
        Self::falling_silent(status, usize::MAX)
    }

    /// Answers so many requests with this status, and hears the others without a word.
    pub(crate) fn falling_silent(status: u16, answers: usize) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let heard: Arc<Mutex<Vec<Heard>>> = Arc::default();
        let kept = Arc::clone(&heard);
        std::thread::spawn(move || {
            // Whoever hangs up early is of no interest: the test looks at what came whole.
            let mut unanswered = Vec::new();
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let answer = (number < answers).then_some(status);
                if let Ok(request) = converse(&stream, answer) {
                    kept.lock().expect("no test has panicked").push(request);
                }
                if answer.is_none() {
                    unanswered.push(stream);
                }
            }
        });
        Self { address, heard }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits until it has heard so many.
    pub(crate) async fn has_heard(&self, count: usize) {
        for _ in 0..600 {
            if self.heard().len() >= count {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("it has not heard {count} within half a minute");
    }

    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().expect("no test has panicked").clone()
    }
}

fn converse(stream: &TcpStream, status: Option<u16>) -> std::io::Result<Heard> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 || line == "\r\n" {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if let Some(status) = status {
        // The least that is an answer; it ends with the connection.
        let answer = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n\r\n");
        let mut stream = stream;
        stream.write_all(answer.as_bytes())?;
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    Ok(Heard { path, text, body: serde_json::from_slice(&body).unwrap_or(Value::Null) })
}
