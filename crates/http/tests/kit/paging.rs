//! Paging laws: to the end, never for ever, and nothing lost in between.

use std::fmt::Write as _;

use reaper_http::paging::{CursorPage, NumberedPage};
use reaper_http::{Call, CursorPages, NumberedPages};
use reaper_provider::{ErrorKind, ProviderError};
use serde::Deserialize;

use crate::scripted::{Line, Scripted, context, ok, url};

#[derive(Debug, Deserialize)]
struct Page {
    #[serde(default)]
    items: Vec<u32>,
    next: Option<String>,
    total: Option<u64>,
}

impl NumberedPage for Page {
    fn entries(&self) -> usize {
        self.items.len()
    }

    fn total(&self) -> Option<u64> {
        self.total
    }
}

impl CursorPage for Page {
    fn next_cursor(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

fn list() -> Call {
    Call::read("x:List", url("https://example.org/list?zone=a"))
}

type Read = (Vec<u32>, Result<Option<u64>, ProviderError>, Vec<String>);

/// Pages of two: what was read, the announced total or the error, and the queries.
async fn numbered(lines: impl IntoIterator<Item = Line>) -> Read {
    let (script, cx) = (Scripted::new(lines), context());
    let client = script.client(1);
    let mut pages = NumberedPages::new(&client, list(), 2);
    let mut got = Vec::new();
    let end = loop {
        match pages.next::<Page>(&cx).await {
            Ok(Some(page)) => got.extend(page.items),
            Ok(None) => break Ok(pages.announced()),
            Err(error) => break Err(error),
        }
    };
    (got, end, script.queries())
}

async fn cursor(lines: impl IntoIterator<Item = Line>) -> Read {
    let (script, cx) = (Scripted::new(lines), context());
    let client = script.client(1);
    let mut pages = CursorPages::new(&client, list(), "page_token");
    let mut got = Vec::new();
    let end = loop {
        match pages.next::<Page>(&cx).await {
            Ok(Some(page)) => got.extend(page.items),
            Ok(None) => break Ok(None),
            Err(error) => break Err(error),
        }
    };
    (got, end, script.queries())
}

fn counted(items: &str) -> Line {
    Line::Say(200, vec![("x-total-count", "3")], format!("{{\"items\": {items}}}"))
}

#[tokio::test]
async fn a_counted_listing_ends_with_its_total() {
    let (got, end, queries) = numbered([counted("[1, 2]"), counted("[3]")]).await;
    assert_eq!((got, end), (vec![1, 2, 3], Ok(Some(3))));
    assert_eq!(queries, ["zone=a&per_page=2&page=1", "zone=a&per_page=2&page=2"]);
}

#[tokio::test]
async fn a_total_in_the_body_counts_as_well_and_short_pages_do_not_end_it() {
    let page = |items: &str| ok(&format!("{{\"items\": {items}, \"total\": 3}}"));
    let (got, end, _) = numbered([page("[1]"), page("[2]"), page("[3]")]).await;
    assert_eq!((got, end), (vec![1, 2, 3], Ok(Some(3))));
}

#[tokio::test]
async fn fl_092_too_few_entries_end_at_an_empty_page_for_the_caller_to_notice() {
    let (got, end, _) = numbered([counted("[1, 2]"), counted("[]")]).await;
    assert_eq!((got, end), (vec![1, 2], Ok(Some(3))));
}

#[tokio::test]
async fn fl_014_without_a_total_only_an_empty_page_is_the_last() {
    let pages = ["[1]", "[2, 3]", "[4]", "[]"].map(|items| ok(&format!("{{\"items\": {items}}}")));
    let (got, end, queries) = numbered(pages).await;
    assert_eq!((got, end, queries.len()), (vec![1, 2, 3, 4], Ok(None), 4));
}

#[tokio::test]
async fn the_same_page_for_ever_is_an_error() {
    let (got, end, queries) = numbered([ok(r#"{"items": [1, 2]}"#)]).await;
    assert_eq!(end.expect_err("for ever").kind, ErrorKind::Inconsistent);
    assert_eq!((got, queries.len()), (vec![1, 2], 2));
}

#[tokio::test]
async fn a_cursor_is_followed_over_empty_pages_to_the_end() {
    let (got, end, queries) = cursor([
        ok(r#"{"items": [1], "next": "b"}"#),
        ok(r#"{"items": [], "next": "c"}"#),
        ok(r#"{"items": [2], "next": ""}"#),
    ])
    .await;
    assert_eq!((got, end), (vec![1, 2], Ok(None)));
    assert_eq!(queries, ["zone=a", "zone=a&page_token=b", "zone=a&page_token=c"]);
}

#[tokio::test]
async fn a_cursor_that_comes_again_is_an_error_also_two_pages_later() {
    let (_, end, queries) = cursor([
        ok(r#"{"items": [1], "next": "b"}"#),
        ok(r#"{"items": [2], "next": "c"}"#),
        ok(r#"{"items": [3], "next": "b"}"#),
    ])
    .await;
    assert_eq!(end.expect_err("round and round").kind, ErrorKind::Inconsistent);
    assert_eq!(queries.len(), 3);
}

#[tokio::test]
async fn fl_075_a_failing_page_is_repeated_alone() {
    let (script, cx) = (
        Scripted::new([
            ok(r#"{"items": [1], "next": "b"}"#),
            Line::Say(500, Vec::new(), String::new()),
            ok(r#"{"items": [2]}"#),
        ]),
        context(),
    );
    let client = script.client(4).first_wait(std::time::Duration::from_millis(1));
    let mut pages = CursorPages::new(&client, list(), "page_token");
    let mut got = String::new();
    while let Some(page) = pages.next::<Page>(&cx).await.expect("the second attempt works") {
        write!(got, "{:?}", page.items).expect("a string takes all");
    }
    assert_eq!(got, "[1][2]");
    assert_eq!(script.queries(), ["zone=a", "zone=a&page_token=b", "zone=a&page_token=b"]);
}
