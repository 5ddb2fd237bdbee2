//! What a law asks of a provider's simulated cloud: the words that only the provider's own wire has
//! for "a machine without an id" or "a listing that runs in a circle".

use reaper_model::{Currency, Verb};
use reaper_provider::{AccountSettings, Descriptor};
use reaper_simcloud::{Act, Fault, World};

/// A state that no provider has.
pub(crate) const UNHEARD_OF: &str = "HIBERNATING_DEEP";

/// A key and its value.
pub(crate) type Pair = (&'static str, &'static str);

/// What is odd about a machine's entry in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// Nothing: it runs, and its type is a known one with accelerators and a price.
    None,
    /// Its state is [`UNHEARD_OF`].
    State,
    /// Fields that no version of the API has had so far.
    ExtraFields,
    /// The state, which every machine has, is missing.
    NoState,
    /// Lists that may be empty are null, or whatever the wire has for it.
    NullLists,
    /// Values of another kind, such as a number in place of a date.
    WrongKinds,
    /// It has no id.
    Nameless,
    /// Its type is in nobody's tables.
    NewType,
}

/// One machine of a law's world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine {
    /// Tells it from the others; makes its id.
    pub(crate) number: usize,
    /// What is odd about it.
    pub(crate) oddity: Oddity,
    /// Its tags; wires that have none leave them out.
    pub(crate) tags: &'static [Pair],
}

impl Machine {
    /// Running and without tags.
    pub(crate) const fn plain(number: usize) -> Self {
        Self { number, oddity: Oddity::None, tags: &[] }
    }

    /// An odd one.
    pub(crate) const fn odd(number: usize, oddity: Oddity) -> Self {
        Self { oddity, ..Self::plain(number) }
    }

    /// One with tags.
    pub(crate) const fn tagged(number: usize, tags: &'static [Pair]) -> Self {
        Self { tags, ..Self::plain(number) }
    }
}

/// As many plain machines, numbered from 0.
pub(crate) fn fleet(count: usize) -> Vec<Machine> {
    (0..count).map(Machine::plain).collect()
}

/// One provider's simulated account.
pub(crate) trait Rig: Acting + Sync {
    /// Its line in the command line's list.
    fn descriptor(&self) -> &'static Descriptor;

    /// The account as its identity names it.
    fn account(&self) -> &'static str;

    /// Where its machines are listed: region, zone, or `all`.
    fn location(&self) -> &'static str;

    /// The simulator's word for the call that lists machines.
    fn listing(&self) -> &'static str;

    /// A world with this one account and these machines.
    fn world(&self, fleet: &[Machine]) -> World;

    /// The native id of the machine of that number.
    fn id(&self, number: usize) -> String;

    /// Puts credentials, and options that the account needs, into the settings. Whatever is secret
    /// holds the word `canary`, and nothing else does.
    fn log_in(&self, settings: &mut AccountSettings);

    /// Replaces the credentials by others that the cloud does not know.
    fn mistake_key(&self, settings: &mut AccountSettings);

    /// Takes the credentials away, and whatever the machine that runs the test could have instead.
    fn lose_key(&self, settings: &mut AccountSettings);

    /// A world whose credentials may not list machines, and the permission that has to be named.
    fn denied(&self) -> (World, &'static str);

    /// What its prices are in.
    fn currency(&self) -> Currency;

    /// The documented bound of requests in flight, per account and location.
    fn in_flight(&self) -> usize;

    /// The documented bound of request starts, per account and location, where there is one.
    fn rate(&self) -> Option<Rate>;

    /// How its listing comes in pages, if it does.
    fn paged(&self) -> Option<&dyn Paged>;

    /// Whether one machine may carry two tags of the same key.
    fn repeats_keys(&self) -> bool;

    /// The secret that is sent as it is, so that a server or a proxy could quote it.
    fn sent_secret(&self) -> &'static str;

    /// The body of a refusal in the provider's own form, and its media type.
    fn refusal(&self, words: &str) -> (String, &'static str);
}

/// How machines are read alone and acted upon, in the simulator's words.
pub(crate) trait Acting {
    /// The call that reads one machine.
    fn reading(&self) -> &'static str;

    /// The call that ends a bill in this way, where the adapter is to make one.
    fn ending(&self, verb: Verb) -> Option<&'static str>;

    /// Whether the answer to that call says what was taken, or at least something.
    fn gives_receipt(&self) -> bool;

    /// From now on the machine of that number takes being acted upon like this.
    fn takes(&self, world: &mut World, number: usize, act: Act);

    /// From now on the credentials may not end a bill. Names the permission.
    fn forbid(&self, world: &mut World) -> &'static str;

    /// The machine of that number comes into a state from which it cannot be acted upon.
    fn hinder(&self, world: &mut World, number: usize);

    /// The provider's own protection of a machine, where it has one: put on the machine of that
    /// number.
    fn protection(&self) -> Option<fn(&mut World, usize)>;

    /// The calls that set and that remove a tag, where tags can be changed.
    fn tagging(&self) -> Option<[&'static str; 2]>;
}

/// How many requests may start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    /// At once, after a rest.
    pub(crate) burst: u32,
    /// Per second, beyond that.
    pub(crate) per_second: u32,
}

/// A listing in pages.
pub(crate) trait Paged {
    /// From now on a page comes empty although there is more.
    fn empty_page(&self, world: &mut World);

    /// From now on the listing runs in a circle of one page.
    fn circle(&self, world: &mut World);
}

/// A fault of this provider's listing alone.
pub(crate) fn at_listing(rig: &dyn Rig, fault: Fault) -> Fault {
    fault.of_provider(rig.descriptor().name).at(rig.listing())
}
