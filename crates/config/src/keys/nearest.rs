//! Which of the valid names a misspelt one was probably meant to be.

use reaper_model::tags::fold_key;

/// How far two names are apart: edits after case and separators are folded.
fn folded_distance(one: &str, other: &str) -> usize {
    strsim::osa_distance(&fold_key(one), &fold_key(other))
}

/// The nearest of these names, if it is near enough to be worth a hint: one edit in three letters,
/// and one in any case.
pub(crate) fn nearest<'n>(name: &str, valid: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    valid
        .into_iter()
        .map(|candidate| (folded_distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}
