//! The suite of what was left behind: never red, for no rule has asked for it.

use quick_junit::TestSuite;
use reaper_model::AuditDocument;

use super::cases::{self, Verdict};
use crate::figures::more;
use crate::leftover;
use crate::machine::MISSING;

/// CI systems show no more, and take only so much.
const MOST: usize = 1_000;

/// One suite of all leftovers; none where there are none.
pub(super) fn suite(doc: &AuditDocument) -> Option<TestSuite> {
    const NAME: &str = "leftovers";
    let all = doc.leftovers.len();
    let mut suite = cases::suite(NAME, doc);
    for leftover in doc.leftovers.iter().take(MOST) {
        let noun = leftover::noun(leftover.kind);
        let mut lines =
            vec![format!("{}, {}", leftover::cost(leftover), leftover::since(leftover))];
        lines.extend(leftover::price_gap(leftover));
        lines.extend(leftover::size(leftover).map(|size| format!("size: {size}")));
        lines.push(format!("owner: {}", leftover::owner(leftover)));
        lines.extend(leftover::of(leftover));
        lines.push(format!("id: {}", leftover.id));
        let name = match leftover::name(leftover) {
            MISSING => format!("{noun} {}", leftover.id),
            name => format!("{noun} {name} ({})", leftover.id),
        };
        suite.add_test_case(cases::case(NAME, &name, &Verdict::Skipped, &lines));
    }
    if let Some(more) = more(MOST.min(all), all) {
        let lines = [leftover::sum(doc)];
        suite.add_test_case(cases::case(NAME, &more, &Verdict::Skipped, &lines));
    }
    (all > 0).then_some(suite)
}
