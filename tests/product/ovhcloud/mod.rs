//! `reaper audit` of a simulated OVHcloud, whole command: field cases of kinds B, C, E, G, H and I.

mod listing;
mod login;
mod money;

use crate::support::PROJECT;

/// A running `l4-90` of ten days, and what `more` says of it.
fn instance(id: &str, more: &str) -> String {
    let flavor = if more.contains("flavor =") { "" } else { "flavor = \"l4-90\"\n" };
    let created = if more.contains("created =") { "" } else { "created = \"240h\"\n" };
    format!(
        "[[ovhcloud.instance]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"{id}\"\n\
         {flavor}{created}{more}\n"
    )
}
