//! AWS: EC2's pages have tokens, and its XML has no null and no numbers. Entries that the simulator
//! cannot make are written here by hand.

use chrono::{SecondsFormat, TimeDelta};
use reaper_model::{Currency, Span, Verb};
use reaper_provider::{AccountSettings, Descriptor};
use reaper_simcloud::aws::{Account, Instance, Quirk};
use reaper_simcloud::{Act, Effect, Fault, When, World};

use crate::rig::{Acting, Machine, Oddity, Paged, Rate, Rig, UNHEARD_OF, at_listing};

const ACCOUNT: &str = "111122223333";
const REGION: &str = "eu-west-1";
const KEY: &str = "AKIALAWS";
const SESSION: &str = "canary-session-4711";
const LISTING: &str = "DescribeInstances";

/// One account, one region.
pub(crate) struct Aws;

impl Rig for Aws {
    fn descriptor(&self) -> &'static Descriptor {
        &reaper_aws::DESCRIPTOR
    }

    fn account(&self) -> &'static str {
        ACCOUNT
    }

    fn location(&self) -> &'static str {
        REGION
    }

    fn listing(&self) -> &'static str {
        LISTING
    }

    fn world(&self, fleet: &[Machine]) -> World {
        let mut world = World::default();
        world.aws.add_account(Account::new(ACCOUNT, KEY)).expect("the only account");
        if fleet.iter().any(|machine| by_hand(machine.oddity)) {
            let started = (world.clock.now() - TimeDelta::days(30))
                .to_rfc3339_opts(SecondsFormat::Millis, true);
            let items: String = fleet
                .iter()
                .map(|machine| item(&self.id(machine.number), machine, &started))
                .collect();
            let body = format!(
                "<DescribeInstancesResponse><reservationSet><item><instancesSet>{items}\
                 </instancesSet></item></reservationSet></DescribeInstancesResponse>"
            );
            let content_type = "text/xml".to_owned();
            let answer = Effect::Answer { status: 200, body, content_type };
            world.faults.add(at_listing(self, Fault::always(answer)));
            return world;
        }
        for machine in fleet {
            let kind =
                if machine.oddity == Oddity::NewType { "g99x.48xlarge" } else { "g5.xlarge" };
            let mut instance = Instance::new(ACCOUNT, REGION, &self.id(machine.number), kind)
                .launched(When::ago(Span::from_secs(720 * 3600)));
            if machine.oddity == Oddity::State {
                UNHEARD_OF.clone_into(&mut instance.state);
            }
            for (key, value) in machine.tags {
                instance = instance.tag(key, value);
            }
            world.aws.add_instance(instance).expect("a new machine");
        }
        world
    }

    fn id(&self, number: usize) -> String {
        format!("i-{number:017x}")
    }

    fn log_in(&self, settings: &mut AccountSettings) {
        for (key, value) in [
            ("access_key_id", KEY),
            ("secret_access_key", "canary-secret-4711"),
            ("session_token", SESSION),
        ] {
            settings.credentials.insert(key.to_owned(), value.into());
        }
        settings.options.insert("name_uncovered_regions".to_owned(), "false".to_owned());
    }

    fn mistake_key(&self, settings: &mut AccountSettings) {
        settings.credentials.insert("access_key_id".to_owned(), "AKIAOTHER".into());
    }

    /// The SDK would look into the tester's own files.
    fn lose_key(&self, settings: &mut AccountSettings) {
        settings.credentials.clear();
        settings.options.insert("profile".to_owned(), "reaper-no-such-profile".to_owned());
    }

    fn denied(&self) -> (World, &'static str) {
        let (mut world, permission) = (self.world(&[]), "ec2:DescribeInstances");
        let account = world.aws.account_mut(ACCOUNT).expect("there");
        account.denied.push(permission.to_owned());
        (world, permission)
    }

    fn currency(&self) -> Currency {
        Currency::USD
    }

    fn in_flight(&self) -> usize {
        10
    }

    fn rate(&self) -> Option<Rate> {
        Some(Rate { burst: 100, per_second: 20 })
    }

    fn paged(&self) -> Option<&dyn Paged> {
        Some(self)
    }

    fn repeats_keys(&self) -> bool {
        false
    }

    fn sent_secret(&self) -> &'static str {
        SESSION
    }

    fn refusal(&self, words: &str) -> (String, &'static str) {
        let body = format!(
            "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>{words}</Message>\
             </Error></Errors><RequestID>req-1</RequestID></Response>"
        );
        (body, "text/xml")
    }
}

impl Aws {
    fn machine<'a>(&self, world: &'a mut World, number: usize) -> &'a mut Instance {
        world.aws.instance_mut(ACCOUNT, REGION, &self.id(number)).expect("there")
    }
}

impl Acting for Aws {
    fn reading(&self) -> &'static str {
        LISTING
    }

    fn ending(&self, verb: Verb) -> Option<&'static str> {
        Some(match verb {
            Verb::Stop => "StopInstances",
            Verb::Terminate => "TerminateInstances",
        })
    }

    fn gives_receipt(&self) -> bool {
        true
    }

    fn takes(&self, world: &mut World, number: usize, act: Act) {
        self.machine(world, number).act = act;
    }

    fn forbid(&self, world: &mut World) -> &'static str {
        let (account, permission) = (world.aws.account_mut(ACCOUNT), "ec2:StopInstances");
        account.expect("there").denied.push(permission.to_owned());
        permission
    }

    fn hinder(&self, world: &mut World, number: usize) {
        "pending".clone_into(&mut self.machine(world, number).state);
    }

    fn protection(&self) -> Option<fn(&mut World, usize)> {
        Some(|world, number| Self.machine(world, number).disable_api_stop = true)
    }

    fn tagging(&self) -> Option<[&'static str; 2]> {
        Some(["CreateTags", "DeleteTags"])
    }
}

impl Paged for Aws {
    fn empty_page(&self, world: &mut World) {
        world.aws.add_quirk(Quirk { empty_pages: 2, ..quirk() });
    }

    fn circle(&self, world: &mut World) {
        world.aws.add_quirk(Quirk { repeats_token: true, ..quirk() });
    }
}

fn quirk() -> Quirk {
    Quirk { operation: Some(LISTING.to_owned()), ..Quirk::default() }
}

/// What EC2's simulator cannot make.
fn by_hand(oddity: Oddity) -> bool {
    !matches!(oddity, Oddity::None | Oddity::State | Oddity::NewType)
}

/// An entry of a listing.
fn item(id: &str, machine: &Machine, started: &str) -> String {
    let oddity = machine.oddity;
    let unless = |gone: Oddity, text: String| if oddity == gone { String::new() } else { text };
    let id = unless(Oddity::Nameless, format!("<instanceId>{id}</instanceId>"));
    let state = "<instanceState><code>16</code><name>running</name></instanceState>".to_owned();
    let state = unless(Oddity::NoState, state);
    let started = if oddity == Oddity::WrongKinds { "1785000000" } else { started };
    let more = match oddity {
        Oddity::ExtraFields => {
            "<tomorrow><set><item>1</item></set></tomorrow><instanceIdNext>x</instanceIdNext>"
        }
        Oddity::NullLists => "<tagSet/><blockDeviceMapping/><networkInterfaceSet/><groupSet/>",
        _ => "",
    };
    format!(
        "<item>{id}<instanceType>g5.xlarge</instanceType>{state}\
         <launchTime>{started}</launchTime>{more}</item>"
    )
}
