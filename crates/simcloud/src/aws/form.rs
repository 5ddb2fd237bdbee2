//! Parameters of the query protocol: single ones, numbered lists, filters with wildcards.

use std::collections::BTreeMap;

use crate::aws::error::AwsError;
use crate::wire::Request;

/// The parameters of one request, from the URL and the body.
#[derive(Debug)]
pub(crate) struct Form(BTreeMap<String, String>);

/// A filter: one of the values, each of which may hold `*` and `?`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) name: String,
    pub(crate) values: Vec<String>,
}

/// EC2 takes no more values than this in all filters of a request together.
const MAX_FILTER_VALUES: usize = 200;

impl Form {
    pub(crate) fn of(request: &Request) -> Self {
        let body = form_urlencoded::parse(&request.body).into_owned();
        Self(request.query_pairs().chain(body).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A parameter that has to be there.
    pub(crate) fn required(&self, name: &str) -> Result<&str, AwsError> {
        self.get(name).filter(|value| !value.is_empty()).ok_or_else(|| {
            let message = format!("The request must contain the parameter {name}");
            AwsError::bad("MissingParameter", message)
        })
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }

    /// `PREFIX.1`, `PREFIX.2`, … in the order of their numbers.
    pub(crate) fn list(&self, prefix: &str) -> Vec<&str> {
        let mut found: Vec<(u32, &str)> = self
            .0
            .iter()
            .filter_map(|(key, value)| {
                let number = key.strip_prefix(prefix)?.strip_prefix('.')?;
                Some((number.parse().ok()?, value.as_str()))
            })
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, value)| value).collect()
    }

    /// All filters, each of a name that `known` accepts.
    pub(crate) fn filters(&self, known: impl Fn(&str) -> bool) -> Result<Vec<Filter>, AwsError> {
        let mut filters = Vec::new();
        let mut number = 1_u32;
        while let Some(name) = self.get(&format!("Filter.{number}.Name")) {
            if !known(name) {
                let message = format!("The filter '{name}' is invalid");
                return Err(AwsError::bad("InvalidParameterValue", message));
            }
            let values = self.list(&format!("Filter.{number}.Value"));
            let values = values.into_iter().map(str::to_owned).collect();
            filters.push(Filter { name: name.to_owned(), values });
            number += 1;
        }
        let values: usize = filters.iter().map(|filter| filter.values.len()).sum();
        if values > MAX_FILTER_VALUES {
            return Err(AwsError::bad(
                "FilterLimitExceeded",
                format!(
                    "The maximum number of filter values specified on a single call is {MAX_FILTER_VALUES}"
                ),
            ));
        }
        Ok(filters)
    }
}

impl Filter {
    /// Whether one of the values fits the text.
    pub(crate) fn fits(&self, text: &str) -> bool {
        self.values.iter().any(|value| like(value.as_bytes(), text.as_bytes()))
    }
}

/// EC2's wildcards: `*` for any text, `?` for one byte, `\` takes the next one literally.
fn like(pattern: &[u8], text: &[u8]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((b'*', rest)) => (0..=text.len()).any(|from| like(rest, &text[from..])),
        Some((b'?', rest)) => text.split_first().is_some_and(|(_, tail)| like(rest, tail)),
        Some((head, rest)) => {
            let (head, rest) = match (head, rest.split_first()) {
                (b'\\', Some((escaped, rest))) => (escaped, rest),
                _ => (head, rest),
            };
            text.split_first().is_some_and(|(first, tail)| first == head && like(rest, tail))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, text: &str) -> bool {
        like(pattern.as_bytes(), text.as_bytes())
    }

    #[test]
    fn wildcards_match_whole_texts() {
        assert!(fits("g5.*", "g5.xlarge"));
        assert!(!fits("g5.*", "g5g.xlarge"));
        assert!(fits("g5*", "g5g.xlarge"));
        assert!(fits("p?.48xlarge", "p5.48xlarge"));
        assert!(!fits("g5.x", "g5.xlarge"));
        assert!(fits(r"a\*b", "a*b"));
        assert!(!fits(r"a\*b", "axb"));
    }

    #[test]
    fn lists_are_in_the_order_of_their_numbers() {
        let pairs = [("X.10", "j"), ("X.2", "b"), ("X.1", "a"), ("Xy.1", "no"), ("X.1.Name", "no")];
        let form = Form(pairs.map(|(k, v)| (k.to_owned(), v.to_owned())).into());
        assert_eq!(form.list("X"), ["a", "b", "j"]);
    }
}
