//! Partitions of AWS: accounts of one are unknown in the others, and each has its own price list.

use reaper_model::Currency;
use reaper_provider::{AccountSettings, Surroundings};

use crate::home::{Homes, of_surroundings};

/// Whether a region or zone lies in China.
pub(crate) fn is_china(place: &str) -> bool {
    place.starts_with("cn-")
}

/// What the price list of a region's or zone's partition is in.
pub(crate) fn currency(place: &str) -> Currency {
    let yuan = is_china(place).then(|| "CNY".parse().ok());
    yuan.flatten().unwrap_or(Currency::USD)
}

/// What an account's prices are in. The configured regions surely lie in its partition; where there
/// are none, the region that is asked about the account as a whole does.
pub(crate) fn currency_of(settings: &AccountSettings, surroundings: Surroundings<'_>) -> Currency {
    let configured = settings.locations.first().cloned();
    let region = configured.unwrap_or_else(|| {
        Homes::new(settings, of_surroundings(settings, &surroundings)).first().clone()
    });
    currency(region.as_str())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;

    use reaper_model::Location;

    use super::*;
    use crate::DESCRIPTOR;

    /// Of an account in these regions, with a variable for the region, or a profile's.
    fn charged(regions: &[&str], environment: Option<&str>, profile: Option<&str>) -> String {
        let mut settings = AccountSettings::named("research");
        settings.locations = regions.iter().map(Location::new).collect();
        let variable = |name: &str| match name {
            "AWS_REGION" => environment.map(str::to_owned),
            "AWS_CONFIG_FILE" => Some("/aws".to_owned()),
            _ => None,
        };
        let read_file = |path: &Path| match profile {
            Some(region) if path == "/aws" => Ok(format!("[default]\nregion = {region}\n")),
            _ => Err(io::ErrorKind::NotFound.into()),
        };
        let surroundings = Surroundings { variable: &variable, read_file: &read_file };
        let currency = (DESCRIPTOR.currency)(&settings, surroundings).expect("always known");
        currency.to_string()
    }

    #[test]
    fn fl_107_in_china_an_account_is_charged_in_yuan_and_elsewhere_in_dollars() {
        let beijing = Some("cn-north-1");
        for (regions, environment, profile, code) in [
            (&[][..], None, None, "USD"),
            (&["eu-west-1", "us-gov-west-1"], None, None, "USD"),
            (&["cn-northwest-1"], None, None, "CNY"),
            (&[], beijing, None, "CNY"),
            (&[], None, beijing, "CNY"),
            (&[], Some("eu-west-1"), beijing, "USD"),
            // What is configured says more than what a shell has been left with.
            (&["cn-north-1"], Some("us-east-1"), None, "CNY"),
            (&["eu-west-1"], beijing, beijing, "USD"),
        ] {
            let told = charged(regions, environment, profile);
            assert_eq!(told, code, "{regions:?} {environment:?} {profile:?}");
        }
    }

    #[test]
    fn fl_107_a_zone_has_the_currency_of_its_partition() {
        assert_eq!(currency("cn-north-1a").as_str(), "CNY");
        assert_eq!(currency("eu-west-1b"), Currency::USD);
    }
}
