//! What counts in a budget.

use reaper_model::tags::fold_key;
use reaper_model::{BudgetScope, ProviderName, Reading};

/// Whether a machine's spending counts in a budget's scope, by what was known at the time.
pub fn counts(scope: &BudgetScope, provider: &ProviderName, reading: &Reading) -> bool {
    let owner = || reading.owners.iter().any(|owner| among(&scope.owners, owner));
    let team = || reading.team.as_ref().is_some_and(|team| among(&scope.teams, team));
    let tags = || {
        scope.tags.iter().all(|(key, value)| {
            let wanted = fold_key(key);
            let mut same = reading.tags.iter().filter(|(key, _)| fold_key(key) == wanted);
            same.any(|(_, tagged)| tagged.trim() == value.trim())
        })
    };
    scope.takes(provider, &reading.account)
        && (scope.owners.is_empty() || owner())
        && (scope.teams.is_empty() || team())
        && tags()
}

/// Whether a name, or the local part of an address, is among the wanted ones. Case is folded.
fn among(names: &[String], name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let local = name.split_once('@').map_or(name.as_str(), |(local, _)| local);
    names
        .iter()
        .map(|wanted| wanted.trim().to_lowercase())
        .any(|wanted| wanted == name || wanted == local)
}
