//! How maps whose key is no text are written in JSON: as arrays of pairs. An [`InstanceId`] is the
//! array of its four parts, as [`reaper_model::ident::parts`] writes it.

use std::collections::BTreeMap;

use reaper_model::{InstanceId, Location, ProviderAccount, ProviderName};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

type Parts = (ProviderName, ProviderAccount, Location, String);

fn from_parts((provider, account, location, native): Parts) -> InstanceId {
    InstanceId { provider, account, location, native }
}

/// `#[serde(with = "codec::by_instance")]` for a map from [`InstanceId`]: an array of pairs.
pub(crate) mod by_instance {
    use super::{
        BTreeMap, Deserialize, Deserializer, InstanceId, Parts, Serialize, Serializer, from_parts,
    };

    pub(crate) fn serialize<S: Serializer, V: Serialize>(
        map: &BTreeMap<InstanceId, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(
            map.iter()
                .map(|(id, value)| ((&id.provider, &id.account, &id.location, &id.native), value)),
        )
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
        from: D,
    ) -> Result<BTreeMap<InstanceId, V>, D::Error> {
        let pairs = Vec::<(Parts, V)>::deserialize(from)?;
        Ok(pairs.into_iter().map(|(parts, value)| (from_parts(parts), value)).collect())
    }
}

/// `#[serde(with = "codec::pairs")]` for a map whose key is no text: an array of pairs.
pub(crate) mod pairs {
    use super::{BTreeMap, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer, K: Serialize, V: Serialize>(
        map: &BTreeMap<K, V>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub(crate) fn deserialize<'de, D, K, V>(from: D) -> Result<BTreeMap<K, V>, D::Error>
    where
        D: Deserializer<'de>,
        K: Deserialize<'de> + Ord,
        V: Deserialize<'de>,
    {
        Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
    }
}
