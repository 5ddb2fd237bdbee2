//! Instance types: a built-in table of the accelerated and some common ones; worlds add theirs.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What `DescribeInstanceTypes` tells of a type (`[aws.types."g5.xlarge"]`).
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceType {
    /// Virtual processors.
    pub vcpus: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Whether it runs on 64-bit ARM.
    #[serde(default)]
    pub arm: bool,
    /// Whether it is a whole machine without a hypervisor.
    #[serde(default)]
    pub bare_metal: bool,
    /// Ways to buy it; empty means on demand and spot.
    #[serde(default)]
    pub usage: Vec<String>,
    /// Local disks, whose data a stop destroys.
    #[serde(default)]
    pub disks: Vec<Disk>,
    /// GPUs.
    #[serde(default)]
    pub gpus: Vec<Gpu>,
    /// Neuron devices (Inferentia, Trainium).
    #[serde(default)]
    pub neuron: Vec<Device>,
    /// Inference accelerators.
    #[serde(default)]
    pub inference: Vec<Device>,
    /// FPGAs.
    #[serde(default)]
    pub fpga: Vec<Device>,
    /// Media accelerators.
    #[serde(default)]
    pub media: Vec<Device>,
    /// Regions that offer it; empty means all.
    #[serde(default)]
    pub regions: Vec<String>,
}

/// Local disks of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disk {
    /// How many.
    pub count: u32,
    /// GB of each.
    pub size_gb: u64,
}

/// GPUs of one kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The model as EC2 names it.
    pub name: String,
    /// The maker.
    #[serde(default = "nvidia")]
    pub manufacturer: String,
    /// Whole GPUs; 0 for a type with a part of one.
    pub count: u32,
    /// What the machine sees; as many as whole GPUs if absent.
    pub logical: Option<u32>,
    /// The share of a whole GPU that each of those is; 1 if absent.
    pub partition: Option<f64>,
    /// MiB of each.
    pub memory_mib: u64,
}

/// Accelerators of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// The model as EC2 names it.
    pub name: String,
    /// The maker; not told for Neuron devices.
    #[serde(default)]
    pub manufacturer: String,
    /// How many.
    pub count: u32,
    /// MiB of each.
    pub memory_mib: u64,
    /// Neuron cores of each.
    #[serde(default)]
    pub cores: u32,
}

fn nvidia() -> String {
    "NVIDIA".to_owned()
}

const BUILT_IN: &str = include_str!("../../data/aws-instance-types.toml");

impl InstanceType {
    /// The built-in types by name.
    #[expect(clippy::expect_used, reason = "the table is part of the program; a test reads it")]
    pub(crate) fn built_in() -> BTreeMap<String, Self> {
        toml::from_str(BUILT_IN).expect("the built-in table is valid")
    }

    pub(crate) fn is_offered_in(&self, region: &str) -> bool {
        self.regions.is_empty() || self.regions.iter().any(|offered| offered == region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_holds_every_kind_of_accelerator() {
        let types = InstanceType::built_in();
        assert_eq!(types["p4d.24xlarge"].gpus[0].count, 8);
        assert_eq!(types["g6f.large"].gpus[0].count, 0);
        assert_eq!(types["g6f.large"].gpus[0].partition, Some(0.125));
        assert!(types["trn1.2xlarge"].gpus.is_empty());
        assert_eq!(types["trn1.2xlarge"].neuron[0].name, "Trainium");
        assert_eq!(types["inf2.xlarge"].inference[0].name, "Inferentia2");
        assert_eq!(types["f2.6xlarge"].fpga[0].count, 1);
        assert_eq!(types["vt1.3xlarge"].media[0].name, "U30");
        assert_eq!(types["dl1.24xlarge"].gpus[0].manufacturer, "Habana");
        assert!(types["m7i.large"].gpus.is_empty());
    }
}
