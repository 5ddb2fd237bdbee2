//! What the providers call themselves and what they sell: the one table of the FOCUS export.

use reaper_model::ProviderName;

/// One provider in the words of a bill.
#[derive(Debug)]
pub(super) struct Provider {
    /// Its name in the configuration.
    key: &'static str,
    /// Its name.
    pub(super) name: &'static str,
    /// What it calls the service that machines belong to.
    pub(super) service: &'static str,
    /// Whether a machine's location is a zone of a region, the zone's number being behind the last
    /// hyphen.
    zones: bool,
    /// Whether the account that machines are in is a part of the one that is billed.
    pub(super) sub_accounts: bool,
    /// Whether tags are bare words: one without a value has none, instead of an empty one.
    pub(super) words: bool,
}

/// A provider that is not here is called by its name in the configuration.
const TABLE: [Provider; 4] = [
    Provider {
        key: "aws",
        name: "AWS",
        service: "Amazon Elastic Compute Cloud",
        zones: false,
        sub_accounts: true,
        words: false,
    },
    Provider {
        key: "ovhcloud",
        name: "OVHcloud",
        service: "Public Cloud Instances",
        zones: false,
        sub_accounts: true,
        words: false,
    },
    Provider {
        key: "scaleway",
        name: "Scaleway",
        service: "Instances",
        zones: true,
        sub_accounts: false,
        words: true,
    },
    Provider {
        key: "lambda",
        name: "Lambda",
        service: "On-Demand Cloud",
        zones: false,
        sub_accounts: false,
        words: false,
    },
];

impl Provider {
    /// The row of a provider.
    pub(super) fn of(name: &ProviderName) -> Option<&'static Self> {
        TABLE.iter().find(|row| row.key == name.as_str())
    }

    /// The region of a location, and the zone where it is one.
    pub(super) fn place<'a>(&self, location: &'a str) -> (&'a str, Option<&'a str>) {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        match location.rsplit_once('-') {
            Some((region, last)) if self.zones && !region.is_empty() && number(last) => {
                (region, Some(location))
            }
            _ => (location, None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_belongs_to_a_region() {
        let place = |provider: &str, location| {
            Provider::of(&provider.into()).expect("in the table").place(location)
        };
        assert_eq!(place("scaleway", "fr-par-2"), ("fr-par", Some("fr-par-2")));
        assert_eq!(place("scaleway", "fr-par"), ("fr-par", None));
        assert_eq!(place("scaleway", "-1"), ("-1", None));
        assert_eq!(place("aws", "eu-west-1"), ("eu-west-1", None));
        assert_eq!(place("ovhcloud", "GRA11"), ("GRA11", None));
    }
}
