//! Budgets with their bars; who spent how much; what the providers have billed.

use askama::Template;
use reaper_model::AuditDocument;
use reaper_model::document::{BudgetStatus, BudgetView};

use super::head::Fact;
use super::table::{Cell, Column, Line, Row, Table};
use super::text::Text;
use super::{Block, Section};
use crate::budget::{self, Bar, Cell as Part};
use crate::figures::{Zone, number};
use crate::{bill, spend};

/// A reader takes in no more; the JSON document holds all.
const MOST_BUDGETS: usize = 200;
const MOST_ROWS: usize = 500;
/// The usual thresholds lie on whole cells of such bars.
const CELLS: usize = 250;
/// A mark has to be seen on a phone.
const MARK_WIDTH: usize = 2;

/// All budgets.
#[derive(Template)]
#[template(path = "page/budgets.html")]
pub(super) struct Budgets {
    budgets: Vec<Card>,
}

struct Card {
    name: Text,
    standing: Text,
    mark: &'static str,
    /// The bar in words, for who cannot see it.
    alternative: Text,
    width: usize,
    pieces: Vec<Piece>,
    facts: Vec<Fact>,
}

/// A piece of a bar.
struct Piece {
    class: &'static str,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

pub(super) fn budgets(doc: &AuditDocument) -> Option<Section> {
    let budgets = budget::budgets(doc);
    let cards = budgets.iter().take(MOST_BUDGETS).map(|budget| card(doc, budget)).collect();
    let mut month = budget::month(doc);
    month.extend(crate::figures::shown(budgets.len().min(MOST_BUDGETS), budgets.len()));
    (!budgets.is_empty()).then(|| Section {
        id: "budgets",
        title: "Budgets",
        count: Some(number(budgets.len())),
        notes: vec![Text::new(month.join(" · "))],
        blocks: vec![Block::Budgets(Budgets { budgets: cards })],
    })
}

fn card(doc: &AuditDocument, budget: &BudgetView) -> Card {
    let mut spent = vec![budget::spent(budget)];
    spent.extend(budget::excess(budget));
    spent.push(budget::basis(budget).to_owned());
    let facts = [
        Fact::of("Spent", &spent),
        Fact::of("Alert", &budget::alert(doc, budget)),
        Fact::of("Forecast", &budget::forecast(budget)),
        Fact::of("Rates", &budget::rates(budget)),
        Fact::of("Mind", &budget.why),
        Fact::of("Limit", budget::on_limit(budget).map(str::to_owned).as_slice()),
    ];
    let bar = Bar::of(budget, CELLS);
    let said = format!("{}, {}", budget::standing(budget), budget::spent(budget));
    Card {
        name: Text::new(&budget.name),
        standing: Text::new(budget::standing(budget)),
        mark: mark(budget),
        alternative: Text::new(format!("{}: {said}", budget.name)),
        width: bar.runs().iter().map(|(_, cells)| cells).sum(),
        pieces: pieces(&bar),
        facts: facts.into_iter().flatten().collect(),
    }
}

fn mark(budget: &BudgetView) -> &'static str {
    match budget.status {
        BudgetStatus::Over => "bad",
        BudgetStatus::Warn | BudgetStatus::ForecastOver | BudgetStatus::Incomplete => "warn",
        BudgetStatus::Ok if budget::is_incomplete(budget) => "warn",
        BudgetStatus::Ok => "good",
    }
}

/// The filled pieces first, the marks over them.
fn pieces(bar: &Bar) -> Vec<Piece> {
    let (mut filled, mut marks, mut x) = (Vec::new(), Vec::new(), 0);
    for (part, cells) in bar.runs() {
        let mark = |class| Piece { class, x, y: 0, width: MARK_WIDTH, height: 14 };
        let piece = |class| Piece { class, x, y: 2, width: cells, height: 10 };
        match part {
            Part::Spent => filled.push(piece("spent")),
            Part::Forecast => filled.push(piece("forecast")),
            Part::Rest => filled.push(piece("rest")),
            Part::Threshold => marks.push(mark("threshold")),
            Part::Limit => marks.push(mark("limit")),
            Part::Beyond => marks.push(mark("beyond")),
        }
        x += cells;
    }
    filled.extend(marks);
    filled
}

const SPEND: [Column; 3] =
    [Column::text("Owner"), Column::number("Spent"), Column::number("Machines")];

pub(super) fn spend(doc: &AuditDocument) -> Option<Section> {
    let since = format!("Estimates since {}, dearest first", Zone::of(doc).day(doc.period.from));
    let table = Table::of("owners", &since, &SPEND, (&doc.spend, MOST_ROWS), |row| {
        // Of two currencies in one cell, none can be sorted by.
        let only = if let [only] = row.spent[..] { Some(only) } else { None };
        Row::of(vec![
            Cell::text(spend::owner(row)),
            Cell::money(spend::spent(row), only),
            Cell::number(spend::machines(row), Some(row.machines.to_string())),
        ])
        .marked(row.owner.is_none().then_some("warn"))
    });
    (!doc.spend.is_empty()).then(|| Section {
        id: "spending",
        title: "Spent by owner",
        count: Some(number(doc.spend.len())),
        notes: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}

const BILLS: [Column; 5] = [
    Column::text("Account"),
    Column::plain("Billed"),
    Column::plain("Estimated"),
    Column::plain("Difference"),
    Column::plain("Data"),
];

pub(super) fn bills(doc: &AuditDocument) -> Option<Section> {
    let caption = format!("Billed: {}", bill::MEANING);
    let table = Table::of("bills", &caption, &BILLS, (&doc.bills, MOST_ROWS), |bill| {
        let mut data = Vec::new();
        if !bill::is_read(bill) {
            data.push(Line::Badge("bad", Text::new("FAILED")));
        }
        let asides = bill::asides(bill, Zone::of(doc));
        data.extend(asides.iter().map(|part| Line::Plain(Text::new(part))));
        Row::of(vec![
            Cell::text(bill::account(bill)),
            Cell::text(bill::billed(bill)),
            Cell::text(bill::estimated(bill)),
            Cell::text(bill::difference(bill)),
            Cell::lines(data),
        ])
        .marked((!bill::is_read(bill)).then_some("bad"))
    });
    (!doc.bills.is_empty()).then(|| Section {
        id: "billing",
        title: "Bills",
        count: Some(number(doc.bills.len())),
        notes: Vec::new(),
        blocks: vec![Block::Table(table)],
    })
}
