//! The charges of the month as FOCUS 1.4 "Cost and Usage", the billing data that cost tools read.
//!
//! One row per machine and UTC day, and one more where its price or its owner changed on that day;
//! a monthly plan is one purchase for its month. CSV by RFC 4180, UTF-8, no byte order mark, dots in
//! numbers, an empty cell for null. What the file says and what it cannot say:
//!
//! - **Everything is an estimate at list price.** FOCUS demands four costs in each row; here they
//!   are the same one. Nothing of it was invoiced, although FOCUS keeps `BilledCost` for what was:
//!   `x_Basis` says `estimate` in each row and so does `ChargeDescription`. Filter on `x_Basis` where
//!   the file is put beside a provider's own export, or the same hours are counted twice.
//! - **No cost, no row.** A cost must not be null and an unknown one is not 0, so machines without a
//!   price or paid by a commitment are left out and [`LeftOut`] counts them.
//! - **Identifiers are those that we know.** `SkuId` is the machine type, `SkuPriceId` adds place and
//!   unit, `BillingAccountId` is the account that was read, which need not be the one that pays.
//!   Periods are UTC days in UTC months, also where the provider's invoices count otherwise; the
//!   month of a plan is the one that it was renewed for in the report's time zone.
//! - **No formula.** A text of others that a spreadsheet would take for one has `'` before it, and
//!   control characters are shown as everywhere (`⟨1b⟩`). `Tags` keeps all as it was, in JSON escapes.
//! - Verdict and rules are those of the run that wrote the file, for machines that are still there.

mod columns;
mod provider;
mod row;

#[cfg(test)]
mod charges;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod toolkit;

use std::collections::BTreeSet;
use std::io;

use reaper_model::{AuditDocument, Charge};
use rust_decimal::Decimal;

use crate::cell::{self, kept};
use crate::figures::{count, listed};
use columns::COLUMNS;
use row::Rows;

/// What a FOCUS file could not hold: machines of which nobody can say what they cost.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Machines without a known price.
    pub unpriced: usize,
    /// Machines that a commitment pays for, so that no list price says what they cost.
    pub committed: usize,
    /// The billed hours of both.
    pub hours: Decimal,
}

impl LeftOut {
    /// What is to be said of it; `None` when nothing is missing.
    pub fn sentence(&self) -> Option<String> {
        let kinds =
            [(self.unpriced, "without a known price"), (self.committed, "paid by a commitment")];
        let machines: Vec<String> = kinds
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, which)| format!("{} {which}", count(number, "machine")))
            .collect();
        let hours = self.hours.round_dp(1).normalize();
        (!machines.is_empty()).then(|| {
            format!(
                "not in the FOCUS file, where each row must have a cost: {} ({hours} billed hours)",
                listed(&machines)
            )
        })
    }
}

/// Writes the charges, in their order, and says what had to be left out. The document gives the
/// verdicts and what the machine types hold.
///
/// A day without billed time and without cost is no row.
///
/// # Errors
/// Whatever the writer answers, with its kind.
pub fn focus_csv(
    doc: &AuditDocument,
    charges: &[Charge],
    out: &mut impl io::Write,
) -> io::Result<LeftOut> {
    let rows = Rows::of(doc);
    let (mut unpriced, mut committed) = (BTreeSet::new(), BTreeSet::new());
    let mut left_out = LeftOut::default();
    let mut writer = cell::writer(&mut *out);
    writer.write_record(COLUMNS.iter().map(|(name, _)| name)).map_err(kept)?;
    for charge in charges {
        let Some(row) = rows.row(charge) else {
            let machines = if charge.price.is_some() { &mut committed } else { &mut unpriced };
            machines.insert(&charge.id);
            left_out.hours = left_out.hours.saturating_add(charge.hours);
            continue;
        };
        if !row.is_nothing() {
            let cells = COLUMNS.iter().map(|(_, cell)| cell(&row).written());
            writer.write_record(cells).map_err(kept)?;
        }
    }
    writer.flush()?;
    drop(writer);
    (left_out.unpriced, left_out.committed) = (unpriced.len(), committed.len());
    Ok(left_out)
}
