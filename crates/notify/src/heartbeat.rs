//! The heartbeat: an address that hears when a run starts, succeeds and fails, so that somebody
//! notices when it hears nothing. It never decides how a run ends.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use reaper_http::{HeaderMap, HeaderValue, Url, header};
use sha2::{Digest as _, Sha256};

use crate::delivery::Delivery;
use crate::endpoint::{Doubles, Endpoint, Target, TargetError};
use crate::words::short;

/// Characters of what is said beside.
const LONGEST: usize = 500;

/// Tells one address of one run, in the manner of healthchecks: a start below it at `/start`, a
/// success at the address itself, a failure at `/fail`.
#[derive(Debug)]
pub struct Heartbeat {
    endpoint: Endpoint,
    run: String,
    at: DateTime<Utc>,
}

impl Heartbeat {
    /// Checks the address; connects nowhere yet. `run_id` names the run, so that its start and its
    /// end are known to belong together; `at` is its clock.
    pub fn new(target: &Target, run_id: &str, at: DateTime<Utc>) -> Result<Self, TargetError> {
        let endpoint = Endpoint::new(target, Doubles::Dropped)?;
        Ok(Self { endpoint, run: uuid(run_id), at })
    }

    /// The run begins.
    ///
    /// # Errors
    ///
    /// A sentence for a warning: nobody may have heard it.
    pub async fn start(&self) -> Result<(), String> {
        self.tell(Some("start"), "").await
    }

    /// The run has ended well; `summary` says how, such as the classes of its outcome.
    ///
    /// # Errors
    ///
    /// A sentence for a warning: nobody may have heard it.
    pub async fn success(&self, summary: &str) -> Result<(), String> {
        self.tell(None, summary).await
    }

    /// The run has failed; `summary` says how.
    ///
    /// # Errors
    ///
    /// A sentence for a warning: nobody may have heard it.
    pub async fn fail(&self, summary: &str) -> Result<(), String> {
        self.tell(Some("fail"), summary).await
    }

    async fn tell(&self, below: Option<&str>, summary: &str) -> Result<(), String> {
        let text = HeaderValue::from_static("text/plain; charset=utf-8");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, text)]);
        let body = Bytes::from(short(summary, LONGEST));
        match self.endpoint.post(&self.url(below), self.at, &headers, &body).await {
            Delivery::Accepted { .. } => Ok(()),
            Delivery::Rejected { why, .. } | Delivery::PossiblySent { why } => {
                let what = below.map_or("success", |word| word);
                Err(format!("the heartbeat may not have been heard ({what}): {why}"))
            }
        }
    }

    fn url(&self, below: Option<&str>) -> Url {
        let mut url = self.endpoint.url().clone();
        // Never an error: an address without a host was refused.
        if let (Some(word), Ok(mut path)) = (below, url.path_segments_mut()) {
            path.pop_if_empty().push(word);
        }
        url.query_pairs_mut().append_pair("rid", &self.run);
        url
    }
}

/// A UUID (version 8: of our own making) that follows from the run's id alone.
fn uuid(run_id: &str) -> String {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&Sha256::digest(format!("reaper run {run_id}"))[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x80;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heartbeat(url: &str) -> Heartbeat {
        let target =
            Target { url: url.into(), timeout: std::time::Duration::from_secs(1), ca_bundle: None };
        let at = "2026-11-30T07:00:00Z".parse().expect("a time");
        Heartbeat::new(&target, "r-1", at).expect("set up")
    }

    #[test]
    fn words_go_below_the_address_and_what_is_asked_there_stays() {
        let run = uuid("r-1");
        for (address, start) in [
            ("https://hc.example.org/ping/abc", "https://hc.example.org/ping/abc/start?"),
            ("https://hc.example.org/ping/abc/", "https://hc.example.org/ping/abc/start?"),
            ("https://hc.example.org/p?create=1", "https://hc.example.org/p/start?create=1&"),
        ] {
            let url = heartbeat(address).url(Some("start"));
            assert_eq!(url.as_str(), format!("{start}rid={run}"));
        }
        let url = heartbeat("https://hc.example.org/ping/abc").url(None);
        assert_eq!(url.as_str(), format!("https://hc.example.org/ping/abc?rid={run}"));
    }

    #[test]
    fn a_run_has_one_uuid() {
        assert_eq!(uuid("r-1"), uuid("r-1"));
        assert_ne!(uuid("r-1"), uuid("r-2"));
        let text = uuid("r-1");
        assert_eq!((text.len(), &text[14..15]), (36, "8"));
        assert!("89ab".contains(&text[19..20]), "{text}");
    }

    #[test]
    fn secrets_never_leave_a_heartbeat() {
        assert!(!format!("{:?}", heartbeat("https://hc.example.org/hunter2")).contains("hunter2"));
    }
}
