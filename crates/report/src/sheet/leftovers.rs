//! What was left behind as CSV, one a row, in a file of its own: the machines' sheet keeps its rows.

use std::io;

use reaper_model::document::{AuditDocument, LeftoverView};

use super::columns::{amount, currency, time};
use crate::cell::{self, Cell, kept};
use crate::leftover;

/// A column: its name, and what it holds of a row.
type Column = (&'static str, fn(&AuditDocument, &LeftoverView) -> Cell);

/// All columns in the order of the file.
const COLUMNS: [Column; 22] = [
    ("id", |_, leftover| Cell::foreign(&leftover.id)),
    ("provider", |_, leftover| Cell::foreign(leftover.provider.as_str())),
    ("account", |_, leftover| Cell::foreign(leftover.account.as_str())),
    ("location", |_, leftover| Cell::foreign(leftover.location.as_str())),
    ("native_id", |_, leftover| Cell::foreign(&leftover.native_id)),
    ("kind", |_, leftover| Cell::word(leftover.kind.name())),
    ("name", |_, leftover| leftover.name.as_ref().into()),
    ("size_gib", |_, leftover| {
        leftover.size_gib.as_ref().map_or(Cell::Null, |gib| Cell::Own(gib.to_string()))
    }),
    ("unused_since", |_, leftover| time(leftover.unused_since)),
    ("age_hours", |_, leftover| leftover.age_hours.as_ref().into()),
    ("age_why", |_, leftover| leftover.age_why.as_ref().into()),
    ("owner", |_, leftover| leftover.owner.id.as_ref().into()),
    ("owner_status", |_, leftover| Cell::word(leftover.owner.status.name())),
    ("owner_email", |_, leftover| leftover.owner.email.as_ref().into()),
    ("of", |_, leftover| leftover.of.as_ref().into()),
    ("of_our_stop", |_, leftover| Cell::word(if leftover.of_our_stop { "yes" } else { "no" })),
    ("per_month", |_, leftover| amount(leftover.per_month)),
    ("per_month_currency", |_, leftover| currency(leftover.per_month)),
    ("price_why", |_, leftover| leftover.price_why.as_ref().into()),
    ("known", |_, leftover| Cell::foreign(leftover::since(leftover))),
    ("data_as_of", |doc, _| Cell::time(doc.now)),
    ("run_id", |doc, _| Cell::foreign(&doc.run_id)),
];

/// Writes everything that was left behind, in the document's order: the dearest first.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn leftovers_csv(doc: &AuditDocument, out: &mut impl io::Write) -> io::Result<()> {
    let mut writer = cell::writer(&mut *out);
    writer.write_record(COLUMNS.iter().map(|(name, _)| name)).map_err(kept)?;
    for leftover in &doc.leftovers {
        let cells = COLUMNS.iter().map(|(_, cell)| cell(doc, leftover).written());
        writer.write_record(cells).map_err(kept)?;
    }
    writer.flush()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::fixture;

    fn written(doc: &AuditDocument) -> String {
        let mut out = Vec::new();
        leftovers_csv(doc, &mut out).expect("a vector takes everything");
        String::from_utf8(out).expect("UTF-8")
    }

    fn rows(doc: &AuditDocument) -> Vec<BTreeMap<String, String>> {
        let text = written(doc);
        let mut reader = ::csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().map(|row| row.expect("as many cells as columns")).collect()
    }

    #[test]
    fn money_is_honest_what_has_no_price_is_empty_and_says_why() {
        let rows = rows(&fixture::mixed());
        assert_eq!(rows.len(), 5);
        let (volume, address) = (&rows[1], &rows[4]);
        assert_eq!(
            (volume["kind"].as_str(), volume["per_month"].as_str(), volume["size_gib"].as_str()),
            ("volume", "190.00", "2000")
        );
        assert_eq!(volume["unused_since"], "2026-10-20T08:00:00+02:00");
        assert_eq!(
            (
                address["kind"].as_str(),
                address["per_month"].as_str(),
                address["age_hours"].as_str()
            ),
            ("ip", "", "")
        );
        assert_eq!(address["price_why"], "the price list has no addresses of this place");
        assert_eq!(
            (rows[2]["of_our_stop"].as_str(), rows[1]["of_our_stop"].as_str()),
            ("yes", "no")
        );
    }

    #[test]
    fn the_columns_keep_their_names_and_order() {
        let text = written(&fixture::mixed());
        assert_eq!(
            text.lines().next(),
            Some(
                "id,provider,account,location,native_id,kind,name,size_gib,unused_since,age_hours,\
                 age_why,owner,owner_status,owner_email,of,of_our_stop,per_month,\
                 per_month_currency,price_why,known,data_as_of,run_id"
            )
        );
    }

    #[test]
    fn five_thousand_are_all_there() {
        let text = written(&fixture::littered(fixture::nothing_found(), 5_000));
        assert_eq!(text.matches("\r\n").count(), 5_001);
    }

    #[test]
    fn fl_147_no_cell_of_others_is_a_formula() {
        for text in ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "＝1"] {
            for row in rows(&fixture::with_text(text)) {
                let is_safe = |cell: &String| !cell.starts_with(['=', '+', '-', '@', '\t', '＝']);
                assert!(row.values().all(is_safe), "{row:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn fl_147_any_text_stays_in_its_cell_and_on_its_line(text in fixture::any_text()) {
            let doc = fixture::with_text(&text);
            prop_assert_eq!(written(&doc).lines().count(), doc.leftovers.len() + 1);
            prop_assert_eq!(rows(&doc).len(), doc.leftovers.len());
        }
    }
}
