//! Scaleway: numbered pages against an announced total, flat tags, JSON that can be patched.

use reaper_model::{Currency, Verb};
use reaper_provider::{AccountSettings, Descriptor};
use reaper_simcloud::scaleway::{Organization, Recording, Server};
use reaper_simcloud::{Act, Effect, Fault, World};
use serde_json::{Value, json};

use crate::rig::{Acting, Machine, Oddity, Paged, Rate, Rig, UNHEARD_OF, at_listing};

const ORGANIZATION: &str = "11111111-1111-4111-8111-000000000001";
const ACCESS_KEY: &str = "SCW0123456789ABCDEFG";
const SECRET: &str = "canary-5d2f6b1e-8a3c";
const ZONE: &str = "fr-par-2";

/// One organisation, one zone.
pub(crate) struct Scaleway;

impl Rig for Scaleway {
    fn descriptor(&self) -> &'static Descriptor {
        &reaper_scaleway::DESCRIPTOR
    }

    fn account(&self) -> &'static str {
        ORGANIZATION
    }

    fn location(&self) -> &'static str {
        ZONE
    }

    fn listing(&self) -> &'static str {
        "GET /instance/v1/zones/{zone}/servers"
    }

    fn world(&self, fleet: &[Machine]) -> World {
        let mut world = World::default();
        let organization = Organization::new(ORGANIZATION, ACCESS_KEY, SECRET);
        world.scaleway.add_organization(organization).expect("the only one");
        for machine in fleet {
            let new = machine.oddity == Oddity::NewType;
            let kind = if new { "Q9-SXM-8-512G" } else { "L4-1-24G" };
            let mut server = Server::new(ORGANIZATION, ZONE, &self.id(machine.number), kind);
            for (key, value) in machine.tags {
                server = server.tag(&format!("{key}={value}"));
            }
            let server = server.patch(&patch(machine.oddity));
            world.scaleway.add_server(server).expect("a new server");
        }
        world
    }

    fn id(&self, number: usize) -> String {
        format!("33333333-0000-4000-8000-{number:012x}")
    }

    fn log_in(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("access_key".to_owned(), ACCESS_KEY.into());
        settings.credentials.insert("secret_key".to_owned(), SECRET.into());
    }

    fn mistake_key(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("secret_key".to_owned(), "canary-other".into());
    }

    fn lose_key(&self, settings: &mut AccountSettings) {
        settings.credentials.clear();
    }

    fn denied(&self) -> (World, &'static str) {
        let mut world = self.world(&[]);
        let organization = world.scaleway.organization_mut(ORGANIZATION).expect("there");
        organization.denied.push("instance".to_owned());
        (world, "InstancesReadOnly")
    }

    fn currency(&self) -> Currency {
        Currency::EUR
    }

    fn in_flight(&self) -> usize {
        10
    }

    fn rate(&self) -> Option<Rate> {
        None
    }

    fn paged(&self) -> Option<&dyn Paged> {
        Some(self)
    }

    fn repeats_keys(&self) -> bool {
        true
    }

    fn sent_secret(&self) -> &'static str {
        SECRET
    }

    fn refusal(&self, words: &str) -> (String, &'static str) {
        (json!({ "type": "permissions_denied", "message": words }).to_string(), "application/json")
    }
}

impl Scaleway {
    fn server<'a>(&self, world: &'a mut World, number: usize) -> &'a mut Server {
        world.scaleway.server_mut(&self.id(number)).expect("there")
    }
}

impl Acting for Scaleway {
    fn reading(&self) -> &'static str {
        "GET /instance/v1/zones/{zone}/servers/{id}"
    }

    fn ending(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => Some("poweroff"),
            Verb::Terminate => None,
        }
    }

    fn gives_receipt(&self) -> bool {
        true
    }

    fn takes(&self, world: &mut World, number: usize, act: Act) {
        self.server(world, number).act = act;
    }

    /// What ends a bill is no right of its own: the key may only read.
    fn forbid(&self, world: &mut World) -> &'static str {
        let organization = world.scaleway.organization_mut(ORGANIZATION).expect("there");
        organization.read_only.push("instance".to_owned());
        "InstancesFullAccess"
    }

    fn hinder(&self, world: &mut World, number: usize) {
        "stopped".clone_into(&mut self.server(world, number).state);
    }

    fn protection(&self) -> Option<fn(&mut World, usize)> {
        Some(|world, number| Self.server(world, number).protected = true)
    }

    /// The whole list is replaced, whatever changes.
    fn tagging(&self) -> Option<[&'static str; 2]> {
        Some(["PATCH /instance/v1/zones/{zone}/servers/{id}"; 2])
    }
}

impl Paged for Scaleway {
    fn empty_page(&self, world: &mut World) {
        let body = json!({ "servers": [] }).to_string();
        let content_type = "application/json".to_owned();
        let answer = Effect::Answer { status: 200, body, content_type };
        world.faults.add(at_listing(self, Fault::always(answer).nth(2)));
    }

    fn circle(&self, world: &mut World) {
        let server = |number| json!({ "id": self.id(number), "state": "running", "commercial_type": "L4-1-24G" });
        let body = json!({ "servers": [server(0), server(1), server(2)] }).to_string();
        let path = format!("/instance/v1/zones/{ZONE}/servers");
        for page in 1..=4 {
            let page = Recording { page, total: Some(12), ..Recording::new(&*path, &*body) };
            world.scaleway.record(page);
        }
    }
}

fn patch(oddity: Oddity) -> Value {
    match oddity {
        Oddity::None | Oddity::NewType => json!({}),
        Oddity::State => json!({ "state": UNHEARD_OF }),
        Oddity::ExtraFields => json!({ "tomorrow": { "a": [1] }, "next": null }),
        Oddity::NoState => json!({ "state": null }),
        Oddity::NullLists => json!({
            "tags": null, "volumes": null, "public_ips": null, "allowed_actions": null,
            "private_nics": null, "maintenances": null, "filesystems": null,
        }),
        Oddity::WrongKinds => json!({ "name": 7, "creation_date": 0, "volumes": "none" }),
        Oddity::Nameless => json!({ "id": null }),
    }
}
