//! Lambda: one answer for all regions, no launch times, tags as they were given at launch.

use reaper_model::{Currency, Span, Verb};
use reaper_provider::{AccountSettings, Descriptor};
use reaper_simcloud::lambda::{Account, Instance, LambdaWorld};
use reaper_simcloud::{Act, Effect, Fault, When, World};
use serde_json::{Value, json};

use crate::rig::{Acting, Machine, Oddity, Paged, Rate, Rig, UNHEARD_OF};

const ACCOUNT: &str = "burst";
const KEY: &str = "secret_burst_canary0123";
/// The simulator has no shorter word for it.
const TERMINATE: &str = "terminate";

/// One workspace with one key.
pub(crate) struct Lambda;

impl Rig for Lambda {
    fn descriptor(&self) -> &'static Descriptor {
        &reaper_lambda::DESCRIPTOR
    }

    fn account(&self) -> &'static str {
        "ssh-key:ops-2026"
    }

    fn location(&self) -> &'static str {
        "all"
    }

    fn listing(&self) -> &'static str {
        "GET /api/v1/instances"
    }

    fn world(&self, fleet: &[Machine]) -> World {
        let mut lambda = account(Account::default());
        for machine in fleet {
            let mut instance = Instance::default();
            ACCOUNT.clone_into(&mut instance.account);
            instance.id = self.id(machine.number);
            "us-west-1".clone_into(&mut instance.region);
            "gpu_1x_a10".clone_into(&mut instance.machine_type);
            instance.launched = Some(When::ago(Span::from_secs(720 * 3600)));
            instance.patch = Some(patch(machine).to_string());
            lambda.add_instance(instance).expect("a new machine");
        }
        World { lambda, ..World::default() }
    }

    fn id(&self, number: usize) -> String {
        format!("{number:032x}")
    }

    fn log_in(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("api_key".to_owned(), KEY.into());
    }

    fn mistake_key(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("api_key".to_owned(), "secret_other_canary".into());
    }

    fn lose_key(&self, settings: &mut AccountSettings) {
        settings.credentials.clear();
    }

    /// Keys have no rights of their own; a deactivated account is refused in the same words.
    fn denied(&self) -> (World, &'static str) {
        let lambda = account(Account { inactive: true, ..Account::default() });
        (World { lambda, ..World::default() }, "lambda:ListInstances")
    }

    fn currency(&self) -> Currency {
        Currency::USD
    }

    fn in_flight(&self) -> usize {
        1
    }

    fn rate(&self) -> Option<Rate> {
        Some(Rate { burst: 1, per_second: 1 })
    }

    fn paged(&self) -> Option<&dyn Paged> {
        None
    }

    fn repeats_keys(&self) -> bool {
        true
    }

    fn sent_secret(&self) -> &'static str {
        KEY
    }

    fn refusal(&self, words: &str) -> (String, &'static str) {
        let error = json!({ "code": "global/forbidden", "message": words });
        (json!({ "error": error }).to_string(), "application/json")
    }
}

impl Lambda {
    fn machine<'a>(&self, world: &'a mut World, number: usize) -> &'a mut Instance {
        world.lambda.instance_mut(&self.id(number)).expect("there")
    }
}

impl Acting for Lambda {
    fn reading(&self) -> &'static str {
        "GET /api/v1/instances/{id}"
    }

    fn ending(&self, verb: Verb) -> Option<&'static str> {
        match verb {
            Verb::Stop => None,
            Verb::Terminate => Some(TERMINATE),
        }
    }

    fn gives_receipt(&self) -> bool {
        true
    }

    fn takes(&self, world: &mut World, number: usize, act: Act) {
        self.machine(world, number).act = act;
    }

    /// Keys have no rights of their own, so the refusal comes from nowhere.
    fn forbid(&self, world: &mut World) -> &'static str {
        let (body, content_type) = self.refusal("not yours");
        let refusal = Effect::Answer { status: 403, body, content_type: content_type.to_owned() };
        world.faults.add(Fault::always(refusal).at(TERMINATE));
        "lambda:TerminateInstance"
    }

    fn hinder(&self, world: &mut World, number: usize) {
        self.machine(world, number).status = Some("booting".to_owned());
    }

    fn protection(&self) -> Option<fn(&mut World, usize)> {
        None
    }

    fn tagging(&self) -> Option<[&'static str; 2]> {
        None
    }
}

/// The workspace with its key. Most laws are about something else than the pace, and say so in
/// their settings too.
fn account(account: Account) -> LambdaWorld {
    let mut lambda = LambdaWorld::new().expect("built-in types");
    lambda.min_interval_ms = 0;
    let account = Account {
        name: ACCOUNT.to_owned(),
        api_key: KEY.to_owned(),
        ssh_keys: vec!["ops-2026".to_owned()],
        ..account
    };
    lambda.add_account(account).expect("the only account");
    lambda
}

fn patch(machine: &Machine) -> Value {
    match machine.oddity {
        Oddity::None => {
            let pair = |(key, value): &(&str, &str)| json!({ "key": key, "value": value });
            json!({ "tags": machine.tags.iter().map(pair).collect::<Vec<_>>() })
        }
        Oddity::State => json!({ "status": UNHEARD_OF }),
        Oddity::ExtraFields => json!({ "tomorrow": { "a": [1] }, "next": null }),
        Oddity::NoState => json!({ "status": null }),
        Oddity::NullLists => json!({
            "tags": null, "file_system_names": null, "file_system_mounts": null,
            "ssh_key_names": null,
        }),
        Oddity::WrongKinds => json!({ "name": 7, "region": "us-west-1", "tags": { "a": "b" } }),
        Oddity::Nameless => json!({ "id": null }),
        Oddity::NewType => json!({ "instance_type": { "name": "gpu_8x_q900" } }),
    }
}
