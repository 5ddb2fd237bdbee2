//! Instance types: the built-in table, to which a world adds its own.

use std::collections::BTreeMap;

use serde::Deserialize;

const BUILT_IN: &str = include_str!("types.toml");

/// One type; a world may change what it costs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstanceType {
    /// `8x H100 (80 GB SXM5)`.
    pub description: String,
    /// `H100 (80 GB SXM5)`, or `N/A`.
    pub gpu_description: String,
    /// US cents per hour.
    pub cents: u64,
    /// Virtual processors.
    pub vcpus: u32,
    /// Memory.
    pub memory_gib: u64,
    /// The disk inside, which is gone when the machine is.
    pub storage_gib: u64,
    /// Accelerators.
    pub gpus: u32,
}

impl InstanceType {
    pub(crate) fn built_in() -> Result<BTreeMap<String, Self>, toml::de::Error> {
        toml::from_str(BUILT_IN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_readable() {
        let types = InstanceType::built_in().expect("readable");
        assert_eq!(types["gpu_8x_h100_sxm5"].cents, 3192);
        assert_eq!(types["cpu_4x_general"].gpus, 0);
    }
}
