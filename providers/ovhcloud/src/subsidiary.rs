//! Subsidiaries of OVHcloud: each has a price book, in one currency.

use reaper_model::Currency;

/// The currencies, and whose books are in them.
const BOOKS: [(&str, &[&str]); 8] = [
    ("AUD", &["AU"]),
    ("CAD", &["CA", "QC"]),
    ("CZK", &["CZ"]),
    ("EUR", &["DE", "ES", "FI", "FR", "IE", "IT", "LT", "NL", "PT"]),
    ("GBP", &["GB"]),
    ("PLN", &["PL"]),
    ("SGD", &["SG"]),
    ("USD", &["US"]),
];

/// What a subsidiary's prices are in; of those that are not listed, the book itself must tell.
pub(crate) fn currency(subsidiary: &str) -> Option<Currency> {
    let (code, _) = BOOKS.iter().find(|(_, subsidiaries)| subsidiaries.contains(&subsidiary))?;
    code.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::book::Book;

    #[test]
    fn every_code_is_a_currency_and_no_subsidiary_has_two() {
        let mut seen = BTreeSet::new();
        for (code, subsidiaries) in BOOKS {
            for subsidiary in subsidiaries {
                let told = currency(subsidiary).map(|currency| currency.to_string());
                assert_eq!(told.as_deref(), Some(code), "{subsidiary}");
                assert!(seen.insert(subsidiary), "{subsidiary} twice");
            }
        }
        assert_eq!(currency("WE"), None);
    }

    #[test]
    fn fl_107_the_books_themselves_say_the_same() {
        for (subsidiary, book) in [
            ("FR", include_str!("../fixtures/catalogue_FR.json")),
            ("US", include_str!("../fixtures/catalogue_US.json")),
        ] {
            let book: Book = serde_json::from_str(book).expect("a catalogue");
            assert_eq!(currency(subsidiary), Some(book.currency()), "{subsidiary}");
        }
    }
}
