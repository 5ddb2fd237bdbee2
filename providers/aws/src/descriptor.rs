//! What the command line must know of AWS before there is an account of it.

use std::sync::Arc;

use reaper_provider::{AccountSettings, Descriptor, OpenError, Provider, Surroundings};

use crate::adapter::AwsProvider;
use crate::partition::currency_of;

/// AWS, as the command line's list of providers holds it.
pub const DESCRIPTOR: Descriptor = Descriptor {
    name: "aws",
    title: "AWS EC2",
    location_key: Some("regions"),
    options: &[
        "profile",
        "assume_role",
        "external_id",
        "imds",
        "server_side_filter",
        "name_uncovered_regions",
        "cost_explorer",
        "live_prices",
    ],
    lists: &[],
    credentials: &["access_key_id", "secret_access_key", "session_token"],
    environment: &[
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    ],
    files: &[".aws/credentials", ".aws/config"],
    audit_policy: include_str!("../audit-policy.json"),
    enforce_policy: include_str!("../enforce-policy.json"),
    currency: |settings, surroundings| Some(currency_of(settings, surroundings)),
    open,
};

fn open(
    settings: AccountSettings,
    surroundings: Surroundings<'_>,
) -> Result<Arc<dyn Provider>, OpenError> {
    Ok(Arc::new(AwsProvider::open(settings, surroundings)?))
}

#[cfg(test)]
mod tests {
    use reaper_model::Verb;

    use super::DESCRIPTOR;
    use crate::act::{TAG, call};
    use crate::billing::COSTS;
    use crate::live::PRODUCTS;
    use crate::metrics::{DATA, LIST};
    use crate::wire::SPOT_PRICES;

    #[test]
    fn what_costs_a_consent_is_allowed_apart() {
        let money = include_str!("../money-policy.json");
        for call in [COSTS, PRODUCTS] {
            let quoted = format!("\"{call}\"");
            assert!(
                money.contains(&quoted) && !DESCRIPTOR.audit_policy.contains(&quoted),
                "{call}"
            );
        }
        for call in [SPOT_PRICES, LIST, DATA] {
            assert!(DESCRIPTOR.audit_policy.contains(&format!("\"{call}\"")), "{call}");
        }
        for option in ["cost_explorer", "live_prices"] {
            assert!(DESCRIPTOR.options.contains(&option), "{option}");
        }
    }

    #[test]
    fn the_policies_allow_what_is_called_and_termination_is_apart() {
        let (allowed, denied) = DESCRIPTOR.enforce_policy.split_once("Deny").expect("a denial");
        let quoted = |call: &str| format!("\"{call}\"");
        for call in [call(Verb::Stop), TAG, "ec2:DeleteTags"] {
            assert!(allowed.contains(&quoted(call)), "{call}");
        }
        let terminate = quoted(call(Verb::Terminate));
        assert!(!allowed.contains(&terminate));
        assert!(denied.contains(&terminate), "of a group's member, whoever allows it");
        assert!(include_str!("../terminate-policy.json").contains(&terminate));
        for policy in [DESCRIPTOR.audit_policy, DESCRIPTOR.enforce_policy] {
            assert!(!policy.contains("Modify") && !policy.contains(&quoted("ec2:*")));
        }
    }
}
