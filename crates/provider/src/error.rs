//! The error taxonomy. Decisions are made on [`ErrorKind`] and [`Delivery`], never on text.

use std::fmt;
use std::time::Duration;

/// What went wrong, as far as a decision needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// No credentials could be found; the text says which sources were tried.
    NoCredentials,
    /// The credentials were refused (wrong, revoked).
    CredentialsRejected,
    /// The credentials were good once and have expired.
    CredentialsExpired,
    /// The local clock is too far off for signatures.
    ClockSkew,
    /// The credentials are good and may not do this; names the missing permission.
    Denied {
        /// As the provider's policy language spells it, such as `ec2:DescribeInstances`.
        permission: String,
    },
    /// The location exists and is not enabled for this account, or lacks the product.
    NotEnabled,
    /// The thing asked for does not exist (any more).
    NotFound,
    /// Too many requests, also after all retries.
    Throttled,
    /// A time limit of ours passed.
    Timeout,
    /// No connection: refused, reset, name not found, proxy.
    Unreachable,
    /// TLS could not be trusted.
    Untrusted,
    /// The provider failed (5xx), also after all retries.
    ServerFault,
    /// The answer cannot be read.
    Protocol,
    /// The provider's answers contradict each other (count and list, a token repeated for ever).
    Inconsistent,
    /// The request was refused as wrong: a bug of ours or a setting that cannot be.
    Invalid,
    /// The state of the thing does not allow it now.
    Conflict,
    /// The provider's own protection of the thing forbids it. Never lifted by us.
    Protected,
}

impl ErrorKind {
    /// Whether it is about the account as a whole, so that other locations need not be asked.
    pub const fn is_account_wide(&self) -> bool {
        matches!(
            self,
            Self::NoCredentials
                | Self::CredentialsRejected
                | Self::CredentialsExpired
                | Self::ClockSkew
        )
    }

    /// A few words for people.
    pub fn words(&self) -> String {
        match self {
            Self::NoCredentials => "no credentials found".into(),
            Self::CredentialsRejected => "credentials refused".into(),
            Self::CredentialsExpired => "credentials expired".into(),
            Self::ClockSkew => "the local clock is off".into(),
            Self::Denied { permission } => format!("permission {permission} is missing"),
            Self::NotEnabled => "not enabled for this account".into(),
            Self::NotFound => "not found".into(),
            Self::Throttled => "throttled by the provider".into(),
            Self::Timeout => "no answer in time".into(),
            Self::Unreachable => "not reachable".into(),
            Self::Untrusted => "certificate not trusted".into(),
            Self::ServerFault => "the provider failed".into(),
            Self::Protocol => "unreadable answer".into(),
            Self::Inconsistent => "contradictory answers".into(),
            Self::Invalid => "request refused as invalid".into(),
            Self::Conflict => "not possible in this state".into(),
            Self::Protected => "protected at the provider".into(),
        }
    }
}

/// Whether the provider may have carried out the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It surely never arrived.
    NotSent,
    /// It may have arrived and been carried out: read before any repetition.
    MaybeSent,
    /// The provider answered with this error.
    Answered,
}

/// An error of one provider call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderError {
    /// For decisions.
    pub kind: ErrorKind,
    /// For decisions on repetition.
    pub delivery: Delivery,
    /// The call, such as `ec2:DescribeInstances`.
    pub call: String,
    /// The provider's own code and words, shortened, for people only.
    pub detail: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The provider's id of the request, for its support.
    pub request_id: Option<String>,
}

/// Longest text of a provider that is shown.
const LONGEST_DETAIL: usize = 300;

impl ProviderError {
    /// An error of `call`, answered by the provider with `detail`.
    pub fn answered(kind: ErrorKind, call: impl Into<String>, detail: impl AsRef<str>) -> Self {
        Self::new(kind, Delivery::Answered, call, detail)
    }

    /// An error of `call`.
    pub fn new(
        kind: ErrorKind,
        delivery: Delivery,
        call: impl Into<String>,
        detail: impl AsRef<str>,
    ) -> Self {
        Self {
            kind,
            delivery,
            call: call.into(),
            detail: shorten(detail.as_ref()),
            retry_after: None,
            request_id: None,
        }
    }

    /// With the provider's id of the request.
    #[must_use]
    pub fn with_request_id(mut self, id: Option<impl Into<String>>) -> Self {
        self.request_id = id.map(Into::into);
        self
    }

    /// With the wait that the provider asks for.
    #[must_use]
    pub fn with_retry_after(mut self, wait: Option<Duration>) -> Self {
        self.retry_after = wait;
        self
    }
}

/// One line, without control characters, not longer than [`LONGEST_DETAIL`].
fn shorten(text: &str) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.chars().count() > LONGEST_DETAIL {
        line = line.chars().take(LONGEST_DETAIL - 1).collect();
        line.push('…');
    }
    line
}

impl fmt::Display for ProviderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.kind.words())?;
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " [request {id}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProviderError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_one_line_and_bounded() {
        let error = ProviderError::answered(
            ErrorKind::ServerFault,
            "ec2:DescribeInstances",
            format!("<html>\r\n\u{1b}[31m{}</html>", "x".repeat(1000)),
        )
        .with_request_id(Some("req-1"));
        let text = error.to_string();
        assert!(text.chars().all(|c| !c.is_control()), "{text}");
        assert!(text.chars().count() < 400);
        assert!(text.ends_with("[request req-1]"));
    }
}
