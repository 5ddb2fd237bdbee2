//! Calls that change a server: actions, and its tags, name and protection.

use chrono::{DateTime, SecondsFormat, Utc};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::act::{self, Act, End as _, Outcome, Stage, sibling};
use crate::clock::{Clock, When};
use crate::scaleway::problem::Problem;
use crate::scaleway::server::Server;
use crate::scaleway::world::{Action, Organization, ScalewayWorld};
use crate::wire::{Reply, Request};

/// What a request without an action means.
const DEFAULT_ACTION: &str = "poweron";

/// Where a server can be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It runs, after a start.
    On,
    /// It runs again.
    Rebooted,
    /// It is off, and not billed.
    Off,
    /// It is off, and billed.
    Standby,
    /// There is no such server any more.
    Gone,
}

impl act::End for End {
    /// A state and its detail.
    type Word = (&'static str, &'static str);

    fn way(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::On => &[("starting", "allocating node"), ("starting", "booting kernel")],
            Self::Rebooted => &[("stopping", "rebooting"), ("starting", "rebooting")],
            Self::Off => &[("stopping", "stopping")],
            Self::Standby => &[("stopping", "stopping in place")],
            Self::Gone => &[("stopping", "terminating")],
        }
    }
}

impl End {
    fn of(action: &str) -> Option<Self> {
        Some(match action {
            "poweron" => Self::On,
            "reboot" => Self::Rebooted,
            "poweroff" => Self::Off,
            "stop_in_place" => Self::Standby,
            "terminate" => Self::Gone,
            _ => return None,
        })
    }

    fn leaves_from(self, state: &str) -> bool {
        match self {
            Self::On => matches!(state, "stopped" | "stopped in place"),
            Self::Standby => matches!(state, "running" | "starting" | "stopping"),
            Self::Rebooted | Self::Off | Self::Gone => {
                matches!(state, "running" | "stopped in place")
            }
        }
    }
}

#[derive(Deserialize)]
struct Order {
    action: Option<String>,
}

/// The action that a request asks for; nothing if its body cannot be read.
pub(crate) fn asked(request: &Request) -> Option<String> {
    if request.body.is_empty() {
        return Some(DEFAULT_ACTION.to_owned());
    }
    let order: Order = serde_json::from_slice(&request.body).ok()?;
    Some(order.action.unwrap_or_else(|| DEFAULT_ACTION.to_owned()))
}

/// Carries an action out, and puts it on record with its answer.
pub(crate) fn action(
    world: &mut ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    zone: &str,
    id: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let found = own(world, organization, zone, id)?;
    let act = found.act;
    if act.outcome == Outcome::Gone {
        world.usage.ended(id, clock.now());
        world.remove_server(id);
        return Err(Problem::not_found("instance_server", id));
    }
    let action = asked(request)
        .ok_or_else(|| Problem::invalid("action", "format", "the body must be a JSON object"))?;
    let done = carry_out(found, &action, act, clock);
    let status = done.as_ref().map_or_else(Problem::status, |_| StatusCode::ACCEPTED);
    let record = Action {
        server: id.to_owned(),
        action,
        at: When::At(clock.now()),
        status: status.as_u16(),
    };
    world.actions.push(record);
    if let Some(end) = done? {
        world.passages.begin(id.to_owned(), end, act, clock.now());
    }
    Ok(Reply::json(StatusCode::ACCEPTED, &task(clock, zone, id)))
}

/// Checks the action and begins it: where it leads, and nowhere if it does not change the state.
fn carry_out(
    server: &mut Server,
    action: &str,
    act: Act,
    clock: &Clock,
) -> Result<Option<End>, Problem> {
    if server.state == "locked" {
        return Err(Problem::locked(&server.id));
    }
    if action == "backup" {
        return Ok(None);
    }
    let end = End::of(action)
        .ok_or_else(|| Problem::invalid("action", "constraint", "not a known action"))?;
    if server.protected && end != End::On {
        return Err(Problem::protected());
    }
    if !end.leaves_from(&server.state) {
        let should = if end == End::On { "stopped" } else { "running" };
        return Err(Problem::state(&format!("server should be {should}")));
    }
    if act.outcome == Outcome::Lie {
        return Ok(None);
    }
    if let Some((state, detail)) = end.way().first() {
        server.be(state, detail);
    }
    server.modified = Some(When::At(clock.now()));
    Ok(Some(end))
}

#[derive(Deserialize)]
struct Patch {
    tags: Option<Vec<String>>,
    name: Option<String>,
    protected: Option<bool>,
}

/// Changes the fields that are given.
pub(crate) fn patch(
    world: &mut ScalewayWorld,
    clock: &Clock,
    organization: &Organization,
    zone: &str,
    id: &str,
    request: &Request,
) -> Result<Reply, Problem> {
    let server = own(world, organization, zone, id)?;
    let Patch { tags, name, protected } = serde_json::from_slice(&request.body)
        .map_err(|_| Problem::invalid("body", "format", "a JSON object"))?;
    if server.state == "locked" {
        return Err(Problem::locked(id));
    }
    server.tags = tags.unwrap_or_else(|| std::mem::take(&mut server.tags));
    server.name = name.or_else(|| server.name.take());
    server.protected = protected.unwrap_or(server.protected);
    server.modified = Some(When::At(clock.now()));
    Ok(Reply::json(StatusCode::OK, &json!({ "server": server.json(clock) })))
}

/// A server of the organisation in that zone, which the key may write.
fn own<'a>(
    world: &'a mut ScalewayWorld,
    organization: &Organization,
    zone: &str,
    id: &str,
) -> Result<&'a mut Server, Problem> {
    if organization.read_only.iter().any(|product| product == "instance") {
        return Err(Problem::denied("write", "instance_server"));
    }
    world
        .server_mut(id)
        .filter(|server| server.zone == zone && server.organization == organization.id)
        .ok_or_else(|| Problem::not_found("instance_server", id))
}

/// The task that every action is answered with. It is the same for all and never moves on.
fn task(clock: &Clock, zone: &str, id: &str) -> Value {
    json!({
        "task": {
            "id": "00000000-0000-0000-0000-000000000000",
            "description": "fake task",
            "status": "pending",
            "href_from": format!("/servers/{id}/action"),
            "href_result": format!("/servers/{id}"),
            "started_at": clock.now().to_rfc3339_opts(SecondsFormat::Micros, false),
            "terminated_at": null,
            "progress": 0,
            "zone": zone,
        },
    })
}

impl ScalewayWorld {
    /// Servers that are under way come as far as the clock says.
    pub(crate) fn settle(&mut self, clock: &Clock) {
        // What was changed by hand since the last request.
        self.meter(clock);
        for step in self.passages.advance(clock.now()) {
            let Some(server) = self.server_mut(&step.key) else { continue };
            match step.stage {
                Stage::UnderWay((state, detail)) => server.be(state, detail),
                Stage::Over { at, twin } => {
                    server.arrive(step.end, at);
                    let server = server.clone();
                    if step.end == End::Gone || !server.is_billed() {
                        self.usage.ended(&step.key, at);
                    }
                    if step.end == End::Gone {
                        self.leave_behind(&server, When::At(at));
                        self.remove_server(&step.key);
                    }
                    if twin && matches!(step.end, End::Off | End::Standby | End::Gone) {
                        self.add_twin(server, at);
                    }
                }
            }
        }
        self.meter(clock);
    }

    /// Somebody starts the server of this id, which goes on record. Whether there is one.
    pub(crate) fn restart(&mut self, id: &str, now: DateTime<Utc>) -> bool {
        self.passages.forget(id);
        let Some(server) = self.server_mut(id) else { return false };
        server.arrive(End::On, now);
        let (server, action) = (id.to_owned(), DEFAULT_ACTION.to_owned());
        self.actions.push(Action { server, action, at: When::At(now), status: 202 });
        true
    }

    /// A controller makes another server like this one.
    fn add_twin(&mut self, server: Server, at: DateTime<Utc>) {
        let old = server.id.clone();
        let id = sibling(&old, |id| self.servers().iter().any(|server| server.id == id));
        for group in &mut self.groups {
            if group.servers.contains(&old) {
                group.servers.push(id.clone());
            }
        }
        // What has no name of its own is named after its id, and these two share theirs.
        let name = Some(server.name());
        let mut twin = Server { id, name, created: Some(When::At(at)), ..server };
        twin.arrive(End::On, at);
        self.push(twin);
    }
}

impl Server {
    fn be(&mut self, state: &str, detail: &str) {
        state.clone_into(&mut self.state);
        self.state_detail = Some(detail.to_owned());
    }

    fn arrive(&mut self, end: End, at: DateTime<Utc>) {
        self.modified = Some(When::At(at));
        match end {
            End::On | End::Rebooted => self.be("running", "booted"),
            End::Standby => self.be("stopped in place", "stopped in place"),
            End::Off => {
                self.be("stopped", "");
                // Scratch storage does not survive it.
                self.scratch_gb = 0;
            }
            End::Gone => {}
        }
    }
}
