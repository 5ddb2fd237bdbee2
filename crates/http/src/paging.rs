//! Pages: by number with an announced total, or by cursor. Neither can run for ever.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use reaper_provider::{CallContext, ErrorKind, ProviderError};
use serde::de::DeserializeOwned;

use crate::answer::Answer;
use crate::call::Call;
use crate::client::Client;

/// More pages than any listing has; whoever sends more is broken.
const MOST_PAGES: u32 = 10_000;
/// The header that announces the number of all entries.
const TOTAL: &str = "x-total-count";

/// One numbered page's body.
pub trait NumberedPage: DeserializeOwned {
    /// How many entries it holds, readable or not.
    fn entries(&self) -> usize;

    /// The number of all entries, where the body announces it; else `X-Total-Count` is read.
    fn total(&self) -> Option<u64> {
        None
    }
}

/// Reads `?page=1&per_page=…` and so on. Pages end when the announced total has been read or at an
/// empty page. A short page ends nothing: a provider may hand out fewer entries than it was asked
/// for. Whether the *distinct* entries make up the total is the caller's to check against
/// [`NumberedPages::announced`].
#[derive(Debug)]
pub struct NumberedPages<'a> {
    client: &'a Client,
    call: Call,
    page: u32,
    read: u64,
    announced: Option<u64>,
    last_body: Option<u64>,
    ended: bool,
}

impl<'a> NumberedPages<'a> {
    /// Pages of `call`, of `per_page` entries each.
    pub fn new(client: &'a Client, call: Call, per_page: u32) -> Self {
        Self::sized_by(client, call, "per_page", per_page)
    }

    /// Pages of `call`, of `size` entries each, by an API that calls the size of a page `parameter`.
    pub fn sized_by(client: &'a Client, call: Call, parameter: &str, size: u32) -> Self {
        let call = call.query(parameter, &size.to_string());
        Self { client, call, page: 0, read: 0, announced: None, last_body: None, ended: false }
    }

    /// The next page, or `None` after the last.
    pub async fn next<T: NumberedPage>(
        &mut self,
        cx: &CallContext,
    ) -> Result<Option<T>, ProviderError> {
        if self.ended {
            return Ok(None);
        }
        self.page += 1;
        self.call.set_query("page", &self.page.to_string());
        let (page, answer): (T, Answer) = self.client.json_with(cx, &self.call).await?;
        let entries = page.entries();
        let mut hasher = DefaultHasher::new();
        answer.body.hash(&mut hasher);
        let body = Some(hasher.finish());
        if (entries > 0 && self.last_body == body) || self.page >= MOST_PAGES {
            return Err(inconsistent(&self.call, &answer, "the same page came again"));
        }
        self.last_body = body;
        self.read += entries as u64;
        self.announced =
            page.total().or_else(|| answer.header(TOTAL)?.trim().parse().ok()).or(self.announced);
        self.ended = entries == 0 || self.announced.is_some_and(|total| self.read >= total);
        Ok(Some(page))
    }

    /// The number of all entries as last announced.
    pub fn announced(&self) -> Option<u64> {
        self.announced
    }
}

/// One page's body with the cursor of the next.
pub trait CursorPage: DeserializeOwned {
    /// The cursor of the next page; absent or empty after the last.
    fn next_cursor(&self) -> Option<&str>;
}

/// Reads pages by cursor. A cursor that came before is an error: it would go round for ever.
#[derive(Debug)]
pub struct CursorPages<'a> {
    client: &'a Client,
    call: Call,
    parameter: &'static str,
    seen: BTreeSet<String>,
    ended: bool,
}

impl<'a> CursorPages<'a> {
    /// Pages of `call`; the cursor goes into the query as `parameter`.
    pub fn new(client: &'a Client, call: Call, parameter: &'static str) -> Self {
        Self { client, call, parameter, seen: BTreeSet::new(), ended: false }
    }

    /// The next page, or `None` after the last.
    pub async fn next<T: CursorPage>(
        &mut self,
        cx: &CallContext,
    ) -> Result<Option<T>, ProviderError> {
        if self.ended {
            return Ok(None);
        }
        let (page, answer): (T, Answer) = self.client.json_with(cx, &self.call).await?;
        match page.next_cursor().filter(|cursor| !cursor.is_empty()) {
            None => self.ended = true,
            Some(cursor) => {
                self.call.set_query(self.parameter, cursor);
                let fresh = self.seen.insert(cursor.to_owned());
                if !fresh || self.seen.len() >= MOST_PAGES as usize {
                    return Err(inconsistent(&self.call, &answer, "the same cursor came again"));
                }
            }
        }
        Ok(Some(page))
    }

    /// Whether the last page has been read.
    pub fn ended(&self) -> bool {
        self.ended
    }
}

fn inconsistent(call: &Call, answer: &Answer, detail: &str) -> ProviderError {
    ProviderError::answered(ErrorKind::Inconsistent, call.name(), detail)
        .with_request_id(answer.request_id())
}
