//! A private certificate authority: trusted when given, and named when not.

use std::io::Write as _;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use reaper_http::{Base, Call, Client};
use reaper_provider::{AccountSettings, ErrorKind};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio_rustls::TlsAcceptor;

use crate::scripted::{Plain, UNPACED, context};
use crate::server::{Server, answer};

/// An authority of its own (PEM) and a server that it vouches for.
fn authority() -> (String, TlsAcceptor) {
    let mut params = CertificateParams::new(Vec::new()).expect("valid");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca = CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key"))
        .expect("an authority");
    let key = KeyPair::generate().expect("a key");
    let certificate = CertificateParams::new(vec!["localhost".to_owned()])
        .expect("valid")
        .signed_by(&key, &ca)
        .expect("signed");
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let config =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("they match");
    (ca.pem(), TlsAcceptor::from(Arc::new(config)))
}

fn bundle(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

#[tokio::test]
async fn fl_073_a_private_authority_is_trusted_when_given_and_named_when_not() {
    let (ca, acceptor) = authority();
    let server = Server::start(vec![answer("200 OK", "[1]")], Some(acceptor)).await;
    let mut settings = AccountSettings::named("test");
    settings.endpoint_url = Some(format!("https://localhost:{}", server.addr.port()));
    let base = Base::open(&settings, "https://unused.example").expect("valid");
    let call = Call::read("x:List", base.at(["list"]));
    let open = |settings: &AccountSettings| Client::open(settings, UNPACED, Arc::new(Plain));

    let cx = context();
    let client = open(&settings).expect("opens");
    let error = client.json::<Value>(&cx, &call).await.expect_err("unknown authority");
    assert_eq!(error.kind, ErrorKind::Untrusted);
    assert!(error.to_string().contains("certificate not trusted (localhost:"), "{error}");
    assert_eq!((cx.requests.sent(), server.connections()), (1, 1));

    let file = bundle(&ca);
    settings.ca_bundle = Some(file.path().to_owned());
    let client = open(&settings).expect("opens");
    let value: Value = client.json(&context(), &call).await.expect("trusted");
    assert_eq!(value, serde_json::json!([1]));
}

#[test]
fn a_bundle_that_is_none_is_a_configuration_error() {
    for text in
        ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
    {
        let file = bundle(text);
        let mut settings = AccountSettings::named("test");
        settings.ca_bundle = Some(file.path().to_owned());
        let error = Client::open(&settings, UNPACED, Arc::new(Plain)).expect_err("not a bundle");
        assert!(error.problem.starts_with("ca_bundle `"), "{error}");
    }
}
