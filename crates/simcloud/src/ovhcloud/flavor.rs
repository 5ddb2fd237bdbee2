//! Flavours: machine types, with what the price catalogue says of them.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde::Deserialize;

/// The flavours that every world knows.
const BUILT_IN: &str = include_str!("flavors.toml");

/// A machine type.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flavor {
    /// OVHcloud's word for the kind of hardware: `ovh.ssd.gpu3`.
    #[serde(rename = "type")]
    pub family: String,
    /// Price per hour without tax; without it the catalogue has no such row.
    pub hourly: Option<Decimal>,
    /// Price per month without tax.
    pub monthly: Option<Decimal>,
    /// Price per hour without tax in local zones, where it is sold there.
    pub local_zone_hourly: Option<Decimal>,
    /// Its accelerators, which the catalogue alone names.
    pub gpu: Option<Gpu>,
}

/// The accelerators of a flavour.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpu {
    /// The model.
    pub model: String,
    /// How many.
    pub count: u32,
    /// GiB of each.
    pub memory: u32,
}

impl Flavor {
    /// Its test sees to it that there are any.
    pub(crate) fn built_in() -> BTreeMap<String, Self> {
        toml::from_str(BUILT_IN).unwrap_or_default()
    }

    pub(crate) fn monthly_plan(&self, name: &str) -> Option<String> {
        self.monthly.map(|_| format!("{name}.monthly.postpaid"))
    }
}

/// The id of a flavour, which differs from region to region.
pub(crate) fn id(name: &str, region: &str) -> String {
    let half = |text: &str| {
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    };
    let (name, region) = (half(name), half(region));
    format!("{:08x}-{:04x}-4000-8000-{:012x}", name >> 32, name >> 16 & 0xffff, region >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_flavours_are_readable() {
        let flavors = Flavor::built_in();
        assert_eq!(flavors.values().filter(|flavor| flavor.gpu.is_some()).count(), 33);
        assert!(flavors.values().any(|flavor| flavor.gpu.is_none()));
    }

    #[test]
    fn ids_differ_between_flavours_and_regions() {
        assert_ne!(id("l4-90", "GRA11"), id("l4-180", "GRA11"));
        assert_ne!(id("l4-90", "GRA11"), id("l4-90", "SBG5"));
        assert_eq!(id("l4-90", "GRA11").len(), 36);
    }
}
