//! A scripted AWS on the loopback: each test says what is answered to which call. It knows nothing of
//! clouds; the simulated one and its laws are tested elsewhere.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use reaper_model::{Instance, Location, ProviderAccount};
use reaper_provider::account::CallLimits;
use reaper_provider::{AccountSettings, CallContext, Identity, Provider, ProviderError, Sink};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// One request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The region of the signature.
    pub(crate) region: String,
    /// The form, `Action` included.
    pub(crate) form: BTreeMap<String, String>,
    /// The operation of a call that speaks JSON, else empty.
    operation: String,
    /// The body as it came.
    pub(crate) body: String,
}

impl Request {
    /// The call, such as `DescribeInstances`.
    pub(crate) fn action(&self) -> &str {
        if self.operation.is_empty() { self.get("Action") } else { &self.operation }
    }

    /// A field of the form, empty where it is missing.
    pub(crate) fn get(&self, key: &str) -> &str {
        self.form.get(key).map_or("", String::as_str)
    }
}

/// What is answered: status, further headers, body.
pub(crate) struct Answer(pub(crate) u16, pub(crate) String, pub(crate) String);

/// A good answer of the given elements.
pub(crate) fn ok(action: &str, body: &str) -> Answer {
    let body = format!("<{action}Response>{body}<requestId>req-1</requestId></{action}Response>");
    Answer(200, String::new(), body)
}

/// An error in EC2's form.
pub(crate) fn refuse(status: u16, code: &str) -> Answer {
    let body = format!(
        "<Response><Errors><Error><Code>{code}</Code><Message>words</Message></Error></Errors>\
         <RequestID>req-9</RequestID></Response>"
    );
    Answer(status, "x-amzn-requestid: req-9\r\n".to_owned(), body)
}

/// An error in the form of STS.
pub(crate) fn refuse_sts(status: u16, code: &str) -> Answer {
    let body = format!(
        "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>words</Message>\
         </Error><RequestId>req-7</RequestId></ErrorResponse>"
    );
    Answer(status, String::new(), body)
}

/// An error in the form of Cost Explorer and the price list.
pub(crate) fn refuse_json(code: &str) -> Answer {
    let body = format!(r#"{{"__type":"com.amazonaws.x#{code}","message":"words"}}"#);
    Answer(400, "x-amzn-requestid: req-5\r\n".to_owned(), body)
}

/// An instance in EC2's form, running since the first of November 2026.
pub(crate) fn machine(id: &str, kind: &str, more: &str) -> String {
    format!(
        "<item><instanceId>{id}</instanceId><instanceType>{kind}</instanceType>\
         <instanceState><code>16</code><name>running</name></instanceState>\
         <launchTime>2026-11-01T10:00:00.000Z</launchTime>{more}</item>"
    )
}

/// A tag set with an owner.
pub(crate) const OWNED: &str =
    "<tagSet><item><key>owner</key><value>alice@example.org</value></item></tagSet>";

/// A page of machines, one reservation each.
pub(crate) fn page(machines: &[String], next: &str) -> Answer {
    let items = machines.join("</instancesSet></item><item><instancesSet>");
    let items = if items.is_empty() {
        items
    } else {
        format!("<item><instancesSet>{items}</instancesSet></item>")
    };
    let next =
        if next.is_empty() { String::new() } else { format!("<nextToken>{next}</nextToken>") };
    ok("DescribeInstances", &format!("<reservationSet>{items}</reservationSet>{next}"))
}

/// The server with its log.
pub(crate) struct Server {
    url: String,
    log: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers every request by `script`, until the test ends.
    pub(crate) async fn start(script: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let log = Arc::new(Mutex::new(Vec::new()));
        let (script, written) = (Arc::new(script), Arc::clone(&log));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, log) = (Arc::clone(&script), Arc::clone(&written));
                tokio::spawn(async move { serve(stream, &*script, &log).await });
            }
        });
        Self { url, log }
    }

    /// How often a call came.
    pub(crate) fn count(&self, action: &str) -> usize {
        self.requests().iter().filter(|request| request.action() == action).count()
    }

    /// All requests in order.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.log.lock().expect("unpoisoned").clone()
    }

    /// Settings of an account at this server.
    pub(crate) fn settings(&self) -> AccountSettings {
        settings(&self.url)
    }
}

/// Settings of an account at an address.
pub(crate) fn settings(url: &str) -> AccountSettings {
    let mut settings = AccountSettings::named("research");
    settings.endpoint_url = Some(url.to_owned());
    for key in ["access_key_id", "secret_access_key"] {
        settings.credentials.insert(key.to_owned(), "test".to_owned().into());
    }
    settings.limits = CallLimits { attempts: 2, ..CallLimits::default() };
    settings
}

async fn serve(
    stream: TcpStream,
    script: &(impl Fn(&Request) -> Answer + ?Sized),
    log: &Mutex<Vec<Request>>,
) {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read(&mut stream).await {
        let Answer(status, headers, body) = script(&request);
        log.lock().expect("unpoisoned").push(request);
        let head = format!(
            "HTTP/1.1 {status} X\r\ncontent-type: text/xml\r\ncontent-length: {}\r\n{headers}\r\n",
            body.len()
        );
        let sent = stream.write_all(format!("{head}{body}").as_bytes()).await;
        if sent.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Request> {
    let (mut length, mut region, mut operation) = (0, String::new(), String::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if let Some((_, name)) = line.split_once("Service.") {
            name.trim_end().clone_into(&mut operation);
        }
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().ok()?;
        }
        if let Some(scope) = line.split("credential=").nth(1) {
            scope.split('/').nth(2)?.clone_into(&mut region);
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    let form = form_urlencoded::parse(&body).into_owned().collect();
    Some(Request { region, form, operation, body: String::from_utf8(body).ok()? })
}

/// The run's clock in all tests: noon of the last of November 2026.
pub(crate) fn context() -> CallContext {
    CallContext {
        now: "2026-11-30T12:00:00Z".parse().expect("a time"),
        requests: reaper_provider::RequestCounter::default(),
    }
}

/// Who answers in all tests.
pub(crate) fn identity() -> Identity {
    Identity { account: ProviderAccount::new("111122223333"), login: "test".to_owned() }
}

/// A run at another time.
pub(crate) fn at(now: &str) -> CallContext {
    CallContext { now: now.parse().expect("a time"), ..context() }
}

/// Lists one region: what was read, how it ended, and how many requests it took.
pub(crate) async fn list(
    provider: &dyn Provider,
    region: &str,
) -> (Vec<Instance>, Result<(), ProviderError>, u32) {
    let cx = context();
    let mut sink = Sink::new(&|_| ());
    let ended = provider.list(&cx, &identity(), &Location::new(region), &mut sink).await;
    (std::mem::take(sink.machines()), ended, cx.requests.sent())
}
