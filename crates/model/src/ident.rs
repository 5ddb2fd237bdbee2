//! Identities. All state hangs on an [`InstanceId`], never on a name: names are reused.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! text_newtype {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(#[schemars(with = "String")] Arc<str>);

        impl $name {
            /// Wraps the text as it is.
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &self.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }
    };
}

text_newtype! {
    /// A cloud as the configuration names it: `aws`, `ovhcloud`, `scaleway`, `lambda`.
    /// Open on purpose: a further adapter needs no change here.
    ProviderName
}
text_newtype! {
    /// The name that the configuration gives to one set of credentials (`[[account]] name`).
    AccountName
}
text_newtype! {
    /// The provider's own account: AWS account number, Scaleway organisation, OVHcloud project.
    ProviderAccount
}
text_newtype! {
    /// A region or zone as the provider spells it.
    Location
}
text_newtype! {
    /// A machine type as the provider spells it, letter for letter, known to us or not.
    MachineType
}

/// The one identity of a machine: provider, the provider's account, location, native id.
///
/// Written `aws/111122223333/eu-west-1/i-0abc`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId {
    /// The cloud.
    pub provider: ProviderName,
    /// The provider's own account.
    pub account: ProviderAccount,
    /// Region or zone.
    pub location: Location,
    /// The provider's id of the machine.
    pub native: String,
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.provider, self.account, self.location, self.native)
    }
}

impl fmt::Debug for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceId({self})")
    }
}

/// The text is not `provider/account/location/id`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not an instance id: expected provider/account/location/id, for example aws/111122223333/eu-west-1/i-0abc"
)]
pub struct ParseInstanceIdError(String);

impl FromStr for InstanceId {
    type Err = ParseInstanceIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.trim().splitn(4, '/');
        let mut next = || parts.next().filter(|part| !part.is_empty());
        match (next(), next(), next(), next()) {
            (Some(provider), Some(account), Some(location), Some(native)) => Ok(Self {
                provider: provider.into(),
                account: account.into(),
                location: location.into(),
                native: native.to_owned(),
            }),
            _ => Err(ParseInstanceIdError(text.to_owned())),
        }
    }
}

/// `#[serde(with = "reaper_model::ident::parts")]`: an [`InstanceId`] as an array of its four
/// parts, not as its text, because an account or an id may itself hold a slash.
pub mod parts {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{InstanceId, Location, ProviderAccount, ProviderName};

    type Parts = (ProviderName, ProviderAccount, Location, String);

    /// Writes the four parts.
    pub fn serialize<S: Serializer>(id: &InstanceId, to: S) -> Result<S::Ok, S::Error> {
        (&id.provider, &id.account, &id.location, &id.native).serialize(to)
    }

    /// Reads the four parts.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<InstanceId, D::Error> {
        let (provider, account, location, native) = Parts::deserialize(from)?;
        Ok(InstanceId { provider, account, location, native })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_id_reads_back_as_written() {
        let text = "aws/111122223333/eu-west-1/i-0abc";
        assert_eq!(text.parse::<InstanceId>().map(|id| id.to_string()).as_deref(), Ok(text));
    }

    #[test]
    fn a_native_id_may_hold_slashes_and_blanks_around_are_trimmed() {
        let id: InstanceId = " ovhcloud/p/GRA11/a/b ".parse().expect("four parts");
        assert_eq!(id.native, "a/b");
    }

    #[test]
    fn three_parts_are_refused() {
        assert!("aws/1/i-0abc".parse::<InstanceId>().is_err());
        assert!("aws//eu-west-1/i-0abc".parse::<InstanceId>().is_err());
    }
}
