//! The wire: the two calls that `reaper` makes, and errors in the server's envelope.

use std::collections::BTreeSet;

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::prometheus::query::{Line, Query, Selector, label};
use crate::prometheus::range::{Problem, Range, bad, point};
use crate::prometheus::series;
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// The HTTP API of Prometheus.
#[derive(Debug)]
pub(crate) struct PrometheusWire;

const RANGE: &str = "/api/v1/query_range";

impl Wire for PrometheusWire {
    fn provider(&self) -> &'static str {
        "prometheus"
    }

    fn call(&self, _world: &World, request: &Request) -> Call {
        let operation = match label_of(request) {
            Some(_) => "label_values".to_owned(),
            None => request.path.rsplit('/').next().unwrap_or_default().to_owned(),
        };
        Call { action: operation.clone(), operation, ..Call::default() }
    }

    fn answer(&self, world: &mut World, request: &Request, _call: &Call) -> Reply {
        match respond(world, request) {
            Ok(data) => {
                let mut answer = json!({ "status": "success", "data": data });
                if !world.prometheus.warnings.is_empty() {
                    answer["warnings"] = json!(world.prometheus.warnings);
                }
                Reply::json(StatusCode::OK, &answer)
            }
            Err(problem) => problem.reply(),
        }
    }

    fn throttled(&self, _request: &Request, _call: &Call) -> Reply {
        Reply::new(StatusCode::TOO_MANY_REQUESTS, "text/plain", "too many requests\n")
    }
}

/// The label whose values are asked for.
fn label_of(request: &Request) -> Option<&str> {
    request.path.strip_prefix("/api/v1/label/")?.strip_suffix("/values")
}

fn respond(world: &World, request: &Request) -> Result<Value, Problem> {
    let token = &world.prometheus.token;
    let given = request.header("authorization").and_then(|it| it.strip_prefix("Bearer "));
    if !token.is_empty() && given != Some(token) {
        return Err(Problem(StatusCode::UNAUTHORIZED, "unauthorized", "no such token".to_owned()));
    }
    if let (Some(label), &Method::GET) = (label_of(request), &request.method) {
        return values(world, request, label);
    }
    if request.path == RANGE {
        return range(world, request);
    }
    Err(Problem(StatusCode::NOT_FOUND, "not_found", "no such path".to_owned()))
}

fn values(world: &World, request: &Request, name: &str) -> Result<Value, Problem> {
    let matcher = request.query_pairs().find(|(key, _)| key == "match[]");
    let (_, matcher) = matcher.ok_or_else(|| bad("no match[] parameter provided"))?;
    let selector = Selector::parse(&matcher).map_err(bad)?;
    let whose = &world.prometheus.label;
    let all = series::all(world);
    let found = all.iter().filter(|series| selector.means(series, whose));
    let values: BTreeSet<&str> = found.filter_map(|series| label(series, whose, name)).collect();
    Ok(json!(values))
}

fn range(world: &World, request: &Request) -> Result<Value, Problem> {
    let range = Range::of(request)?;
    let query = Query::parse(&range.query).map_err(bad)?;
    let all = series::all(world);
    let lines = query.run(&all, &world.prometheus.label, &world.clock, &range.times());
    let result: Vec<Value> = lines.into_iter().map(shown).collect();
    Ok(json!({ "resultType": "matrix", "result": result }))
}

fn shown((labels, points): Line) -> Value {
    let points: Vec<Value> = points.into_iter().map(|(at, value)| point(at, value)).collect();
    json!({ "metric": labels, "values": points })
}
