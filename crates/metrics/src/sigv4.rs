//! Signatures for Amazon Managed Prometheus, by AWS's own signer.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use reaper_http::{HeaderName, Request};
use reaper_provider::{Delivery, ErrorKind, ProviderError};
use secrecy::{ExposeSecret as _, SecretString};

/// What the service calls itself in a signature.
const SERVICE: &str = "aps";

/// Keys of AWS, and the region that they sign for.
#[derive(Debug, Clone)]
pub struct SigV4 {
    /// The region of the workspace.
    pub region: String,
    /// The id of the key; no secret by itself.
    pub access_key_id: SecretString,
    /// The key.
    pub secret_access_key: SecretString,
    /// What temporary keys come with.
    pub session_token: Option<SecretString>,
}

impl SigV4 {
    /// Signs a request that is about to be sent. A signature holds for minutes around the time it
    /// was made at, so it takes the time of day and not the clock of the run.
    pub(crate) fn sign(&self, request: &mut Request, at: SystemTime) -> Result<(), ProviderError> {
        request.hide(&self.secret_access_key);
        for header in self.headers(request, at).map_err(|problem| refused(&problem))? {
            let name = HeaderName::from_bytes(header.0.as_bytes())
                .map_err(|error| refused(&error.to_string()))?;
            request.secret_header(name, &header.1)?;
        }
        Ok(())
    }

    fn headers(
        &self,
        request: &Request,
        at: SystemTime,
    ) -> Result<Vec<(String, SecretString)>, String> {
        let token = self.session_token.as_ref().map(|token| token.expose_secret().to_owned());
        let identity = Credentials::new(
            self.access_key_id.expose_secret(),
            self.secret_access_key.expose_secret(),
            token,
            None,
            "reaper metrics",
        )
        .into();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(&self.region)
            .name(SERVICE)
            .time(at)
            .settings(SigningSettings::default())
            .build()
            .map_err(|error| error.to_string())?
            .into();
        let content_type = request.headers.get("content-type").and_then(|it| it.to_str().ok());
        let signable = SignableRequest::new(
            request.method.as_str(),
            request.url.as_str(),
            content_type.map(|value| ("content-type", value)).into_iter(),
            SignableBody::Bytes(&request.body),
        )
        .map_err(|error| error.to_string())?;
        let signed = sign(signable, &params).map_err(|error| error.to_string())?;
        let headers = signed.output().headers();
        Ok(headers.map(|(name, value)| (name.to_owned(), SecretString::from(value))).collect())
    }
}

/// The request was not sent.
fn refused(problem: &str) -> ProviderError {
    let detail = format!("no signature could be made: {problem}");
    ProviderError::new(ErrorKind::NoCredentials, Delivery::NotSent, "authorize", detail)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use reaper_http::{HeaderMap, Url};

    use super::*;

    /// As `botocore.auth.SigV4Auth` 1.43 signs the same request (checked by hand once).
    #[test]
    fn a_signature_is_that_of_others() {
        let keys = SigV4 {
            region: "eu-west-1".to_owned(),
            access_key_id: SecretString::from("AKIDEXAMPLE"),
            secret_access_key: SecretString::from("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            session_token: None,
        };
        let url =
            "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1/api/v1/query_range";
        let body = b"query=up&start=1".as_slice().into();
        let mut request = Request::post(Url::parse(url).expect("valid"), HeaderMap::new(), body);
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_000_000);
        keys.sign(&mut request, at).expect("signed");
        let header = |name: &str| request.headers[name].to_str().expect("text").to_owned();
        assert_eq!(header("x-amz-date"), "20261130T005320Z");
        assert_eq!(
            header("authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261130/eu-west-1/aps/aws4_request, \
             SignedHeaders=host;x-amz-date, Signature=\
             4a856bfc04f9d2d811e41472c68ec7d24c5121631b4bcb1a70c1af689b345681"
        );
        assert!(!format!("{request:?}{keys:?}").contains("wJalr"));
    }
}
