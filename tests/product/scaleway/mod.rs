//! `reaper audit` of a simulated Scaleway, whole command: field cases of kinds B, C, E, G and I.

mod listing;
mod money;
mod recorded;

use crate::support::ORGANISATION;

/// A running L4 of ten days without tags, and what `more` says of it.
fn server(id: &str, zone: &str, more: &str) -> String {
    let kind = if more.contains("type =") { "" } else { "type = \"L4-1-24G\"\n" };
    let created = if more.contains("created =") { "" } else { "created = \"240h\"\n" };
    format!(
        "[[scaleway.server]]\norganization = \"{ORGANISATION}\"\nzone = \"{zone}\"\n\
         id = \"{id}\"\n{kind}{created}{more}\n"
    )
}
