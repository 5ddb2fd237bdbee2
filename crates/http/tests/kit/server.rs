//! A loopback server that misbehaves as told, one behaviour per connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// What to do with a connection.
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Send these bytes and close.
    Say(String),
    /// Send a byte of an endless body every so often.
    Trickle(Duration),
    /// Read the request and never answer.
    Silence,
    /// Close without a word.
    Hangup,
}

/// A whole answer with a JSON body.
pub(crate) fn answer(status: &str, body: &str) -> Behaviour {
    Behaviour::Say(format!(
        "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    ))
}

/// Serves until dropped.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Server {
    /// Connection by connection; after the last behaviour the last one again. With `tls` given,
    /// connections begin with a handshake.
    pub(crate) async fn start(
        behaviours: Vec<Behaviour>,
        tls: Option<tokio_rustls::TlsAcceptor>,
    ) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let addr = listener.local_addr().expect("bound");
        let (heads, connections) = (Arc::new(Mutex::default()), Arc::new(AtomicUsize::new(0)));
        let (noted, counted) = (Arc::clone(&heads), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let index = counted.fetch_add(1, Ordering::SeqCst).min(behaviours.len() - 1);
                let (behaviour, noted, tls) =
                    (behaviours[index].clone(), Arc::clone(&noted), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, behaviour, &noted).await,
                        // A client that does not trust us ends the handshake; that is its right.
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => converse(stream, behaviour, &noted).await,
                            Err(_) => Ok(()),
                        },
                    }
                });
            }
        });
        Self { addr, heads, connections, task }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// The head of the first request, in lower case.
    pub(crate) async fn first_head(&self) -> String {
        self.heads.lock().await.first().cloned().expect("a request came").to_ascii_lowercase()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    behaviour: Behaviour,
    heads: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    heads.lock().await.push(String::from_utf8_lossy(&head).into_owned());
    match behaviour {
        Behaviour::Say(text) => {
            stream.write_all(text.as_bytes()).await?;
            stream.shutdown().await
        }
        Behaviour::Trickle(pause) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n").await?;
            loop {
                stream.write_all(b" ").await?;
                tokio::time::sleep(pause).await;
            }
        }
        Behaviour::Silence => std::future::pending().await,
        Behaviour::Hangup => Ok(()),
    }
}
