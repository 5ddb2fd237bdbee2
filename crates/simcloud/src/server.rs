//! The server: one loopback port, every provider behind its own path prefix.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::body::{Delivery, ReplyBody};
use crate::faults::{Effect, Fault};
use crate::hooks::{Hooks, Moment, Trigger};
use crate::log::{Log, Requests};
use crate::wire::{Call, Reply, Request, WIRES, Wire};
use crate::world::World;

/// A world being served. Dropping it closes the port and every connection at once.
#[derive(Debug)]
pub struct SimCloud {
    addr: SocketAddr,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    world: Mutex<World>,
    hooks: Hooks,
    log: Arc<Log>,
    numbers: AtomicU64,
}

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
enum Abandoned {
    #[error("a fault closes the connection")]
    Hangup,
    #[error("the request could not be read")]
    Request(#[from] hyper::Error),
}

impl SimCloud {
    /// Serves the world on a free port of the loopback interface, on the current tokio runtime.
    ///
    /// # Errors
    /// No port could be opened.
    pub async fn start(world: World) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared {
            world: Mutex::new(world),
            hooks: Hooks::default(),
            log: Arc::new(Log::new()),
            numbers: AtomicU64::new(0),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Ok(Self { addr, shared, accepting })
    }

    /// Where it listens.
    pub const fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The endpoint of a provider: `http://127.0.0.1:PORT/aws`.
    pub fn base_url(&self, provider: &str) -> String {
        format!("http://{}/{provider}", self.addr)
    }

    /// Every request so far.
    pub fn requests(&self) -> Requests {
        self.shared.log.snapshot()
    }

    /// Waits until the log is as wanted. For tests; it waits for ever if that never happens.
    pub async fn wait_until(&self, mut wanted: impl FnMut(&Requests) -> bool) -> Requests {
        let mut changes = self.shared.log.watch();
        loop {
            let requests = self.requests();
            // The sender lives in `self`, so waiting for it cannot fail while we wait.
            if wanted(&requests) || changes.changed().await.is_err() {
                return requests;
            }
        }
    }

    /// The world, to look at or to change; no request is answered while it is held. Machines that
    /// are under way have come as far as the clock says.
    pub fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world()
    }

    /// Changes the world; no request is answered meanwhile.
    pub fn edit<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        change(&mut self.world())
    }

    /// Changes the world at that request, once: what somebody does just then.
    pub fn on_request(&self, trigger: Trigger, change: impl FnOnce(&mut World) + Send + 'static) {
        self.shared.hooks.add(trigger, Box::new(change));
    }

    /// Moves the world's clock forwards.
    pub fn advance(&self, by: TimeDelta) {
        let mut world = self.world();
        let now = world.clock.now() + by;
        world.clock.set(now);
    }

    /// Sets the world's clock.
    pub fn set_now(&self, now: DateTime<Utc>) {
        self.world().clock.set(now);
    }

    /// Something more goes wrong from now on.
    pub fn add_fault(&self, fault: Fault) {
        self.world().faults.add(fault);
    }

    /// Closes the port and every connection, and returns when that is done.
    pub async fn shutdown(mut self) {
        self.accepting.abort();
        // An aborted task ends with an error that says so; there is nothing else to learn.
        let _: Result<(), tokio::task::JoinError> = (&mut self.accepting).await;
    }
}

impl Drop for SimCloud {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts until it is aborted; its connections end with it, because it owns them.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream, Arc::clone(&shared)));
                }
                // Too many open files; some will be closed soon.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    // Small answers must not wait for the acknowledgement of the one before.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = service_fn(|request| respond(request, Arc::clone(&shared)));
    // How a connection ends is the client's business, and a fault's.
    let _: Result<(), hyper::Error> = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn respond(
    request: http::Request<Incoming>,
    shared: Arc<Shared>,
) -> Result<Response<ReplyBody>, Abandoned> {
    let number = shared.numbers.fetch_add(1, Ordering::Relaxed) + 1;
    let (wire, request) = read(number, request).await?;
    let provider = wire.map_or("", Wire::provider);
    let (call, ruling, latency) = {
        let mut world = shared.world();
        let call = wire.map_or_else(Call::default, |wire| wire.call(&world, &request));
        shared.hooks.fire(Moment::Before, provider, &call, &mut world);
        let ruling = world.faults.rule(provider, &call, Instant::now());
        (call, ruling, world.latency())
    };
    let open = shared.log.arrive(provider, &call, &request);
    let delay = latency + ruling.delay;
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }

    let mut delivery = Delivery::Whole;
    let answer = || {
        let mut world = shared.world();
        let reply = match wire {
            Some(wire) => wire.answer(&mut world, &request, &call),
            None => Reply::new(StatusCode::NOT_FOUND, "text/plain", "no provider has this path\n"),
        };
        shared.hooks.fire(Moment::After, provider, &call, &mut world);
        reply
    };
    let reply = match ruling.effect {
        None | Some(Effect::Delay { .. } | Effect::Rate { .. }) => answer(),
        Some(Effect::Throttle { retry_after }) => throttle(wire, &request, &call, retry_after),
        Some(Effect::Answer { status, body, content_type }) => replace(status, body, &content_type),
        Some(Effect::Masked { status, body, content_type }) => {
            answer();
            replace(status, body, &content_type)
        }
        Some(Effect::Silence) => never(std::future::pending().await),
        Some(Effect::Lost) => {
            answer();
            never(std::future::pending().await)
        }
        Some(Effect::Hangup) => return Err(Abandoned::Hangup),
        Some(Effect::Dropped) => {
            answer();
            return Err(Abandoned::Hangup);
        }
        Some(Effect::Cut) => {
            delivery = Delivery::Cut;
            answer()
        }
        Some(Effect::Trickle { bytes, every_ms }) => {
            delivery = Delivery::Trickle { bytes, every: Duration::from_millis(every_ms) };
            answer()
        }
        Some(Effect::ContentType(content_type)) => {
            let mut reply = answer();
            insert(&mut reply, CONTENT_TYPE, &content_type);
            reply
        }
    };
    open.answered(reply.status);
    let now = shared.world().clock.now();
    Ok(send(reply, now, |body| ReplyBody::new(body, &delivery, open)))
}

fn never(endless: Infallible) -> Reply {
    match endless {}
}

async fn read(
    number: u64,
    request: http::Request<Incoming>,
) -> Result<(Option<&'static dyn Wire>, Request), hyper::Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    let path = parts.uri.path();
    let found = WIRES.iter().find_map(|wire| {
        let rest = path.strip_prefix('/')?.strip_prefix(wire.provider())?;
        (rest.is_empty() || rest.starts_with('/')).then_some((*wire, rest))
    });
    let host = parts.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
    let request = Request {
        number,
        url: format!("http://{}{}", host.unwrap_or_default(), parts.uri),
        path: match found.map_or(path, |(_, rest)| rest) {
            "" => "/".to_owned(),
            rest => rest.to_owned(),
        },
        query: parts.uri.query().unwrap_or_default().to_owned(),
        method: parts.method,
        headers: parts.headers,
        body,
    };
    Ok((found.map(|(wire, _)| wire), request))
}

fn throttle(
    wire: Option<&dyn Wire>,
    request: &Request,
    call: &Call,
    retry_after: Option<u64>,
) -> Reply {
    let mut reply = match wire {
        Some(wire) => wire.throttled(request, call),
        None => Reply::new(StatusCode::TOO_MANY_REQUESTS, "text/plain", ""),
    };
    if let Some(seconds) = retry_after {
        reply.headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    reply
}

fn replace(status: u16, body: String, content_type: &str) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut reply = Reply::new(status, "text/html", body);
    insert(&mut reply, CONTENT_TYPE, content_type);
    reply
}

/// A text that cannot stand in a header is left out, as a server would have to.
fn insert(reply: &mut Reply, name: http::HeaderName, value: &str) {
    match HeaderValue::from_str(value) {
        Ok(value) => reply.headers.insert(name, value),
        Err(_) => reply.headers.remove(name),
    };
}

/// The clock of the answer's `Date` is the world's, as a server's would be.
fn send(
    reply: Reply,
    now: DateTime<Utc>,
    body: impl FnOnce(Bytes) -> ReplyBody,
) -> Response<ReplyBody> {
    let mut reply = reply;
    reply.headers.insert(CONTENT_LENGTH, HeaderValue::from(reply.body.len()));
    insert(&mut reply, DATE, &now.format("%a, %d %b %Y %H:%M:%S GMT").to_string());
    let mut response = Response::new(body(reply.body));
    *response.status_mut() = reply.status;
    *response.headers_mut() = reply.headers;
    response
}

impl Shared {
    fn world(&self) -> MutexGuard<'_, World> {
        // A wire that panicked half-way may leave its own section odd, but never unsound, and the
        // test that made it panic has failed already.
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        world.settle();
        world
    }
}
