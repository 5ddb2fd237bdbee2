//! Instance types: what they are made of and cost.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

const GIB: u64 = 1 << 30;
const GB: u64 = 1_000_000_000;
/// Hours of the month that Scaleway's deprecated monthly price counts.
const HOURS_PER_MONTH: f64 = 730.0;

/// One type.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceType {
    /// Virtual CPUs.
    pub vcpus: u32,
    /// Memory, GiB.
    pub ram_gib: u64,
    /// EUR per hour.
    pub hourly: f64,
    /// Its GPUs; absent for none.
    pub gpu: Option<Gpu>,
    /// The most scratch storage, GB.
    #[serde(default)]
    pub scratch_gb: u64,
}

/// GPUs of a type.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The model.
    pub name: String,
    /// How many.
    pub count: u32,
    /// Memory of one of them, GiB.
    pub memory_gib: u64,
}

impl InstanceType {
    /// The types that ship with the simulator.
    #[expect(clippy::expect_used, reason = "the table is part of the program and has a test")]
    pub(crate) fn built_in() -> BTreeMap<String, Self> {
        toml::from_str(include_str!("types.toml")).expect("the built-in table is valid")
    }

    /// The type as the product list shows it.
    pub(crate) fn json(&self) -> Value {
        let gpu_info = self.gpu.as_ref().map(|gpu| {
            json!({
                "gpu_manufacturer": "NVIDIA",
                "gpu_name": gpu.name,
                "gpu_memory": gpu.memory_gib * GIB,
            })
        });
        json!({
            "alt_names": [],
            "arch": "x86_64",
            "ncpus": self.vcpus,
            "ram": self.ram_gib * GIB,
            "gpu": self.gpu.as_ref().map_or(0, |gpu| gpu.count),
            "gpu_info": gpu_info,
            "mig_profile": null,
            "volumes_constraint": { "min_size": 0, "max_size": 0 },
            "per_volume_constraint": { "l_ssd": { "min_size": 0, "max_size": 0 } },
            "scratch_storage_max_size": self.scratch_gb * GB,
            "scratch_storage_max_volumes_count": u8::from(self.scratch_gb > 0),
            "monthly_price": self.hourly * HOURS_PER_MONTH,
            "hourly_price": self.hourly,
            "capabilities": {
                "boot_types": ["local", "rescue"],
                "placement_groups": true,
                "block_storage": true,
                "hot_snapshots_local_volume": false,
                "private_network": 8,
                "max_file_systems": 0,
            },
            "network": {
                "ipv6_support": true,
                "sum_internal_bandwidth": 2_500_000_000_u64,
                "sum_internet_bandwidth": 2_500_000_000_u64,
                "interfaces": [],
            },
            "block_bandwidth": 262_144_000,
            "end_of_service": false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_types_are_readable() {
        let types = InstanceType::built_in();
        assert_eq!(types.values().filter(|kind| kind.gpu.is_some()).count(), 17);
        let memory =
            types.get("H100-2-80G").map(|kind| kind.json()["gpu_info"]["gpu_memory"].clone());
        assert_eq!(memory, Some(json!(85_899_345_920_u64)));
    }
}
