//! A machine and its data in different regions: volumes and file systems as the provider says, buckets
//! as the machine's tags name them.

use reaper_model::document::{AdviceKind, Confidence};
use reaper_model::tags::{Tag, Tags};
use reaper_model::{Asset, Location, ProviderName};

use crate::adviser::Case;
use crate::question::Advice;

/// Tags that say in which region a bucket is that another tag names without one.
const BUCKET_REGION: [&str; 5] =
    ["bucket-region", "bucket-location", "data-region", "data-location", "s3-region"];
/// What comes behind the region in the address of a bucket, and whose bucket that is.
const ENDPOINTS: [(&str, &str); 6] = [
    (".amazonaws.com", "aws"),
    (".scw.cloud", "scaleway"),
    (".io.cloud.ovh.net", "ovhcloud"),
    (".perf.cloud.ovh.net", "ovhcloud"),
    (".cloud.ovh.net", "ovhcloud"),
    (".io.cloud.ovh.us", "ovhcloud"),
];

/// Where some data of a machine are.
struct Data {
    /// What, in words.
    what: String,
    /// The region as it was said.
    region: String,
    /// Whose region it is, where the address says so.
    provider: Option<&'static str>,
    /// How sure that is.
    confidence: Confidence,
}

pub(crate) fn advise(case: &Case<'_>) -> Option<Advice> {
    let instance = case.question.instance;
    let (provider, location) = (&instance.id.provider, &instance.id.location);
    let assets = case.question.assets.iter().map(|asset| of_asset(asset));
    let buckets = instance.tags.value().map(buckets).unwrap_or_default();
    let data = assets.chain(buckets).find(|data| is_elsewhere(data, provider, location))?;
    let Data { what, region, provider: other, confidence } = data;
    let other = other.filter(|other| *other != provider.as_str());
    let at = other.map_or_else(String::new, |other| format!(" at {other}"));
    let text = format!(
        "{what} is in {region}{at}, the machine in {location}: what it reads and writes there crosses \
         regions, which is slower and is often charged by the byte. What that costs is not known.",
    );
    let confidence = if other.is_some() { Confidence::Low } else { confidence };
    Some(Advice { kind: AdviceKind::Region, text, saves_per_month: None, confidence })
}

fn of_asset(asset: &Asset) -> Data {
    let name = asset.name.value().unwrap_or(&asset.id.native);
    Data {
        what: format!("Its {} {name}", asset.kind.name()),
        region: asset.id.location.to_string(),
        provider: None,
        confidence: Confidence::High,
    }
}

/// The buckets that tags name, each with its region where that is said.
fn buckets(tags: &Tags) -> Vec<Data> {
    let beside = BUCKET_REGION.iter().flat_map(|key| tags.matching(key)).map(Tag::trimmed_value);
    let beside = beside.filter(|region| !region.is_empty()).map(str::to_owned).next();
    let named = tags.iter().filter_map(|tag| {
        let text = if tag.value.is_some() { tag.trimmed_value() } else { tag.key.trim() };
        let what = format!("Its bucket {text} (tag {})", tag.key);
        if let Some((region, provider)) = endpoint(text) {
            let (provider, confidence) = (Some(provider), Confidence::Medium);
            return Some(Data { what, region, provider, confidence });
        }
        let region = beside.clone().filter(|_| text.starts_with("s3://"))?;
        Some(Data { what, region, provider: None, confidence: Confidence::Medium })
    });
    named.collect()
}

/// The region in `https://data.s3.eu-west-1.amazonaws.com/x` and `s3.gra.io.cloud.ovh.net/data`, and
/// whose it is.
fn endpoint(text: &str) -> Option<(String, &'static str)> {
    let text = text.split_once("://").map_or(text, |(_, rest)| rest).to_ascii_lowercase();
    let host = text.split(['/', ':', '?']).next()?;
    ENDPOINTS.iter().find_map(|(end, provider)| {
        let before = host.strip_suffix(".cn").unwrap_or(host).strip_suffix(end)?;
        let mut parts = before.rsplit('.');
        let region = parts.next().filter(|region| region.contains(|c: char| c.is_alphabetic()))?;
        let service = parts.next();
        let old = region.strip_prefix("s3-");
        let named =
            old.or_else(|| (service? == "s3" || service? == "dualstack").then_some(region))?;
        Some((named.to_owned(), *provider))
    })
}

fn is_elsewhere(data: &Data, provider: &ProviderName, location: &Location) -> bool {
    let theirs = data.provider.unwrap_or(provider.as_str());
    theirs != provider.as_str()
        || region(theirs, &data.region) != region(provider.as_str(), location.as_str())
}

/// The region in which a location lies: Scaleway's locations are zones (`fr-par-2`), OVHcloud counts
/// data centres of one place (`GRA11`).
fn region(provider: &str, location: &str) -> String {
    let location = location.to_ascii_lowercase();
    match provider {
        "scaleway" => match location.rsplit_once('-') {
            Some((region, zone)) if zone.bytes().all(|byte| byte.is_ascii_digit()) => {
                region.to_owned()
            }
            _ => location,
        },
        "ovhcloud" => {
            location.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-').to_owned()
        }
        _ => location,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_buckets_tell_their_region() {
        for (text, region, provider) in [
            ("https://data.s3.eu-west-1.amazonaws.com/x", "eu-west-1", "aws"),
            ("https://s3.us-east-2.amazonaws.com/data", "us-east-2", "aws"),
            ("s3-eu-west-3.amazonaws.com", "eu-west-3", "aws"),
            ("https://d.s3.cn-north-1.amazonaws.com.cn", "cn-north-1", "aws"),
            ("https://data.s3.fr-par.scw.cloud", "fr-par", "scaleway"),
            ("https://s3.gra.io.cloud.ovh.net/data", "gra", "ovhcloud"),
        ] {
            assert_eq!(endpoint(text), Some((region.to_owned(), provider)), "{text}");
        }
        for none in ["https://data.s3.amazonaws.com/x", "s3://data", "https://example.org", ""] {
            assert_eq!(endpoint(none), None, "{none}");
        }
    }

    #[test]
    fn zones_and_data_centres_of_one_place_are_one_region() {
        for (provider, one, other) in [
            ("scaleway", "fr-par-1", "fr-par-2"),
            ("scaleway", "fr-par-2", "fr-par"),
            ("ovhcloud", "GRA11", "gra"),
            ("ovhcloud", "US-EAST-VA-1", "us-east-va"),
        ] {
            assert_eq!(region(provider, one), region(provider, other), "{one} {other}");
        }
        for (provider, one, other) in [
            ("aws", "eu-west-1", "eu-west-2"),
            ("lambda", "us-west-1", "us-west-2"),
            ("ovhcloud", "GRA11", "SBG5"),
        ] {
            assert_ne!(region(provider, one), region(provider, other), "{one} {other}");
        }
    }
}
