//! `ListMetrics`: the metrics of an account and region, 500 a page, those of the last two weeks.

use chrono::TimeDelta;
use serde::Deserialize;

use super::series::{self, Series};
use super::speech::{Node, Speech, read};
use crate::aws::account::Account;
use crate::aws::error::AwsError;
use crate::aws::paging::{Paging, Quirk};
use crate::world::World;

const MOST_ON_A_PAGE: usize = 500;
/// How long ago the last data point of a metric may be.
const KEPT: TimeDelta = TimeDelta::days(14);
/// The one value of `RecentlyActive`.
const RECENT: (&str, TimeDelta) = ("PT3H", TimeDelta::hours(3));

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Query {
    namespace: Option<String>,
    metric_name: Option<String>,
    #[serde(default)]
    dimensions: Vec<DimensionFilter>,
    next_token: Option<String>,
    recently_active: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DimensionFilter {
    name: String,
    value: Option<String>,
}

pub(crate) fn list_metrics(
    world: &World,
    (account, region): (&Account, &str),
    speech: Speech,
    body: &[u8],
    quirk: &Quirk,
) -> Result<Node, AwsError> {
    let invalid = |message: &str| AwsError::bad("InvalidParameterValue", message);
    let query: Query = read(speech, body)?;
    let age = match query.recently_active.as_deref() {
        None => KEPT,
        Some(word) if word == RECENT.0 => RECENT.1,
        Some(_) => return Err(invalid("RecentlyActive must be PT3H")),
    };
    let paging = Paging::of(Some(MOST_ON_A_PAGE), query.next_token.as_deref(), quirk.clone())
        .ok_or_else(|| invalid("Invalid nextToken"))?;
    let since = world.clock.now() - age;
    let found: Vec<(String, Series<'_>)> = series::all(world, &account.id, region)
        .into_iter()
        .filter(|series| query.passes(series) && series.is_active_since(&world.clock, since))
        .map(|series| (series.key(), series))
        .collect();
    let rest = found
        .iter()
        .filter(|(key, _)| paging.after().is_none_or(|(after, _)| key.as_str() > after))
        .map(|(key, series)| ((key.as_str(), ""), written(series)));
    let page = paging.take(rest);
    let mut answer = vec![("Metrics", Node::List(page.items))];
    answer.extend(page.next.map(|token| ("NextToken", Node::Text(token))));
    Ok(Node::Map(answer))
}

impl Query {
    fn passes(&self, series: &Series<'_>) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        is(&self.namespace, series.namespace)
            && is(&self.metric_name, series.name)
            && self.dimensions.iter().all(|filter| {
                let mut there = series.dimensions.iter();
                there.any(|(name, value)| *name == filter.name && is(&filter.value, value))
            })
    }
}

fn written(series: &Series<'_>) -> Node {
    let text = |text: &str| Node::Text(text.to_owned());
    let dimensions = series
        .dimensions
        .iter()
        .map(|(name, value)| Node::Map(vec![("Name", text(name)), ("Value", text(value))]));
    Node::Map(vec![
        ("Namespace", text(series.namespace)),
        ("MetricName", text(series.name)),
        ("Dimensions", Node::List(dimensions.collect())),
    ])
}
