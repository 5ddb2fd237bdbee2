//! Answers with an unreadable date. The SDK refuses such an answer as a whole; here the date is
//! marked as the year 1, which spoils one field of one machine, or one price, and nothing else.

use std::borrow::Cow;

use aws_smithy_runtime_api::client::http::{
    HttpConnector, HttpConnectorFuture, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::byte_stream::ByteStream;
use chrono::DateTime;

/// Stands for a date that could not be read.
const UNREADABLE: &str = "0001-01-01T00:00:00Z";

/// The elements of an instance, a spot price, a volume and a snapshot that hold a date.
const DATES: [&str; 8] = [
    "launchTime",
    "attachTime",
    "usageOperationUpdateTime",
    "timestamp",
    "createTime",
    "startTime",
    "completionTime",
    "restoreExpiryTime",
];

/// Hands requests on and looks through the dates of the answers. It sits here because the SDK lets
/// nobody else between an answer and its reader.
#[derive(Debug)]
pub(crate) struct LenientDates {
    inner: SharedHttpConnector,
}

impl LenientDates {
    /// In front of another connector.
    pub(crate) fn new(inner: SharedHttpConnector) -> Self {
        Self { inner }
    }
}

impl HttpConnector for LenientDates {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let answer = self.inner.call(request);
        HttpConnectorFuture::new(async move { mend(answer.await?).await })
    }
}

async fn mend(mut response: HttpResponse) -> Result<HttpResponse, ConnectorError> {
    let body = std::mem::replace(response.body_mut(), SdkBody::taken());
    let body = ByteStream::new(body).collect().await;
    let bytes = body.map_err(|error| ConnectorError::io(error.into()))?.into_bytes();
    let mended = match std::str::from_utf8(&bytes).map(mark_unreadable) {
        Ok(Cow::Owned(text)) => SdkBody::from(text),
        Ok(Cow::Borrowed(_)) | Err(_) => SdkBody::from(bytes),
    };
    *response.body_mut() = mended;
    Ok(response)
}

/// The text with every unreadable date replaced.
fn mark_unreadable(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    for name in DATES {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let empty = format!("<{name}/>");
        if text.contains(&empty) {
            text = Cow::Owned(text.replace(&empty, &format!("{open}{close}")));
        }
        let mut from = 0;
        while let Some(start) = text[from..].find(&open).map(|at| from + at + open.len()) {
            let Some(end) = text[start..].find(&close).map(|at| start + at) else { break };
            from = end;
            if DateTime::parse_from_rfc3339(&text[start..end]).is_err() {
                text.to_mut().replace_range(start..end, UNREADABLE);
                from = start + UNREADABLE.len();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_009_unreadable_dates_are_marked_and_good_ones_left() {
        let text = "<a><launchTime/></a><a><launchTime>soon</launchTime></a>\
                    <a><launchTime>2026-11-01T10:00:00.000Z</launchTime></a>";
        assert_eq!(
            mark_unreadable(text),
            "<a><launchTime>0001-01-01T00:00:00Z</launchTime></a>\
             <a><launchTime>0001-01-01T00:00:00Z</launchTime></a>\
             <a><launchTime>2026-11-01T10:00:00.000Z</launchTime></a>"
        );
    }

    #[test]
    fn a_text_without_fault_is_not_copied() {
        let text = "<launchTime>2026-11-01T10:00:00Z</launchTime><attachTime>";
        assert!(matches!(mark_unreadable(text), Cow::Borrowed(_)));
    }
}
