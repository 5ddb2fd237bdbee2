//! Budgets with their bars; who spent how much; what the providers have billed.

use reaper_model::AuditDocument;

use super::document::{
    BYTES_FOR_BILLS, BYTES_FOR_BUDGETS, BYTES_FOR_SPEND, Document, cell, cells, code, lines,
};
use crate::bill;
use crate::budget::{self, Bar};
use crate::figures::Zone;
use crate::spend;

/// Narrow enough for a cell of a table.
const CELLS: usize = 25;

/// How the budgets stand, for the top of the page.
pub(super) fn headline(out: &mut Document, doc: &AuditDocument) {
    if let Some(headline) = budget::headline(doc) {
        out.line(&cells(&headline));
        out.blank();
    }
}

pub(super) fn write(out: &mut Document, doc: &AuditDocument) {
    let budgets = budget::budgets(doc);
    if budgets.is_empty() {
        return;
    }
    out.table("Budgets", &["Budget", "Used", "Spent", "Forecast", "Alert", "Notes"]);
    out.rows(&budgets, BYTES_FOR_BUDGETS, |budget| {
        let mut spent = vec![budget::spent(budget)];
        spent.extend(budget::excess(budget));
        spent.push(budget::basis(budget).to_owned());
        let mut notes = budget.why.clone();
        notes.extend(budget::rates(budget));
        notes.extend(budget::on_limit(budget).map(str::to_owned));
        vec![
            code(&budget.name),
            format!(
                "<code>{}</code><br>{}",
                Bar::of(budget, CELLS),
                cell(&budget::standing(budget))
            ),
            lines(&spent),
            lines(&budget::forecast(budget)),
            lines(&budget::alert(doc, budget)),
            lines(&notes),
        ]
    });
    let month = budget::month(doc).into_iter();
    let legend = budget::LEGEND.map(str::to_owned);
    out.line(&cells(&month.chain(legend).collect::<Vec<_>>()));
    out.blank();
}

pub(super) fn spend(out: &mut Document, doc: &AuditDocument) {
    if doc.spend.is_empty() {
        return;
    }
    out.table("Spent by owner", &["Owner", "Spent:", "Machines"]);
    out.rows(&doc.spend, BYTES_FOR_SPEND, |row| {
        vec![cell(&spend::owner(row)), cell(&spend::spent(row)), cell(&spend::machines(row))]
    });
    let since = Zone::of(doc).day(doc.period.from);
    out.line(&cell(&format!("estimates since {since}")));
    out.blank();
}

pub(super) fn bills(out: &mut Document, doc: &AuditDocument) {
    if doc.bills.is_empty() {
        return;
    }
    out.table("Bills", &["Account", "Billed:", "Estimated:", "Difference:", "Data"]);
    out.rows(&doc.bills, BYTES_FOR_BILLS, |bill| {
        let mut data = bill::asides(bill, Zone::of(doc));
        if !bill::is_read(bill) {
            data.insert(0, "FAILED".to_owned());
        }
        vec![
            cell(&bill::account(bill)),
            cell(&bill::billed(bill)),
            cell(&bill::estimated(bill)),
            cell(&bill::difference(bill)),
            lines(&data),
        ]
    });
    out.line(&cell(bill::MEANING));
    out.blank();
}
