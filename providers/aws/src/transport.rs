//! The HTTP client below the SDK: rustls with the system's certificate authorities and the
//! configured ones, and the proxies of the environment. Plain HTTP to a loopback address goes
//! straight, because no proxy can reach what is meant.

use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector, http_client_fn,
};
use aws_smithy_runtime_api::client::interceptors::context::InterceptorContext;
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::lenient::LenientDates;

/// One client with one pool of connections, for all regions of an account.
///
/// # Errors
/// In words, when the file with further certificate authorities cannot be used.
pub(crate) fn http_client(
    connect: Duration,
    ca_bundle: Option<&Path>,
) -> Result<SharedHttpClient, String> {
    let mut trust = TrustStore::empty().with_native_roots(true);
    if let Some(path) = ca_bundle {
        let bundle = read_bundle(path).map_err(|why| format!("{}: {why}", path.display()))?;
        trust.add_pem_certificate(bundle);
    }
    let context =
        TlsContext::builder().with_trust_store(trust).build().map_err(|error| chain(&error))?;
    let settings = HttpConnectorSettings::builder().connect_timeout(connect).build();
    let connector = |proxies: ProxyConfig| {
        SharedHttpConnector::new(
            Connector::builder()
                .tls_provider(Provider::Rustls(CryptoMode::Ring))
                .tls_context(context.clone())
                .proxy_config(proxies)
                .connector_settings(settings.clone())
                .build(),
        )
    };
    let roads = Roads {
        straight: connector(ProxyConfig::disabled()),
        outside: connector(ProxyConfig::from_env()),
    };
    let connector = SharedHttpConnector::new(LenientDates::new(SharedHttpConnector::new(roads)));
    Ok(http_client_fn(move |_, _| connector.clone()))
}

/// Sends a request straight or by the proxy of the environment.
#[derive(Debug)]
struct Roads {
    straight: SharedHttpConnector,
    outside: SharedHttpConnector,
}

impl HttpConnector for Roads {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let road = if is_plain_loopback(request.uri()) { &self.straight } else { &self.outside };
        road.call(request)
    }
}

fn is_plain_loopback(uri: &str) -> bool {
    let Some(rest) = uri.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if let Ok(address) = authority.parse::<SocketAddr>() {
        return address.ip().is_loopback();
    }
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    };
    let address = authority.trim_matches(['[', ']']).parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// The bundle's bytes, checked here because the connector would panic on a bad certificate.
fn read_bundle(path: &Path) -> Result<Vec<u8>, String> {
    let pem = std::fs::read(path).map_err(|error| error.to_string())?;
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        let certificate = certificate.map_err(|error| error.to_string())?;
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    if roots.is_empty() { Err("holds no certificate".to_owned()) } else { Ok(pem) }
}

/// An error and its causes in one line.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = error.source();
    }
    text
}

/// Whether the other side's certificate was not trusted.
pub(crate) fn untrusted(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let tls = error.downcast_ref::<rustls::Error>();
        if matches!(tls, Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        // An io::Error is silent in source() about the error that it wraps.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

/// A certificate that is not trusted now is not trusted a second later.
#[derive(Debug)]
pub(crate) struct NeverRetryUntrusted;

impl ClassifyRetry for NeverRetryUntrusted {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let error = context.output_or_error().and_then(Result::err);
        match error.and_then(|error| error.as_connector_error()) {
            Some(error) if untrusted(error) => RetryAction::RetryForbidden,
            _ => RetryAction::NoActionIndicated,
        }
    }

    fn name(&self) -> &'static str {
        "reaper-never-retry-untrusted"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_072_only_plain_loopback_goes_past_the_proxy() {
        for uri in [
            "http://127.0.0.1:5000/aws",
            "http://127.0.0.9/",
            "http://[::1]:5000/",
            "http://[::1]",
            "http://localhost:5000/?a",
            "http://LocalHost",
        ] {
            assert!(is_plain_loopback(uri), "{uri}");
        }
        for uri in [
            "https://127.0.0.1:5000/",
            "http://10.0.0.1:5000/",
            "http://localhost.example.org/",
            "http://sts.eu-west-1.amazonaws.com/",
            "http://169.254.170.2/v2/credentials",
        ] {
            assert!(!is_plain_loopback(uri), "{uri}");
        }
    }

    #[test]
    fn fl_073_a_bundle_without_certificate_is_refused_by_name() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
        let error = http_client(Duration::from_secs(1), Some(&path)).expect_err("not a bundle");
        assert!(error.ends_with("Cargo.toml: holds no certificate"), "{error}");
    }

    #[test]
    fn fl_073_an_untrusted_certificate_is_found_inside_an_io_error() {
        let tls = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let inner = io::Error::new(io::ErrorKind::InvalidData, tls);
        assert!(untrusted(&io::Error::other(inner)), "as deep as the connector buries it");
        assert!(!untrusted(&io::Error::new(io::ErrorKind::InvalidData, "something else")));
    }
}
