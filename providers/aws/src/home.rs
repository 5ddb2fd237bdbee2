//! The home: the region that is asked about the account as a whole (who it is, which regions it
//! has), and the regions that are asked in its stead when it does not answer.

use futures::future::BoxFuture;
use reaper_model::Location;
use reaper_provider::{AccountSettings, Delivery, ErrorKind, ProviderError, Surroundings};

use crate::partition;
use crate::profile;

/// Where the account is asked about when nothing names a region, and when no other one answers.
const FALLBACK_REGION: &str = "us-east-1";

/// The region that the environment names, else that of the profile. Behind an address of its own,
/// an account has nothing to do with either.
pub(crate) fn of_surroundings(
    settings: &AccountSettings,
    surroundings: &Surroundings<'_>,
) -> Option<Location> {
    if settings.endpoint_url.is_some() {
        return None;
    }
    of_environment(surroundings).or_else(|| named(&profile::region(settings, surroundings)?))
}

/// A variable that is set to nothing counts as not set.
fn of_environment(surroundings: &Surroundings<'_>) -> Option<Location> {
    ["AWS_REGION", "AWS_DEFAULT_REGION"]
        .into_iter()
        .filter_map(surroundings.variable)
        .find_map(|name| named(&name))
}

/// The region that serves the price list of a home's partition. The list is the same in each of the
/// few regions that do.
pub(crate) fn of_prices(home: &Location) -> &'static str {
    if partition::is_china(home.as_str()) { "cn-northwest-1" } else { FALLBACK_REGION }
}

fn named(region: &str) -> Option<Location> {
    let region = region.trim();
    (!region.is_empty()).then(|| Location::new(region))
}

/// The regions that may answer for the account, the most likely first.
#[derive(Debug)]
pub(crate) struct Homes {
    first: Location,
    others: Vec<Location>,
    /// All regions are served at one address.
    one_address: bool,
}

impl Homes {
    /// The region that the surroundings name, then the configured ones (they surely lie in the
    /// account's partition), then `us-east-1`. Behind an address of its own, an account has nothing
    /// to do with the region of the surroundings.
    pub(crate) fn new(settings: &AccountSettings, surrounding: Option<Location>) -> Self {
        let one_address = settings.endpoint_url.is_some();
        let fallback = Location::new(FALLBACK_REGION);
        let mut regions = surrounding
            .filter(|_| !one_address)
            .into_iter()
            .chain(settings.locations.iter().cloned());
        let first = regions.next().unwrap_or_else(|| fallback.clone());
        let mut others: Vec<Location> = Vec::new();
        for region in regions.chain([fallback]) {
            if region != first && !others.contains(&region) {
                others.push(region);
            }
        }
        Self { first, others, one_address }
    }

    /// The region to begin with.
    pub(crate) fn first(&self) -> &Location {
        &self.first
    }

    /// Asks `home`, and as long as it may be the region's fault, one after the other of the rest.
    ///
    /// # Errors
    /// The first error, when all regions refuse; that of the region at which it turned out to be
    /// no region's fault.
    pub(crate) async fn ask<'a, T>(
        &'a self,
        home: &'a Location,
        question: impl Fn(&'a Location) -> BoxFuture<'a, Result<T, ProviderError>> + Send + Sync,
    ) -> Result<T, ProviderError> {
        let first = match question(home).await {
            Err(error) if self.blames_region(&error) => error,
            ended => return ended,
        };
        tracing::debug!(region = %home, error = %first, "does not answer for the account");
        for region in [&self.first].into_iter().chain(&self.others).filter(|one| *one != home) {
            match question(region).await {
                Err(error) if self.blames_region(&error) => {
                    tracing::debug!(%region, %error, "does not answer for the account");
                }
                ended => return ended,
            }
        }
        Err(first)
    }

    /// Whether another region may answer where this one did not. A region that is not enabled
    /// refuses good keys as if they were wrong; one that does not exist has no address.
    fn blames_region(&self, error: &ProviderError) -> bool {
        match error.kind {
            ErrorKind::CredentialsRejected | ErrorKind::NotEnabled => true,
            ErrorKind::Unreachable | ErrorKind::Timeout => !self.one_address,
            // No request could be made for a region of that name.
            ErrorKind::Invalid => error.delivery == Delivery::NotSent,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::Path;
    use std::sync::Mutex;

    use futures::FutureExt;

    use super::*;

    fn homes(environment: Option<&str>, configured: &[&str], url: Option<&str>) -> Homes {
        let mut settings = AccountSettings::named("research");
        settings.locations = configured.iter().map(Location::new).collect();
        settings.endpoint_url = url.map(str::to_owned);
        Homes::new(&settings, environment.map(Location::new))
    }

    fn order(homes: &Homes) -> Vec<&str> {
        [&homes.first].into_iter().chain(&homes.others).map(Location::as_str).collect()
    }

    fn error(kind: ErrorKind) -> ProviderError {
        ProviderError::answered(kind, "sts:GetCallerIdentity", "words")
    }

    /// Which regions were asked from `home` on, and how it ended.
    async fn asked(
        homes: &Homes,
        home: &str,
        answer: impl Fn(&str) -> Result<(), ProviderError> + Send + Sync,
    ) -> (Vec<String>, Result<(), ProviderError>) {
        let (home, asked) = (Location::new(home), Mutex::new(Vec::new()));
        let ended = homes
            .ask(&home, |region| {
                asked.lock().expect("unpoisoned").push(region.to_string());
                let answer = answer(region.as_str());
                async { answer }.boxed()
            })
            .await;
        (asked.into_inner().expect("unpoisoned"), ended)
    }

    #[test]
    fn fl_056_a_variable_that_is_set_to_nothing_names_no_region() {
        let region = |variables: &'static [(&'static str, &'static str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            of_environment(&Surroundings { variable: &variable, ..Surroundings::NONE })
        };
        assert_eq!(region(&[]), None);
        assert_eq!(region(&[("AWS_REGION", " ")]), None);
        let second = region(&[("AWS_REGION", ""), ("AWS_DEFAULT_REGION", "eu-west-1")]);
        assert_eq!(second, Some(Location::new("eu-west-1")));
    }

    #[test]
    fn the_environment_comes_before_the_profile_and_an_own_address_needs_neither() {
        let region = |url: Option<&str>, environment: Option<&str>| {
            let mut settings = AccountSettings::named("research");
            settings.endpoint_url = url.map(str::to_owned);
            let variable = |name: &str| match name {
                "AWS_REGION" => environment.map(str::to_owned),
                "HOME" => Some("/home/a".to_owned()),
                _ => None,
            };
            let read_file = |path: &Path| match path.to_str() {
                Some("/home/a/.aws/config") => Ok("[default]\nregion = sa-east-1\n".to_owned()),
                _ => Err(io::ErrorKind::NotFound.into()),
            };
            let surroundings = Surroundings { variable: &variable, read_file: &read_file };
            of_surroundings(&settings, &surroundings).map(|region| region.to_string())
        };
        assert_eq!(region(None, Some("eu-west-1")).as_deref(), Some("eu-west-1"));
        assert_eq!(region(None, None).as_deref(), Some("sa-east-1"));
        assert_eq!(region(Some("http://127.0.0.1:5000"), Some("eu-west-1")), None);
    }

    #[test]
    fn the_surroundings_come_first_and_then_what_is_configured() {
        let regions = ["eu-west-1", "us-east-1", "eu-west-2"];
        assert_eq!(
            order(&homes(Some("sa-east-1"), &regions, None)),
            ["sa-east-1", "eu-west-1", "us-east-1", "eu-west-2"]
        );
        assert_eq!(order(&homes(None, &regions, None)), regions);
        assert_eq!(order(&homes(None, &[], None)), ["us-east-1"]);
    }

    #[test]
    fn an_address_of_its_own_has_nothing_to_do_with_the_region_of_the_surroundings() {
        let homes = homes(Some("bogus"), &["eu-west-1"], Some("http://127.0.0.1:5000"));
        assert_eq!(order(&homes), ["eu-west-1", "us-east-1"]);
    }

    #[tokio::test]
    async fn fl_056_a_bad_home_is_passed_over_and_the_first_error_kept_when_all_refuse() {
        let homes = homes(None, &["me-south-1", "eu-wst-1", "eu-west-1"], None);
        let (regions, ended) = asked(&homes, "me-south-1", |region| match region {
            "me-south-1" => Err(error(ErrorKind::CredentialsRejected)),
            "eu-wst-1" => Err(error(ErrorKind::Unreachable)),
            _ => Ok(()),
        })
        .await;
        assert_eq!((regions.len(), ended), (3, Ok(())));

        let (regions, ended) = asked(&homes, "eu-west-1", |region| match region {
            "eu-west-1" => Err(error(ErrorKind::Unreachable)),
            _ => Err(error(ErrorKind::CredentialsRejected)),
        })
        .await;
        assert_eq!(regions, ["eu-west-1", "me-south-1", "eu-wst-1", "us-east-1"]);
        assert_eq!(ended.map_err(|error| error.kind), Err(ErrorKind::Unreachable));
    }

    #[tokio::test]
    async fn what_is_no_regions_fault_is_asked_once() {
        let homes = homes(None, &["eu-west-1"], None);
        for kind in [ErrorKind::CredentialsExpired, ErrorKind::ClockSkew, ErrorKind::NoCredentials]
        {
            let (regions, ended) = asked(&homes, "eu-west-1", |_| Err(error(kind.clone()))).await;
            assert_eq!((regions.len(), ended.map_err(|error| error.kind)), (1, Err(kind)));
        }
    }

    #[tokio::test]
    async fn one_address_that_is_not_there_is_not_asked_again_under_other_names() {
        let homes = homes(None, &["eu-west-1"], Some("http://127.0.0.1:5000"));
        let gone = |_: &str| Err(error(ErrorKind::Unreachable));
        assert_eq!(asked(&homes, "eu-west-1", gone).await.0, ["eu-west-1"]);
        let refused = |_: &str| Err(error(ErrorKind::CredentialsRejected));
        assert_eq!(asked(&homes, "eu-west-1", refused).await.0, ["eu-west-1", "us-east-1"]);
    }
}
