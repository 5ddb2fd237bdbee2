//! OVHcloud: one answer for all regions, without pages and without tags.

use reaper_model::{Currency, Verb};
use reaper_provider::{AccountSettings, Descriptor};
use reaper_simcloud::ovhcloud::{Instance, Project};
use reaper_simcloud::{Act, World};
use serde_json::json;

use crate::rig::{Acting, Machine, Oddity, Paged, Rate, Rig, UNHEARD_OF};

const PROJECT: &str = "0123456789ab4cdef0123456789abcde";
const CONSUMER: &str = "canary-consumer";

/// One project.
pub(crate) struct Ovhcloud;

impl Rig for Ovhcloud {
    fn descriptor(&self) -> &'static Descriptor {
        &reaper_ovhcloud::DESCRIPTOR
    }

    fn account(&self) -> &'static str {
        PROJECT
    }

    fn location(&self) -> &'static str {
        "all"
    }

    fn listing(&self) -> &'static str {
        "GET /cloud/project/{project}/instance"
    }

    fn world(&self, fleet: &[Machine]) -> World {
        let mut world = World::default();
        let project = Project {
            application_key: "public-application".to_owned(),
            application_secret: "canary-application".to_owned(),
            consumer_key: CONSUMER.to_owned(),
            clusters: vec!["kube-1".to_owned()],
            ..Project::new(PROJECT)
        };
        world.ovhcloud.add_project(project).expect("the only project");
        for machine in fleet {
            let flavor = if machine.oddity == Oddity::NewType { "q7-512" } else { "l4-90" };
            let instance = Instance::new(PROJECT, "GRA11", &self.id(machine.number), flavor);
            let instance = made_odd(instance, machine.oddity);
            world.ovhcloud.add_instance(instance).expect("a new machine");
        }
        world
    }

    fn id(&self, number: usize) -> String {
        format!("44444444-0000-4000-8000-{number:012x}")
    }

    fn log_in(&self, settings: &mut AccountSettings) {
        settings.options.insert("project".to_owned(), PROJECT.to_owned());
        for (key, value) in [
            ("application_key", "public-application"),
            ("application_secret", "canary-application"),
            ("consumer_key", CONSUMER),
        ] {
            settings.credentials.insert(key.to_owned(), value.into());
        }
    }

    fn mistake_key(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("consumer_key".to_owned(), "canary-other".into());
    }

    fn lose_key(&self, settings: &mut AccountSettings) {
        settings.credentials.clear();
    }

    fn denied(&self) -> (World, &'static str) {
        let mut world = self.world(&[]);
        let project = world.ovhcloud.project_mut(PROJECT).expect("there");
        project.denied.push("instance/get".to_owned());
        (world, "publicCloudProject:apiovh:instance/get")
    }

    fn currency(&self) -> Currency {
        Currency::EUR
    }

    fn in_flight(&self) -> usize {
        8
    }

    fn rate(&self) -> Option<Rate> {
        None
    }

    fn paged(&self) -> Option<&dyn Paged> {
        None
    }

    fn repeats_keys(&self) -> bool {
        false
    }

    fn sent_secret(&self) -> &'static str {
        CONSUMER
    }

    fn refusal(&self, words: &str) -> (String, &'static str) {
        (json!({ "class": "Client::Forbidden", "message": words }).to_string(), "application/json")
    }
}

impl Ovhcloud {
    fn machine<'a>(&self, world: &'a mut World, number: usize) -> &'a mut Instance {
        world.ovhcloud.instance_mut(&self.id(number)).expect("there")
    }
}

impl Acting for Ovhcloud {
    fn reading(&self) -> &'static str {
        "GET /cloud/project/{project}/instance/{instance}"
    }

    fn ending(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => Some("shelve"),
            Verb::Terminate => None,
        }
    }

    fn gives_receipt(&self) -> bool {
        false
    }

    fn takes(&self, world: &mut World, number: usize, act: Act) {
        self.machine(world, number).act = act;
    }

    fn forbid(&self, world: &mut World) -> &'static str {
        let project = world.ovhcloud.project_mut(PROJECT).expect("there");
        project.denied.push("instance/shelve".to_owned());
        "publicCloudProject:apiovh:instance/shelve"
    }

    fn hinder(&self, world: &mut World, number: usize) {
        "SHELVED_OFFLOADED".clone_into(&mut self.machine(world, number).status);
    }

    fn protection(&self) -> Option<fn(&mut World, usize)> {
        None
    }

    fn tagging(&self) -> Option<[&'static str; 2]> {
        None
    }
}

fn made_odd(instance: Instance, oddity: Oddity) -> Instance {
    let named = |fields: &[&str]| fields.iter().map(|&field| field.to_owned()).collect();
    match oddity {
        Oddity::None | Oddity::NewType => instance,
        Oddity::State => instance.status(UNHEARD_OF),
        Oddity::ExtraFields => instance.odd("unheardOf", json!({ "a": [1] })),
        Oddity::NoState => Instance { without: named(&["status"]), ..instance },
        Oddity::NullLists => Instance { null: named(&["ipAddresses", "operationIds"]), ..instance },
        Oddity::WrongKinds => instance
            .odd("image", json!(""))
            .odd("created", json!(1_785_000_000))
            .odd("name", json!(7)),
        Oddity::Nameless => Instance { without: named(&["id"]), ..instance },
    }
}
