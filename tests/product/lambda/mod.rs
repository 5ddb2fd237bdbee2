//! `reaper audit` of a simulated Lambda, whole command: field cases of kinds C, E, G, I and K.

mod listing;
mod money;

/// What lets a test go faster than one request a second.
const HURRY: &str = "[pace]\nlambda = { per_second = 50 }\n";
/// The same for the world.
const PATIENT: &str = "[lambda]\nmin_interval_ms = 0\n";

/// A running A10 of nine hours without tags, and what `more` says of it.
fn instance(id: &str, more: &str) -> String {
    let kind = if more.contains("type =") { "" } else { "type = \"gpu_1x_a10\"\n" };
    let launched = if more.contains("launched =") { "" } else { "launched = \"9h\"\n" };
    format!(
        "[[lambda.instance]]\naccount = \"burst\"\nregion = \"us-east-1\"\nid = \"{id}\"\n\
         {kind}{launched}{more}\n"
    )
}
