//! The real transport: reqwest over rustls with the ring provider, handed over explicitly, so that
//! no process-wide state is touched.
//!
//! Trusted are the system's certificate authorities (`SSL_CERT_FILE` and `SSL_CERT_DIR` replace
//! them, as everywhere) and those of the configured bundle. `HTTPS_PROXY`, `HTTP_PROXY` and
//! `NO_PROXY` are honoured; plain HTTP to a loopback address goes straight, because no proxy can
//! reach it. Redirects are never followed: a credential goes to the host that was configured or
//! nowhere.

use std::error::Error as StdError;
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use reaper_provider::{Delivery, ErrorKind};
use reqwest::{Client, ClientBuilder};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use url::{Host, Url};

use crate::call::Request;
use crate::transport::{Response, Transport, TransportError};

/// How this program calls itself.
const USER_AGENT: &str = concat!("reaper/", env!("CARGO_PKG_VERSION"));
/// A host that does not take a connection in this time is not reachable.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Requests over the network.
#[derive(Debug)]
pub struct ReqwestTransport {
    extra_roots: Vec<CertificateDer<'static>>,
    connect_timeout: Duration,
    /// Through the proxy, if one is set. Made when first used, because the system's authorities
    /// take tens of milliseconds to read and a loopback address needs none of them.
    outside: OnceLock<Result<Client, String>>,
    /// Never through a proxy, and plain HTTP only.
    loopback: Client,
}

impl ReqwestTransport {
    /// A transport that trusts the system's authorities and those in `ca_bundle` (PEM). Reads that
    /// file, sends nothing. The error is for people and says which file and why.
    pub fn new(ca_bundle: Option<&Path>, connect_timeout: Duration) -> Result<Self, String> {
        let extra_roots = ca_bundle.map(read_bundle).transpose()?.unwrap_or_default();
        let loopback = client(RootCertStore::empty(), connect_timeout, ClientBuilder::no_proxy)?;
        Ok(Self { extra_roots, connect_timeout, outside: OnceLock::new(), loopback })
    }

    fn client(&self, url: &Url) -> Result<&Client, TransportError> {
        if is_plain_loopback(url) {
            return Ok(&self.loopback);
        }
        let made = self.outside.get_or_init(|| {
            client(trusted(&self.extra_roots), self.connect_timeout, std::convert::identity)
        });
        made.as_ref().map_err(|problem| TransportError {
            kind: ErrorKind::Invalid,
            delivery: Delivery::NotSent,
            detail: problem.clone(),
        })
    }
}

#[async_trait]
impl Transport for ReqwestTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let host = request.host();
        let response = self
            .client(&request.url)?
            .request(request.method, request.url)
            .headers(request.headers)
            .body(request.body)
            .send()
            .await
            .map_err(|error| explain(&host, error))?;
        Ok(Response {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.bytes_stream().map_err(move |error| explain(&host, error)).boxed(),
        })
    }
}

/// A client of the same trust, proxies and manners for whoever speaks HTTP by a library of its own:
/// the state in a bucket. `timeout` bounds each request. The error is for people.
pub fn library_client(ca_bundle: Option<&Path>, timeout: Duration) -> Result<Client, String> {
    let extra_roots = ca_bundle.map(read_bundle).transpose()?.unwrap_or_default();
    client(trusted(&extra_roots), CONNECT_TIMEOUT, |builder| builder.timeout(timeout))
}

fn client(
    roots: RootCertStore,
    connect_timeout: Duration,
    finish: impl FnOnce(ClientBuilder) -> ClientBuilder,
) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("cannot set up TLS: {error}"))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let builder = Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(USER_AGENT)
        .connect_timeout(connect_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false);
    finish(builder).build().map_err(|error| format!("cannot set up HTTP: {}", chain(&error)))
}

/// The system's authorities and the given ones. A system without a store is no error: a bundle may
/// be given. Whoever needs trust and has none is told so by the first connection.
fn trusted(extra: &[CertificateDer<'static>]) -> RootCertStore {
    let system = rustls_native_certs::load_native_certs();
    for error in &system.errors {
        tracing::warn!("system certificates: {error}");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(system.certs);
    roots.add_parsable_certificates(extra.iter().cloned());
    roots
}

/// The certificates of a PEM file, each checked to be one.
fn read_bundle(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let problem = |what: &str| format!("ca_bundle `{}`: {what}", path.display());
    let bundle = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| problem(&error.to_string()))?;
    if bundle.is_empty() {
        return Err(problem("no certificate in it"));
    }
    let mut store = RootCertStore::empty();
    for certificate in &bundle {
        store.add(certificate.clone()).map_err(|error| problem(&error.to_string()))?;
    }
    Ok(bundle)
}

fn is_plain_loopback(url: &Url) -> bool {
    url.scheme() == "http"
        && match url.host() {
            Some(Host::Ipv4(ip)) => IpAddr::from(ip).is_loopback(),
            Some(Host::Ipv6(ip)) => IpAddr::from(ip).is_loopback(),
            Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
            None => false,
        }
}

/// Tells the kinds of failure apart by type, and names the host: the address itself may carry
/// secrets.
fn explain(host: &str, error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    let (kind, delivery) = if distrusts(&error) {
        (ErrorKind::Untrusted, Delivery::NotSent)
    } else if error.is_builder() {
        (ErrorKind::Invalid, Delivery::NotSent)
    } else if error.is_connect() {
        let kind = if error.is_timeout() { ErrorKind::Timeout } else { ErrorKind::Unreachable };
        (kind, Delivery::NotSent)
    } else if error.is_timeout() {
        (ErrorKind::Timeout, Delivery::MaybeSent)
    } else {
        (ErrorKind::Unreachable, Delivery::MaybeSent)
    };
    TransportError { kind, delivery, detail: format!("{host}: {}", chain(&error)) }
}

/// Whether the other side's certificate is what failed.
fn distrusts(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        matches!(
            cause.downcast_ref::<rustls::Error>(),
            Some(rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented)
        )
    })
}

/// An error and its causes. What an `io::Error` wraps counts as its cause, which its own `source`
/// steps over.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error: &&'a (dyn StdError + 'static)| {
        match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn StdError + 'static)),
            None => error.source(),
        }
    })
}

/// All causes in one line, each said once.
fn chain(error: &reqwest::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for cause in causes(error) {
        let text = cause.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}
