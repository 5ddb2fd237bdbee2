//! Which machine types carry accelerators: the dated built-in lists first, else AWS's own
//! description. A type that nobody can describe counts as a billable GPU, never as nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use aws_sdk_ec2::types::InstanceTypeInfo;
use chrono::{DateTime, NaiveTime, Utc};
use reaper_model::{Fact, Gpu, Ignorance, LocalStorage, Source};
use reaper_provider::{Catalogue, ProviderError};
use rust_decimal::Decimal;

/// Local disks of accelerated types in GB, 0 for none: from a dump of AWS's own description of all
/// types (mid 2026), older families from the EC2 guide.
const LOCAL_DISKS: &str = include_str!("../data/local-disks.csv");
/// Families without accelerators, of the same dump. A family's name never changes its nature.
const PLAIN_FAMILIES: &str = include_str!("../data/plain-families.txt");

/// What a machine of a type has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Nature {
    /// No accelerator: none of our business.
    Plain,
    /// One or several, or nobody knows.
    Accelerated(Hardware),
}

/// Accelerators and local disks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hardware {
    /// The accelerators.
    pub(crate) gpu: Fact<Gpu>,
    /// The disks that a stop erases.
    pub(crate) local: Fact<LocalStorage>,
}

impl Hardware {
    /// That of a machine whose type `source` shows to have no accelerator.
    pub(crate) fn plain(source: &Source) -> Self {
        let local = Fact::unknown(Ignorance::NotAsked, "the type's local disks are not known");
        Self { gpu: Fact::absent(source), local }
    }
}

impl Nature {
    /// A type that could not be described because of `error`.
    pub(crate) fn undescribed(error: &ProviderError) -> Self {
        Self::guess(Ignorance::ReadFailed, &error.to_string())
    }

    /// A type that AWS does not know (any more).
    pub(crate) fn unheard_of() -> Self {
        Self::guess(Ignorance::NotOffered, "AWS does not describe it")
    }

    fn guess(kind: Ignorance, why: &str) -> Self {
        let why = format!("unknown type, assumed billable GPU ({why})");
        let local = Fact::unknown(kind, "the type's local disks are not known");
        Self::Accelerated(Hardware { gpu: Fact::unknown(kind, why), local })
    }
}

/// The built-in lists, and what AWS told since.
#[derive(Debug)]
pub(crate) struct TypeBook {
    list: Source,
    local_gb: BTreeMap<&'static str, u64>,
    plain: BTreeSet<&'static str>,
    told: Mutex<BTreeMap<String, Nature>>,
}

impl TypeBook {
    /// The built-in lists alone.
    pub(crate) fn new() -> Self {
        let local_gb = LOCAL_DISKS.lines().filter_map(|line| {
            let (kind, gb) = line.split_once(',')?;
            Some((kind, gb.parse().ok()?))
        });
        Self {
            list: Source::new("built-in list of types"),
            local_gb: local_gb.collect(),
            plain: PLAIN_FAMILIES.lines().collect(),
            told: Mutex::default(),
        }
    }

    /// What is known of a type without asking anybody.
    pub(crate) fn nature(&self, catalogue: &Catalogue, machine_type: &str) -> Option<Nature> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nature) = told.get(machine_type) {
            return Some(nature.clone());
        }
        drop(told);
        let as_of = catalogue.newest().map(|day| day.and_time(NaiveTime::MIN).and_utc());
        if let Some((gpu, as_of)) = catalogue.gpu(machine_type).zip(as_of) {
            let gpu = Fact::known(gpu.clone(), &self.list, as_of);
            let local = match self.local_gb.get(machine_type) {
                Some(0) => Fact::absent(&self.list),
                Some(gb) => Fact::known(LocalStorage { gb: Some(*gb) }, &self.list, as_of),
                None => Fact::unknown(Ignorance::NotAsked, "the type's local disks are not known"),
            };
            return Some(Nature::Accelerated(Hardware { gpu, local }));
        }
        let family = machine_type.split_once('.').map_or(machine_type, |(family, _)| family);
        self.plain.contains(family).then_some(Nature::Plain)
    }

    /// The accelerators of a type, as far as they are known by now.
    pub(crate) fn gpu(&self, catalogue: &Catalogue, machine_type: &str) -> Option<Gpu> {
        match self.nature(catalogue, machine_type)? {
            Nature::Accelerated(hardware) => hardware.gpu.value().cloned(),
            Nature::Plain => None,
        }
    }

    /// Takes AWS's description of types.
    pub(crate) fn learn(&self, source: &Source, now: DateTime<Utc>, infos: &[InstanceTypeInfo]) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for info in infos {
            if let Some(kind) = info.instance_type() {
                told.insert(kind.as_str().to_owned(), described(info, source, now));
            }
        }
    }

    /// Every accelerated type that is known by now, for a filter.
    pub(crate) fn accelerated(&self, catalogue: &Catalogue) -> Vec<String> {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let listed = catalogue.types().into_iter().map(str::to_owned);
        let learnt = told
            .iter()
            .filter(|(_, nature)| matches!(nature, Nature::Accelerated(_)))
            .map(|(kind, _)| kind.clone());
        listed.chain(learnt).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// One device as AWS describes it: name, maker, count.
struct Device<'a> {
    name: Option<&'a str>,
    maker: Option<&'a str>,
    count: Decimal,
}

fn described(info: &InstanceTypeInfo, source: &Source, now: DateTime<Utc>) -> Nature {
    let (devices, memory_mib) = devices(info);
    if devices.is_empty() {
        return Nature::Plain;
    }
    let count: Decimal = devices.iter().map(|device| device.count).sum();
    let gpu = if count > Decimal::ZERO {
        let memory_gib = memory_mib
            .filter(|mib| *mib > 0)
            .map(|mib| (Decimal::from(mib) / Decimal::from(1024)).round_dp(2).normalize());
        Fact::known(Gpu { model: model(&devices), count, memory_gib }, source, now)
    } else {
        Fact::unknown(Ignorance::Unusable, "AWS gives no count of this type's accelerators")
    };
    let local = match info.instance_storage_info() {
        Some(disks) => {
            let gb = disks.total_size_in_gb().and_then(|gb| u64::try_from(gb).ok());
            Fact::known(LocalStorage { gb }, source, now)
        }
        None if info.instance_storage_supported() == Some(true) => {
            Fact::known(LocalStorage { gb: None }, source, now)
        }
        None => Fact::absent(source),
    };
    Nature::Accelerated(Hardware { gpu, local })
}

/// All accelerators of a type, and the memory of all of them in MiB.
fn devices(info: &InstanceTypeInfo) -> (Vec<Device<'_>>, Option<i32>) {
    let whole = |count: Option<i32>| Decimal::from(count.unwrap_or(0));
    let mut devices = Vec::new();
    let mut memory = None;
    if let Some(gpus) = info.gpu_info() {
        memory = memory.or(gpus.total_gpu_memory_in_mib());
        devices.extend(gpus.gpus().iter().map(|gpu| {
            Device {
                name: gpu.name(),
                maker: gpu.manufacturer(),
                count: partitions(gpu.logical_gpu_count(), gpu.gpu_partition_size())
                    .unwrap_or_else(|| whole(gpu.count())),
            }
        }));
    }
    if let Some(neuron) = info.neuron_info() {
        memory = memory.or(neuron.total_neuron_device_memory_in_mib());
        devices.extend(neuron.neuron_devices().iter().map(|device| Device {
            name: device.name(),
            maker: Some("AWS"),
            count: whole(device.count()),
        }));
    }
    // inf1 and inf2 are described twice, as Neuron devices and as inference accelerators.
    if let Some(inference) = info.inference_accelerator_info()
        && devices.is_empty()
    {
        memory = memory.or(inference.total_inference_memory_in_mib());
        devices.extend(inference.accelerators().iter().map(|device| Device {
            name: device.name(),
            maker: device.manufacturer(),
            count: whole(device.count()),
        }));
    }
    if let Some(fpga) = info.fpga_info() {
        memory = memory.or(fpga.total_fpga_memory_in_mib());
        devices.extend(fpga.fpgas().iter().map(|device| Device {
            name: device.name(),
            maker: device.manufacturer(),
            count: whole(device.count()),
        }));
    }
    if let Some(media) = info.media_accelerator_info() {
        memory = memory.or(media.total_media_memory_in_mib());
        devices.extend(media.accelerators().iter().map(|device| Device {
            name: device.name(),
            maker: device.manufacturer(),
            count: whole(device.count()),
        }));
    }
    (devices, memory)
}

/// Fractional GPUs are described with a count of 0 and the size of their partitions.
fn partitions(logical: Option<i32>, size: Option<f64>) -> Option<Decimal> {
    let count = Decimal::from(logical?) * Decimal::try_from(size?).ok()?;
    (count > Decimal::ZERO).then(|| count.normalize())
}

fn model(devices: &[Device<'_>]) -> String {
    let names: BTreeSet<String> = devices
        .iter()
        .map(|device| match (device.maker, device.name) {
            (Some("NVIDIA") | None, Some(name)) => name.to_owned(),
            (Some(maker), Some(name)) => format!("{maker} {name}"),
            (maker, None) => maker.unwrap_or("unnamed accelerator").to_owned(),
        })
        .collect();
    names.into_iter().collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::{GpuDeviceInfo, GpuInfo, InstanceType};

    use super::*;
    use crate::price;

    fn gpu(count: i32, logical: i32, size: f64) -> InstanceTypeInfo {
        let device = GpuDeviceInfo::builder()
            .name("L4")
            .manufacturer("NVIDIA")
            .count(count)
            .logical_gpu_count(logical)
            .gpu_partition_size(size)
            .build();
        InstanceTypeInfo::builder()
            .instance_type(InstanceType::from("g99x.large"))
            .gpu_info(GpuInfo::builder().gpus(device).total_gpu_memory_in_mib(2861).build())
            .build()
    }

    fn hardware(nature: Option<Nature>) -> Hardware {
        match nature {
            Some(Nature::Accelerated(hardware)) => hardware,
            other => panic!("not accelerated: {other:?}"),
        }
    }

    #[test]
    fn fractional_gpus_count_as_fractions_though_their_count_is_zero() {
        let source = Source::new("test");
        let nature = described(&gpu(0, 1, 0.125), &source, DateTime::UNIX_EPOCH);
        let gpu = hardware(Some(nature)).gpu;
        let gpu = gpu.value().expect("known");
        assert_eq!((gpu.model.as_str(), gpu.count.to_string().as_str()), ("L4", "0.125"));
        assert_eq!(gpu.memory_gib.map(|gib| gib.to_string()).as_deref(), Some("2.79"));
    }

    #[test]
    fn fl_022_an_unheard_of_family_is_known_to_nobody_until_aws_describes_it() {
        let catalogue = price::catalogue().expect("readable");
        let book = TypeBook::new();
        assert_eq!(book.nature(&catalogue, "g99x.large"), None);
        book.learn(&Source::new("test"), DateTime::UNIX_EPOCH, &[gpu(8, 8, 1.0)]);
        let told = hardware(book.nature(&catalogue, "g99x.large"));
        assert_eq!(told.gpu.value().map(|gpu| gpu.count), Some(Decimal::from(8)));
        assert!(book.accelerated(&catalogue).contains(&"g99x.large".to_owned()));
    }

    #[test]
    fn fl_022_a_family_without_accelerators_is_not_a_gpu() {
        let catalogue = price::catalogue().expect("readable");
        let book = TypeBook::new();
        assert_eq!(book.nature(&catalogue, "m5.large"), Some(Nature::Plain));
        let info =
            InstanceTypeInfo::builder().instance_type(InstanceType::from("q1.large")).build();
        book.learn(&Source::new("test"), DateTime::UNIX_EPOCH, &[info]);
        assert_eq!(book.nature(&catalogue, "q1.large"), Some(Nature::Plain));
    }

    #[test]
    fn no_listed_type_belongs_to_a_family_called_plain() {
        let catalogue = price::catalogue().expect("readable");
        let book = TypeBook::new();
        for kind in catalogue.types() {
            hardware(book.nature(&catalogue, kind));
            let family = kind.split_once('.').map_or(kind, |(family, _)| family);
            assert!(!book.plain.contains(family), "{kind}");
        }
    }

    #[test]
    fn local_disks_come_from_the_built_in_list() {
        let catalogue = price::catalogue().expect("readable");
        let book = TypeBook::new();
        let local = |kind| hardware(book.nature(&catalogue, kind)).local;
        assert_eq!(local("p4d.24xlarge").value(), Some(&LocalStorage { gb: Some(8000) }));
        assert!(matches!(local("inf2.xlarge"), Fact::Absent { .. }));
        assert!(local("g7.2xlarge").gap().is_some());
    }
}
