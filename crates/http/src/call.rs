//! One call as an adapter words it, and the request that is made of it for each attempt.
//! Secrets are marked where they come in and never shown again.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{HeaderMap, Method};
use reaper_provider::{Delivery, ErrorKind, ProviderError};
use secrecy::{ExposeSecret, SecretString};
use url::Url;

/// Longest answer that is read of an ordinary call.
pub const BODY_LIMIT: usize = 16 << 20;
/// Longest answer that is read of a price catalogue.
pub const CATALOGUE_LIMIT: usize = 64 << 20;

/// One call to a provider.
#[derive(Debug, Clone)]
pub struct Call {
    name: Cow<'static, str>,
    permission: Option<Cow<'static, str>>,
    changes: bool,
    limit: usize,
    request: Request,
}

impl Call {
    /// A GET that changes nothing and may be repeated. `name` is for people and errors:
    /// `lambda:ListInstances`.
    pub fn read(name: impl Into<Cow<'static, str>>, url: Url) -> Self {
        Self::new(name.into(), Method::GET, url, false)
    }

    /// A call that changes something: repeated only when it surely was not sent. Whether a call
    /// changes something is said here and never concluded from its method.
    pub fn change(name: impl Into<Cow<'static, str>>, method: Method, url: Url) -> Self {
        Self::new(name.into(), method, url, true)
    }

    /// A POST that changes nothing (a search, a login) and may be repeated.
    pub fn ask(name: impl Into<Cow<'static, str>>, url: Url) -> Self {
        Self::new(name.into(), Method::POST, url, false)
    }

    fn new(name: Cow<'static, str>, method: Method, url: Url, changes: bool) -> Self {
        let headers =
            HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static("application/json"))]);
        let request = Request { method, url, headers, body: Bytes::new(), secrets: Vec::new() };
        Self { name, permission: None, changes, limit: BODY_LIMIT, request }
    }

    /// The permission that the call needs, as the provider's policy language spells it; named when
    /// the call is denied.
    #[must_use]
    pub fn permission(mut self, permission: impl Into<Cow<'static, str>>) -> Self {
        self.permission = Some(permission.into());
        self
    }

    /// Reads answers up to so many bytes, instead of [`BODY_LIMIT`].
    #[must_use]
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// With a query parameter, added or replaced.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.set_query(name, value);
        self
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(mut self, body: &serde_json::Value) -> Self {
        self.request
            .headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
        self.request.body = body.to_string().into();
        self
    }

    /// With a further form field.
    #[must_use]
    pub fn form_field(mut self, name: &str, value: &str) -> Self {
        self.request
            .headers
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let so_far = String::from_utf8_lossy(&self.request.body).into_owned();
        let mut form = form_urlencoded::Serializer::new(so_far);
        form.append_pair(name, value);
        self.request.body = form.finish().into();
        self
    }

    /// With a further form field that is kept out of every text.
    #[must_use]
    pub fn secret_form_field(mut self, name: &str, value: &SecretString) -> Self {
        self.request.secrets.push(value.clone());
        self.form_field(name, value.expose_secret())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The permission that it needs; its name where none was given.
    pub fn needed_permission(&self) -> &str {
        self.permission.as_deref().unwrap_or(&self.name)
    }

    /// Whether it changes something.
    pub fn changes(&self) -> bool {
        self.changes
    }

    pub(crate) fn body_limit(&self) -> usize {
        self.limit
    }

    /// A request for one attempt.
    pub(crate) fn prepare(&self) -> Request {
        self.request.clone()
    }

    pub(crate) fn set_query(&mut self, name: &str, value: &str) {
        let kept: Vec<(String, String)> = self
            .request
            .url
            .query_pairs()
            .filter(|(other, _)| other != name)
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        self.request.url.query_pairs_mut().clear().extend_pairs(kept).append_pair(name, value);
    }
}

/// A request that is ready to be signed and sent.
#[derive(Clone)]
pub struct Request {
    /// Its method.
    pub method: Method,
    /// Where it goes.
    pub url: Url,
    /// Its headers; secret values are marked sensitive.
    pub headers: HeaderMap,
    /// Its body, empty for none.
    pub body: Bytes,
    pub(crate) secrets: Vec<SecretString>,
}

impl Request {
    /// A POST for whoever uses a transport by itself. What of it is secret is the caller's to keep
    /// out of texts.
    pub fn post(url: Url, headers: HeaderMap, body: Bytes) -> Self {
        Self { method: Method::POST, url, headers, body, secrets: Vec::new() }
    }

    /// Keeps a secret out of every text that is in the request in another form.
    pub fn hide(&mut self, secret: &SecretString) {
        self.secrets.push(secret.clone());
    }

    /// Sets a header whose value is kept out of every text.
    pub fn secret_header(
        &mut self,
        name: HeaderName,
        value: &SecretString,
    ) -> Result<(), ProviderError> {
        self.secrets.push(value.clone());
        self.set_sensitive(name, value.expose_secret())
    }

    /// Sets `Authorization: Bearer …`.
    pub fn bearer(&mut self, token: &SecretString) -> Result<(), ProviderError> {
        self.secrets.push(token.clone());
        self.set_sensitive(AUTHORIZATION, &format!("Bearer {}", token.expose_secret()))
    }

    /// The host with its port, for people.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn set_sensitive(&mut self, name: HeaderName, value: &str) -> Result<(), ProviderError> {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            ProviderError::new(
                ErrorKind::NoCredentials,
                Delivery::NotSent,
                "authorize",
                format!("the credential for header `{name}` holds characters that no header takes"),
            )
        })?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(())
    }
}

impl fmt::Debug for Request {
    /// Neither path, query nor body: all three can carry secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("host", &self.host())
            .field("headers", &self.headers)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("valid")
    }

    #[test]
    fn fl_083_no_secret_in_debug() {
        let secret = SecretString::from("canary-7f3a");
        let call = Call::ask("x:Token", url("https://example.org/token?a=canary-7f3a"))
            .secret_form_field("client_secret", &secret);
        let mut request = call.prepare();
        request.bearer(&secret).expect("valid header");
        request.secret_header(HeaderName::from_static("x-key"), &secret).expect("valid header");
        for text in [format!("{call:?}"), format!("{request:?}"), format!("{request:#?}")] {
            assert!(!text.contains("canary"), "{text}");
        }
        assert_eq!(&request.body[..], b"client_secret=canary-7f3a");
        assert_eq!(request.secrets.len(), 3);
    }

    #[test]
    fn fl_082_a_credential_that_no_header_takes_is_not_quoted() {
        let mut request = Call::read("x:List", url("https://example.org/")).prepare();
        let error = request.bearer(&SecretString::from("canary\nkey")).expect_err("newline");
        assert_eq!(error.kind, ErrorKind::NoCredentials);
        assert!(!error.to_string().contains("canary"), "{error}");
    }

    #[test]
    fn a_query_parameter_is_replaced_not_doubled() {
        let mut call =
            Call::read("x:List", url("https://example.org/?page=1&q=a%26b")).query("page", "2");
        call.set_query("page", "3");
        assert_eq!(call.prepare().url.as_str(), "https://example.org/?q=a%26b&page=3");
    }
}
