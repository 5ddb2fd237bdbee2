//! Answers as the server words them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What every answer comes in, good or bad.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Envelope<T> {
    pub(crate) status: Status,
    pub(crate) data: Option<T>,
    /// The kind of error: `bad_data`, `execution`, `timeout`.
    #[serde(default)]
    pub(crate) error_type: String,
    #[serde(default)]
    pub(crate) error: String,
    /// What the answer may lack. Remarks on how a query is worded come as `infos` and lack nothing.
    #[serde(default)]
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    Success,
    Error,
}

/// What a range query finds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Found {
    pub(crate) result_type: String,
    pub(crate) result: Vec<Line>,
}

/// One series of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    pub(crate) metric: BTreeMap<String, String>,
    /// Seconds, and the value as text: `NaN` and `+Inf` are no JSON numbers.
    #[serde(default)]
    pub(crate) values: Vec<(f64, String)>,
}
