//! Pages and their tokens, with the oddities that EC2 allows itself.

use serde::Deserialize;

use crate::aws::error::AwsError;
use crate::aws::form::Form;

/// An oddity of listings (`[[aws.quirk]]`); without conditions it holds everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirk {
    /// Only in this account.
    pub account: Option<String>,
    /// Only in this region.
    pub region: Option<String>,
    /// Only in this operation.
    pub operation: Option<String>,
    /// A listing begins with so many pages without items, each with a token for more.
    pub empty_pages: u32,
    /// No page holds more than this, whatever was asked for.
    pub page_limit: Option<usize>,
    /// Every page is the first one and hands out the same token: a listing without end.
    pub repeats_token: bool,
}

impl Quirk {
    pub(crate) fn concerns(&self, account: &str, region: &str, operation: &str) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
        is(&self.account, account) && is(&self.region, region) && is(&self.operation, operation)
    }
}

/// What stands in the order of a listing: an id, and within it a second key where there is one.
pub(crate) type Place<'a> = (&'a str, &'a str);

/// A page that is asked for.
#[derive(Debug)]
pub(crate) struct Paging {
    max: Option<usize>,
    after: Option<(String, String)>,
    empty_served: u32,
    quirk: Quirk,
}

/// A page, and the token for more.
#[derive(Debug)]
pub(crate) struct Page<T> {
    pub(crate) items: Vec<T>,
    pub(crate) next: Option<String>,
}

const ENDLESS: &str = "again";

impl Paging {
    /// Reads `MaxResults`, which must lie in `bounds`, and `NextToken`. `cap` is the size of a
    /// page when nothing is asked; `None` means that everything comes at once.
    pub(crate) fn read(
        form: &Form,
        bounds: std::ops::RangeInclusive<usize>,
        cap: Option<usize>,
        quirk: Quirk,
    ) -> Result<Self, AwsError> {
        let max = match form.get("MaxResults") {
            None => cap,
            Some(text) => {
                let max = text.parse().ok().filter(|max| bounds.contains(max));
                Some(max.ok_or_else(|| {
                    let (low, high) = (bounds.start(), bounds.end());
                    AwsError::bad(
                        "InvalidParameterValue",
                        format!(
                            "Value ( {text} ) for parameter maxResults is invalid. Expecting a value between {low} and {high}."
                        ),
                    )
                })?)
            }
        };
        let token = form.get("NextToken").filter(|token| !token.is_empty());
        Self::of(max, token, quirk).ok_or_else(|| {
            AwsError::bad("InvalidNextToken", "The specified NextToken is not valid.")
        })
    }

    /// Pages of at most so many items, from behind the token on; `None` when the token is not one.
    pub(crate) fn of(max: Option<usize>, token: Option<&str>, quirk: Quirk) -> Option<Self> {
        let max = max.into_iter().chain(quirk.page_limit).min();
        let mut paging = Self { max, after: None, empty_served: 0, quirk };
        if let Some(token) = token.filter(|token| *token != ENDLESS) {
            (paging.empty_served, paging.after) = parse(token)?;
        }
        Some(paging)
    }

    /// Where the page before ended; the items to page through have to begin behind it.
    pub(crate) fn after(&self) -> Option<Place<'_>> {
        self.after.as_ref().map(|(major, minor)| (major.as_str(), minor.as_str()))
    }

    /// Takes the page.
    pub(crate) fn take<'a, T>(&self, items: impl Iterator<Item = (Place<'a>, T)>) -> Page<T> {
        if self.empty_served < self.quirk.empty_pages {
            let next = token(self.empty_served + 1, self.after());
            return Page { items: Vec::new(), next: Some(next) };
        }
        let mut items = items.peekable();
        let mut page = Vec::new();
        let mut last = None;
        while self.max.is_none_or(|max| page.len() < max) {
            let Some((place, item)) = items.next() else { break };
            last = Some(place);
            page.push(item);
        }
        let next = if self.quirk.repeats_token {
            Some(ENDLESS.to_owned())
        } else {
            items.peek().map(|_| token(self.empty_served, last))
        };
        Page { items: page, next }
    }
}

fn token(empty_served: u32, after: Option<Place<'_>>) -> String {
    match after {
        Some((major, minor)) => format!("{empty_served}|{major}|{minor}"),
        None => format!("{empty_served}"),
    }
}

fn parse(token: &str) -> Option<(u32, Option<(String, String)>)> {
    let mut parts = token.splitn(3, '|');
    let empty_served = parts.next()?.parse().ok()?;
    let after = match parts.next() {
        Some(major) => Some((major.to_owned(), parts.next()?.to_owned())),
        None => None,
    };
    Some((empty_served, after))
}
