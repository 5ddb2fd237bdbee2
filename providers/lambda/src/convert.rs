//! An instance as Lambda lists it into the model's nouns.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_http::Lenient;
use reaper_model::{
    Attachment, Fact, Gpu, Ignorance, Instance, InstanceId, LocalStorage, Location, MachineType,
    Manager, ProviderAccount, ProviderName, Purchase, Source, Tag, Tags,
};
use rust_decimal::Decimal;

use crate::price::{Prices, Quote};
use crate::stop::{self, Circumstances, Termination};
use crate::wire;

/// Shown where Lambda's answer has no readable word.
const UNREADABLE: &str = "unknown";
/// Name parts of the nodes of 1-Click Clusters; the listing itself does not tell them apart.
const CLUSTER_NAMES: [&str; 2] = ["-1cc-", "-head-"];

/// What all machines of one listing share.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    pub(crate) provider: ProviderName,
    pub(crate) account: &'a ProviderAccount,
    pub(crate) now: DateTime<Utc>,
    pub(crate) source: Source,
    pub(crate) prices: &'a Prices,
    /// Ids of cluster nodes, with their cluster.
    pub(crate) nodes: &'a BTreeMap<String, String>,
}

/// What became of one entry.
#[derive(Debug)]
pub(crate) enum Entry {
    /// A machine, and what it said about its price.
    Machine(Box<Instance>, Quote),
    /// A machine without accelerators.
    Plain,
    /// Something without a readable id: nobody can say which machine it is.
    Nameless,
}

impl Listing<'_> {
    /// Converts one entry.
    pub(crate) fn entry(&self, entry: Lenient<wire::Instance>) -> Entry {
        let Lenient::Good(raw) = entry else { return Entry::Nameless };
        let mut unreadable = Vec::new();
        let Some(native) = raw.id.take("id", &mut unreadable).filter(|id| !id.is_empty()) else {
            return Entry::Nameless;
        };
        let kind = required(raw.kind, "instance_type", &mut unreadable).unwrap_or_default();
        let machine_type =
            kind.name.take("instance_type.name", &mut unreadable).unwrap_or_else(unknown);
        let specs = kind.specs.take("instance_type.specs", &mut unreadable).unwrap_or_default();
        let gpus = specs.gpus.take("instance_type.specs.gpus", &mut unreadable);
        if gpus == Some(0) {
            return Entry::Plain;
        }
        let description =
            kind.gpu_description.take("instance_type.gpu_description", &mut unreadable);
        let cents =
            kind.price_cents_per_hour.take("instance_type.price_cents_per_hour", &mut unreadable);
        let name = self.name(raw.name, &mut unreadable);
        let region =
            required(raw.region, "region", &mut unreadable).map_or_else(unknown, |it| it.name);
        let status = required(raw.status, "status", &mut unreadable).unwrap_or_else(unknown);
        let (state, meter) = stop::state(&status);
        let reserved = optional(raw.is_reserved, "is_reserved", &mut unreadable);
        let reserved = reserved.map(Option::unwrap_or_default).ok();
        let termination = termination(raw.actions, &mut unreadable);
        let circumstances = Circumstances { reserved, termination };
        let mounts = raw.file_system_mounts.take("file_system_mounts", &mut unreadable);
        let names = raw.file_system_names.take("file_system_names", &mut unreadable);
        let instance = Instance {
            gpu: self.gpu(&machine_type, gpus, description.as_deref()),
            manager: self.manager(&native, &name),
            tags: self.tags(raw.tags, &mut unreadable),
            id: InstanceId {
                provider: self.provider.clone(),
                account: self.account.clone(),
                location: Location::new(region),
                native,
            },
            name,
            state,
            meter,
            stop: stop::offer(state, &status, &circumstances),
            provider_state: status,
            machine_type: MachineType::new(machine_type),
            purchase: match reserved {
                Some(true) => Purchase::Reserved("Lambda reservation".to_owned()),
                Some(false) => Purchase::OnDemand,
                None => Purchase::Other(UNREADABLE.to_owned()),
            },
            created_at: Fact::unknown(
                Ignorance::ReadFailed,
                "Lambda shows no launch time, and the audit log was not read to its end",
            ),
            running_since: Fact::unknown(
                Ignorance::NotOffered,
                "Lambda shows no start time, and knows no stop",
            ),
            stopped_at: Fact::absent(&self.source),
            guards: Fact::absent(&self.source),
            local_storage: Fact::known(
                LocalStorage {
                    gb: specs
                        .storage_gib
                        .take("instance_type.specs.storage_gib", &mut unreadable)
                        .map(gigabytes),
                },
                &self.source,
                self.now,
            ),
            attached: filesystems(mounts, names),
            unreadable,
        };
        Entry::Machine(
            Box::new(instance),
            cents.map_or(Quote::Silent, |cents| Quote::Cents(cents.0)),
        )
    }

    fn fact<T>(&self, value: Option<T>) -> Fact<T> {
        match value {
            Some(value) => Fact::known(value, &self.source, self.now),
            None => Fact::absent(&self.source),
        }
    }

    /// Tags are set at launch and shown from then on; no field and null both mean that none were
    /// set. One that cannot be read could be the one that matters.
    fn tags(&self, tags: Lenient<Vec<wire::Tag>>, unreadable: &mut Vec<String>) -> Fact<Tags> {
        if tags.is_bad() {
            tags.take("tags", unreadable);
            return Fact::unknown(Ignorance::Unusable, "the tags cannot be read");
        }
        let pairs: Vec<Tag> = tags
            .take("tags", unreadable)
            .unwrap_or_default()
            .into_iter()
            .map(|tag| Tag::pair(tag.key, tag.value))
            .collect();
        self.fact((!pairs.is_empty()).then(|| Tags::new(pairs)))
    }

    /// Count and memory as Lambda says; the model in the list's words where the type is listed,
    /// because those tell variants apart.
    fn gpu(&self, machine_type: &str, count: Option<u32>, description: Option<&str>) -> Fact<Gpu> {
        let listed = self.prices.gpu(machine_type);
        let Some(count) = count.map(Decimal::from) else {
            return match listed {
                Some(gpu) => Fact::known(gpu.clone(), &Source::new("lambda.csv"), self.now),
                None => Fact::unknown(
                    Ignorance::NotOffered,
                    format!("neither Lambda nor the list says what {machine_type} has"),
                ),
            };
        };
        let listed = listed.filter(|gpu| gpu.count == count);
        let described = description.map(describe);
        let model = listed
            .map(|gpu| gpu.model.clone())
            .or_else(|| described.as_ref().map(|(model, _)| model.clone()));
        let memory_gib = described
            .and_then(|(_, each)| each)
            .map(|each| each * count)
            .or_else(|| listed.and_then(|gpu| gpu.memory_gib));
        match model {
            Some(model) => Fact::known(Gpu { model, count, memory_gib }, &self.source, self.now),
            None => Fact::unknown(
                Ignorance::NotOffered,
                format!("Lambda does not say which accelerators {machine_type} has"),
            ),
        }
    }

    fn name(&self, name: Lenient<String>, unreadable: &mut Vec<String>) -> Fact<String> {
        match optional(name, "name", unreadable) {
            Ok(name) => self.fact(name.filter(|name| !name.is_empty())),
            Err(Unreadable) => Fact::unknown(Ignorance::Unusable, "the name cannot be read"),
        }
    }

    fn manager(&self, native: &str, name: &Fact<String>) -> Fact<Manager> {
        let by_name = || {
            name.value()
                .filter(|name| CLUSTER_NAMES.iter().any(|part| name.contains(part)))
                .map(|name| (name.clone(), Source::new("the machine's name")))
        };
        let node = self.nodes.get(native).map(|id| (id.clone(), self.source.clone()));
        let Some((name, source)) = node.or_else(by_name) else {
            if let Some(gap) = name.gap() {
                let why = format!("{}, and only that tells the nodes of clusters", gap.why);
                return Fact::unknown(gap.kind, why);
            }
            return Fact::absent(&self.source);
        };
        let manager = Manager {
            kind: "1-click-cluster".to_owned(),
            name,
            advice: "a cluster is paid for as a whole until its reservation ends; end that"
                .to_owned(),
        };
        Fact::known(manager, &source, self.now)
    }
}

/// A field that every machine has; its absence is pointed out too.
fn required<T>(field: Lenient<T>, name: &str, unreadable: &mut Vec<String>) -> Option<T> {
    if matches!(field, Lenient::Missing) {
        unreadable.push(format!("missing field `{name}`"));
    }
    field.take(name, unreadable)
}

/// Something is there that cannot be read.
struct Unreadable;

/// A field that may be missing, but not be anything else than expected.
fn optional<T>(
    field: Lenient<T>,
    name: &str,
    unreadable: &mut Vec<String>,
) -> Result<Option<T>, Unreadable> {
    let bad = field.is_bad();
    let value = field.take(name, unreadable);
    if bad { Err(Unreadable) } else { Ok(value) }
}

/// Whether Lambda lets a machine be terminated.
fn termination(actions: Lenient<wire::Actions>, unreadable: &mut Vec<String>) -> Termination {
    let action = optional(actions, "actions", unreadable).and_then(|actions| {
        optional(actions.unwrap_or_default().terminate, "actions.terminate", unreadable)
    });
    match action {
        Err(Unreadable) => Termination::Unreadable,
        Ok(Some(action)) if !action.available => Termination::Refused(action.reason_code),
        Ok(_) => Termination::Open,
    }
}

fn unknown() -> String {
    UNREADABLE.to_owned()
}

/// By id where the mounts tell it, else by name.
fn filesystems(mounts: Option<Vec<wire::Mount>>, names: Option<Vec<String>>) -> Vec<Attachment> {
    let ids: Vec<String> = match mounts {
        Some(mounts) if !mounts.is_empty() => {
            mounts.into_iter().map(|mount| mount.file_system_id).collect()
        }
        _ => names.unwrap_or_default(),
    };
    ids.into_iter().map(|id| Attachment { kind: "filesystem", id }).collect()
}

/// `H100 (80 GB SXM5)`: the model, and the memory of each card as its maker names it.
fn describe(text: &str) -> (String, Option<Decimal>) {
    let (model, rest) = text.split_once('(').unwrap_or((text, ""));
    let memory = rest.split_once("GB").and_then(|(number, _)| number.trim().parse().ok());
    (model.trim().trim_start_matches("Tesla ").to_owned(), memory)
}

fn gigabytes(gib: u64) -> u64 {
    gib.saturating_mul(1 << 30) / 1_000_000_000
}
