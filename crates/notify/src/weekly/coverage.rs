//! How much was read: what a mail that finds nothing rests on, and what stands first where something
//! is missing.

use std::collections::{BTreeMap, BTreeSet};

use reaper_model::document::{AuditDocument, ScopeStatus};
use reaper_report::coverage::{Coverage, is_unread};

use super::section::grouped;
use crate::words::outside;

/// Groups of places that could not be read, of which each is one line.
const MOST_LINES: usize = 6;

/// Characters of an account, a list of places, a reason.
const LONGEST: usize = 160;

/// `4 of 4 providers and 22 of 23 regions read in full`.
pub(super) fn words(coverage: &Coverage) -> String {
    format!(
        "{} of {} providers and {} of {} regions read in full",
        grouped(coverage.whole_providers),
        grouped(coverage.providers),
        grouped(coverage.wanted - coverage.unread),
        grouped(coverage.wanted)
    )
}

/// What could not be read, one line for each account and reason. Empty where all was.
pub(super) fn gaps(doc: &AuditDocument) -> Vec<String> {
    let mut groups: BTreeMap<(String, bool, &str), BTreeSet<&str>> = BTreeMap::new();
    for scope in doc.scopes.iter().filter(|scope| is_unread(scope.status)) {
        let account = format!("{}/{}", scope.provider, scope.account);
        let partial = scope.status == ScopeStatus::Partial;
        let why = scope.why.as_deref().unwrap_or("the reason is not known");
        let location = scope.location.as_ref().map(reaper_model::Location::as_str);
        groups.entry((account, partial, why)).or_default().extend(location);
    }
    let all = groups.len();
    let mut lines: Vec<String> = groups
        .into_iter()
        .take(MOST_LINES)
        .map(|((account, partial, why), places)| {
            let places: Vec<&str> = places.into_iter().collect();
            let places = if places.is_empty() {
                "all regions".to_owned()
            } else {
                outside(&places.join(", "), LONGEST)
            };
            let how = if partial { "read in part" } else { "not read" };
            format!("{} {places}: {how}, {}", outside(&account, LONGEST), outside(why, LONGEST))
        })
        .collect();
    if all > lines.len() {
        lines.push(format!("and {} accounts more", grouped(all - lines.len())));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    #[test]
    fn what_is_read_is_counted_and_what_is_left_out_on_purpose_is_not() {
        let doc = fixture::nothing();
        let said = |doc| words(&Coverage::of(doc));
        assert_eq!(said(&doc), "4 of 4 providers and 4 of 4 regions read in full");
        assert!(gaps(&doc).is_empty());
        let doc = fixture::weekly();
        assert_eq!(said(&doc), "3 of 4 providers and 4 of 5 regions read in full");
        assert_eq!(gaps(&doc), ["aws/research eu-west-3: not read, HTTP 503"]);
    }

    #[test]
    fn a_login_that_fails_hides_all_regions_and_one_reason_is_told_once() {
        let mut doc = fixture::nothing();
        doc.scopes[2].location = None;
        for scope in &mut doc.scopes {
            scope.status = ScopeStatus::Failed;
            scope.why = Some("HTTP 401".to_owned());
        }
        assert!(Coverage::of(&doc).is_blind());
        let gaps = gaps(&doc);
        assert_eq!(gaps[0], "aws/research ap-east-1, eu-west-1: not read, HTTP 401");
        assert_eq!(gaps[2], "ovhcloud/lab all regions: not read, HTTP 401");
    }
}
