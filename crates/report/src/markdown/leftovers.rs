//! What was left behind, and what would do for less.

use reaper_model::AuditDocument;

use super::document::{
    BYTES_FOR_ADVICE, BYTES_FOR_LEFTOVERS, Document, cell, cells, code, identity, kind, lines,
};
use crate::advice::{self, Piece};
use crate::leftover;
use crate::machine;

/// How much was left behind, and how much advice there is, for the top of the page.
pub(super) fn headline(out: &mut Document, doc: &AuditDocument) {
    let lines = [leftover::headline(doc), advice::headline(doc).map(|line| vec![line])];
    for parts in lines.into_iter().flatten() {
        out.line(&cells(&parts));
        out.blank();
    }
}

pub(super) fn write(out: &mut Document, doc: &AuditDocument) {
    if doc.leftovers.is_empty() {
        return;
    }
    let titles = ["What", "Kind", "Where", "Age", "Owner", "Of", "Per month:"];
    out.table("Left behind", &titles);
    out.rows(&doc.leftovers, BYTES_FOR_LEFTOVERS, |leftover| {
        let mut what = vec![leftover::noun(leftover.kind).to_owned()];
        what.extend(leftover::size(leftover));
        let mut month = vec![leftover::per_month(leftover)];
        month.extend(leftover.price_why.clone().filter(|_| leftover.per_month.is_none()));
        vec![
            format!("{}<br>{}", code(leftover::name(leftover)), code(&leftover.native_id)),
            lines(&what),
            cell(&leftover::place(leftover)),
            cell(&leftover::since(leftover)),
            cell(&leftover::owner(leftover)),
            cell(leftover::of(leftover).as_deref().unwrap_or(machine::MISSING)),
            lines(&month),
        ]
    });
    out.line(&cells(&[leftover::sum(doc), leftover::MEANING.to_owned()]));
    out.blank();
}

pub(super) fn write_advice(out: &mut Document, doc: &AuditDocument) {
    let pieces = advice::all(doc);
    if pieces.is_empty() {
        return;
    }
    let titles = ["Machine", "Where", "Type", "Owner", "Advice", "Confidence", "Saves a month:"];
    out.table("Advice", &titles);
    out.rows(&pieces, BYTES_FOR_ADVICE, |piece: &Piece<'_>| {
        vec![
            identity(piece.machine),
            cell(&machine::place(piece.machine)),
            kind(piece.machine),
            cell(&machine::owner(piece.machine)),
            lines(&[piece.advice.kind.name().to_owned(), piece.advice.text.clone()]),
            piece.advice.confidence.name().to_owned(),
            cell(&piece.saving()),
        ]
    });
    out.line(&cell(advice::MEANING));
    out.blank();
}
