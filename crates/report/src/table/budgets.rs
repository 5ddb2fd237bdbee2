//! Budgets with their bars; who spent how much; what the providers have billed.

use anstyle::Style;
use reaper_model::AuditDocument;
use reaper_model::document::{BudgetStatus, BudgetView};

use super::machines::heading;
use crate::bill;
use crate::budget::{self, Bar};
use crate::figures::Zone;
use crate::layout::{Align, Column, Grid, Page, style};
use crate::spend;

const INDENT: usize = 2;
const LABEL_WIDTH: usize = 8;
/// A bound for sentences that quote a provider.
const MOST_LINES: usize = 4;
/// The usual thresholds lie on whole cells of such bars.
const BARS: [usize; 3] = [75, 50, 25];

/// How the budgets stand, for the top of the page.
pub(super) fn write_headline(page: &mut Page, doc: &AuditDocument) {
    let Some(headline) = budget::headline(doc) else { return };
    let mood = budget::budgets(doc).first().map_or(style::PLAIN, |worst| mood(worst));
    page.flow(0, mood, &headline, MOST_LINES);
}

pub(super) fn write(page: &mut Page, doc: &AuditDocument) {
    let budgets = budget::budgets(doc);
    if budgets.is_empty() {
        return;
    }
    page.blank();
    let mut title = vec![format!("BUDGETS ({})", budgets.len())];
    title.extend(budget::month(doc));
    page.flow(0, style::HEADING, &title, 2);
    for budget in budgets {
        write_budget(page, doc, budget);
        page.blank();
    }
    page.flow(INDENT, style::DIM, &budget::LEGEND.map(str::to_owned), 2);
}

fn write_budget(page: &mut Page, doc: &AuditDocument, budget: &BudgetView) {
    let first = [budget.name.clone(), budget::standing(budget)];
    page.flow(INDENT, mood(budget), &first, MOST_LINES);
    let room = page.width() - INDENT * 2;
    let cells = BARS.into_iter().find(|&cells| cells <= room).unwrap_or(0);
    page.text(INDENT * 2, mood(budget), &Bar::of(budget, cells).to_string(), 1);

    let mut note = |label, style, parts: &[String]| {
        page.labelled(INDENT * 2, (label, LABEL_WIDTH), style, parts, MOST_LINES);
    };
    let mut spent = vec![budget::spent(budget)];
    spent.extend(budget::excess(budget));
    spent.push(budget::basis(budget).to_owned());
    note("spent", style::PLAIN, &spent);
    let missed = budget::is_undelivered(doc, budget);
    let told = if missed { style::ALARM } else { style::PLAIN };
    note("alert", told, &budget::alert(doc, budget));
    note("forecast", style::PLAIN, &budget::forecast(budget));
    note("rates", style::PLAIN, &budget::rates(budget));
    let caution = if budget::is_incomplete(budget) { style::CAUTION } else { style::PLAIN };
    for why in &budget.why {
        note("why", caution, std::slice::from_ref(why));
    }
    note("limit", style::PLAIN, budget::on_limit(budget).map(str::to_owned).as_slice());
}

fn mood(budget: &BudgetView) -> Style {
    match budget.status {
        BudgetStatus::Over => style::ALARM,
        BudgetStatus::Warn | BudgetStatus::ForecastOver | BudgetStatus::Incomplete => {
            style::CAUTION
        }
        BudgetStatus::Ok if budget::is_incomplete(budget) => style::CAUTION,
        BudgetStatus::Ok => style::PLAIN,
    }
}

pub(super) fn write_spend(page: &mut Page, doc: &AuditDocument) {
    const COLUMNS: [Column; 3] = [
        Column { title: "OWNER", align: Align::Left, floor: Some(20) },
        Column { title: "SPENT", align: Align::Right, floor: None },
        Column { title: "MACHINES", align: Align::Left, floor: None },
    ];
    if doc.spend.is_empty() {
        return;
    }
    let since = format!("estimates since {}", Zone::of(doc).day(doc.period.from));
    heading(page, "SPENT BY OWNER", doc.spend.len(), Some(&since));
    let rows: Vec<Vec<String>> = doc
        .spend
        .iter()
        .map(|row| vec![spend::owner(row), spend::spent(row), spend::machines(row)])
        .collect();
    if let Some(grid) = Grid::fit(&COLUMNS, &rows, page.width() - INDENT) {
        page.titles(INDENT, &grid);
        for row in rows {
            page.row(INDENT, &grid, style::PLAIN, &row);
        }
    } else {
        for row in &doc.spend {
            page.text(INDENT, style::PLAIN, &spend::owner(row), 1);
            let parts = [spend::spent(row), spend::machines_in_words(row)];
            page.flow(INDENT * 2, style::DIM, &parts, MOST_LINES);
        }
    }
}

pub(super) fn write_bills(page: &mut Page, doc: &AuditDocument) {
    const COLUMNS: [Column; 4] = [
        Column { title: "ACCOUNT", align: Align::Left, floor: Some(14) },
        Column { title: "BILLED", align: Align::Right, floor: None },
        Column { title: "ESTIMATED", align: Align::Right, floor: None },
        Column { title: "DIFFERENCE", align: Align::Right, floor: None },
    ];
    if doc.bills.is_empty() {
        return;
    }
    heading(page, "BILLS", doc.bills.len(), Some(bill::MEANING));
    let rows: Vec<Vec<String>> = doc
        .bills
        .iter()
        .map(|bill| {
            vec![
                bill::account(bill),
                bill::billed(bill),
                bill::estimated(bill),
                bill::difference(bill),
            ]
        })
        .collect();
    let grid = Grid::fit(&COLUMNS, &rows, page.width() - INDENT);
    if let Some(grid) = &grid {
        page.titles(INDENT, grid);
    }
    for (bill, row) in doc.bills.iter().zip(&rows) {
        if let Some(grid) = &grid {
            page.row(INDENT, grid, style::PLAIN, row);
        } else {
            page.text(INDENT, style::PLAIN, &row[0], 1);
            let parts = [
                format!("billed {}", row[1]),
                format!("estimated {}", row[2]),
                format!("difference {}", row[3]),
            ];
            let parts = if bill::is_read(bill) { &parts[..] } else { &[] };
            page.flow(INDENT * 2, style::PLAIN, parts, MOST_LINES);
        }
        let asides = bill::asides(bill, Zone::of(doc));
        if bill::is_read(bill) {
            page.flow(INDENT * 2, style::DIM, &asides, MOST_LINES);
        } else {
            page.labelled(INDENT * 2, ("FAILED", 6), style::ALARM, &asides, MOST_LINES);
        }
    }
}
