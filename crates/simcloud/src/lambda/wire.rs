//! The wire: who asks, how fast, and for what.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::lambda::answer::{self, Problem};
use crate::lambda::world::Account;
use crate::lambda::{audit, ops};
use crate::wire::{Call, Reply, Request, Wire};
use crate::world::World;

/// Lambda's API, version 1.
#[derive(Debug)]
pub(crate) struct LambdaWire;

/// Where the API lives below the provider's prefix.
const ROOT: &str = "/api/v1/";
/// A machine by itself.
const ONE: &str = "GET /api/v1/instances/{id}";
const TERMINATE: &str = "POST /api/v1/instance-operations/terminate";

impl Wire for LambdaWire {
    fn provider(&self) -> &'static str {
        "lambda"
    }

    fn call(&self, world: &World, request: &Request) -> Call {
        let account = caller(world, request).map(|account| account.name.clone());
        let operation = operation(request);
        let single = request.path.strip_prefix(ROOT).and_then(|it| it.strip_prefix("instances/"));
        let (ids, action) = if operation == TERMINATE {
            (ops::named(&request.body), "terminate".to_owned())
        } else {
            (single.map(str::to_owned).into_iter().collect(), operation.clone())
        };
        Call {
            operation,
            action,
            ids,
            location: String::new(),
            account: account.unwrap_or_default(),
            changes: request.method != Method::GET,
        }
    }

    fn answer(&self, world: &mut World, request: &Request, call: &Call) -> Reply {
        if world.lambda.too_soon(&call.account, Instant::now()) {
            return answer::banned();
        }
        world.lambda.settle(&world.clock);
        let answer = respond(world, request, &call.operation);
        if let ([machine], ONE, true) = (&call.ids[..], &*call.operation, answer.is_ok()) {
            world.lambda.passages.seen(machine.as_str());
        }
        match answer {
            Ok(body) => Reply::json(StatusCode::OK, &body),
            Err(problem) => problem.reply(&request.id()),
        }
    }

    fn throttled(&self, _request: &Request, _call: &Call) -> Reply {
        answer::banned()
    }
}

/// The path's part that says what is asked for, without the id of a machine.
fn operation(request: &Request) -> String {
    let path =
        match request.path.strip_prefix(ROOT).and_then(|rest| rest.strip_prefix("instances/")) {
            Some(_) => "/api/v1/instances/{id}",
            None => &request.path,
        };
    format!("{} {path}", request.method)
}

fn respond(world: &mut World, request: &Request, operation: &str) -> Result<Value, Problem> {
    let account = caller(world, request).ok_or(Problem::INVALID_KEY)?.clone();
    if account.inactive {
        return Err(Problem::INACTIVE);
    }
    let path = request.path.strip_prefix(ROOT).ok_or(Problem::NOT_FOUND)?;
    if account.denied.iter().any(|denied| denied == path) {
        return Err(Problem::FORBIDDEN);
    }
    let query = |name: &str| {
        request.query_pairs().find_map(|(other, value)| (other == name).then_some(value))
    };
    let World { lambda, clock, .. } = world;
    let data = match operation {
        "GET /api/v1/instances" => {
            answer::instances(lambda, &account, query("cluster_id").as_deref())
        }
        ONE => {
            let id = path.trim_start_matches("instances/");
            let machine = lambda.machines(&account.name).find(|machine| machine.id == id);
            answer::instance(lambda, machine.ok_or(Problem::NO_OBJECT)?)
        }
        "GET /api/v1/instance-types" => answer::instance_types(lambda),
        "GET /api/v1/file-systems" => answer::file_systems(lambda, clock, &account),
        "GET /api/v1/ssh-keys" => answer::ssh_keys(&account),
        "GET /api/v1/audit-events" => {
            let query = audit::Query {
                start: query("start"),
                end: query("end"),
                page_token: query("page_token"),
                resource_type: query("resource_type"),
            };
            // No envelope of its own: the token stands beside the data.
            return audit::page(lambda, clock, &account, &query);
        }
        TERMINATE => ops::terminate(lambda, clock, &account.name, &request.body)?,
        _ => return Err(Problem::NOT_FOUND),
    };
    Ok(json!({ "data": data }))
}

/// The account of the key, which comes as a bearer token (a basic login is possible, and not simulated).
fn caller<'a>(world: &'a World, request: &Request) -> Option<&'a Account> {
    let key = request.header("authorization")?.strip_prefix("Bearer ")?;
    world.lambda.account_of_key(key)
}

#[cfg(test)]
mod tests {
    use http::header::AUTHORIZATION;
    use http::{HeaderMap, HeaderValue};
    use reaper_model::Span;

    use super::*;
    use crate::act::Act;

    const WORLD: &str = r#"
        clock = { start = "2026-11-28T09:00:00Z" }
        [lambda]
        audit_page = 2
        min_interval_ms = 0
        account = [{ name = "burst", api_key = "k1", ssh_keys = ["ops"] }]
        [[lambda.file_system]]
        account = "burst"
        id = "f1"
        name = "data"
        region = "us-west-1"
        created = "99h"
        created_by = "bob@example.org"
        [[lambda.instance]]
        account = "burst"
        id = "aa"
        region = "us-west-1"
        type = "gpu_1x_a10"
        file_systems = ["data"]
        launched = "720h"
        [[lambda.instance]]
        account = "burst"
        id = "bb"
        region = "us-west-1"
        type = "gpu_1x_a10"
        launched = "2h"
    "#;

    fn world() -> World {
        World::from_toml(WORLD).expect("a world")
    }

    /// Status and body of a call with the key `k1`.
    fn ask(world: &mut World, target: &str, body: &'static str) -> (u16, Value) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let authorization = (AUTHORIZATION, HeaderValue::from_static("Bearer k1"));
        let request = Request {
            number: 1,
            method: if body.is_empty() { Method::GET } else { Method::POST },
            url: String::new(),
            path: format!("/api/v1/{path}"),
            query: query.to_owned(),
            headers: [authorization].into_iter().collect::<HeaderMap>(),
            body: body.into(),
        };
        let call = LambdaWire.call(world, &request);
        let reply = LambdaWire.answer(world, &request, &call);
        (reply.status.as_u16(), serde_json::from_slice(&reply.body).unwrap_or_default())
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_too_fast_is_banned() {
        let mut world = world();
        world.lambda.min_interval_ms = 1000;
        assert_eq!(ask(&mut world, "instances", "").0, 200);
        tokio::time::advance(std::time::Duration::from_millis(999)).await;
        assert_eq!(ask(&mut world, "instances", ""), (429, Value::Null));
        tokio::time::advance(std::time::Duration::from_secs(1)).await;
        assert_eq!(ask(&mut world, "instances", "").0, 200);
    }

    #[test]
    fn a_terminated_machine_is_on_its_way_out_and_then_gone() {
        let mut world = world();
        world.lambda.instance_mut("aa").expect("there").act = Act::takes(Span::from_secs(60));
        let body = r#"{"instance_ids": ["aa"]}"#;
        let (status, answer) = ask(&mut world, "instance-operations/terminate", body);
        assert_eq!(
            (status, &answer["data"]["terminated_instances"][0]["status"]),
            (200, &json!("terminating"))
        );
        let (status, again) = ask(&mut world, "instance-operations/terminate", body);
        assert_eq!((status, &again["error"]["code"]), (400, &json!("global/unknown")));
        let (_, shown) = ask(&mut world, "instances/aa", "");
        assert_eq!(shown["data"]["actions"]["terminate"]["reason_code"], "vm-is-terminating");
        world.clock.set(world.clock.now() + chrono::TimeDelta::minutes(2));
        let (status, gone) = ask(&mut world, "instances/aa", "");
        assert_eq!((status, &gone["error"]["code"]), (404, &json!("global/object-does-not-exist")));
        let (_, rest) = ask(&mut world, "instances", "");
        assert_eq!(rest["data"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn terminating_is_all_or_nothing() {
        let mut world = world();
        let body = r#"{"instance_ids": ["aa", "zz"]}"#;
        assert_eq!(ask(&mut world, "instance-operations/terminate", body).0, 404);
        assert_eq!(ask(&mut world, "instances/aa", "").1["data"]["status"], "active");
    }

    #[test]
    fn the_audit_log_comes_in_pages_newest_first() {
        let mut world = world();
        let (_, first) = ask(&mut world, "audit-events", "");
        let lrns = |page: &Value| page["data"][0]["resource_lrns"][0].clone();
        assert_eq!(lrns(&first), "lrn:cloud:instance:bb");
        assert_eq!(first["page_token"], "PAGE-2");
        let (_, last) = ask(&mut world, "audit-events?page_token=PAGE-2", "");
        assert_eq!(
            (lrns(&last), &last["page_token"]),
            (json!("lrn:cloud:ssh_key:ops"), &Value::Null)
        );
        assert_eq!(ask(&mut world, "audit-events?page_token=x", "").0, 400);
        let (_, keys) = ask(&mut world, "audit-events?resource_type=cloud.ssh_key", "");
        assert_eq!(keys["data"].as_array().map(Vec::len), Some(1));
    }

    #[test]
    fn there_is_no_stop_and_nothing_else_either() {
        let mut world = world();
        let (status, answer) = ask(&mut world, "instance-operations/stop", "{}");
        assert_eq!((status, &answer["error"]["code"]), (404, &json!("global/not-found")));
        world.lambda.instance_mut("aa").expect("there").patch = Some(r#"{"name": null}"#.into());
        let (_, shown) = ask(&mut world, "instances/aa", "");
        assert!(shown["data"]["name"].is_null() && shown["data"]["jupyter_token"].is_string());
        assert_eq!(ask(&mut world, "file-systems", "").1["data"][0]["is_in_use"], true);
    }

    #[test]
    fn a_world_that_contradicts_itself_is_refused() {
        for (old, new) in [
            ("id = \"bb\"", "id = \"aa\""),
            ("gpu_1x_a10", "gpu_1x_nothing"),
            ("name = \"burst\"", "name = \"lab\""),
            ("launched = \"2h\"", "patch = \"[]\""),
            ("launched = \"2h\"", "lunched = \"2h\""),
        ] {
            assert!(World::from_toml(&WORLD.replace(old, new)).is_err(), "{new}");
        }
    }
}
