//! What a run has to say of money, and how it gets into the document.

use chrono::{DateTime, Utc};
use reaper_budget::{Standing, by_owner, charges};
use reaper_ledger::State;
use reaper_model::document::{AlertStatus, BillView, BudgetView, MailView, SpendView, Warning};
use reaper_model::{AuditDocument, Charge, Money};
use rust_decimal::Decimal;

use crate::money::alerts::Sent;
use crate::money::books::Books;
use crate::money::view::{self, Alerted};

/// A bill that differs by more than this, in percent, is pointed out.
const STRIKING: i64 = 10;

/// Budgets, spending, bills.
#[derive(Debug, Default)]
pub(crate) struct Accounts {
    pub(crate) budgets: Vec<BudgetView>,
    pub(crate) spend: Vec<SpendView>,
    pub(crate) bills: Vec<BillView>,
    pub(crate) mails: Vec<MailView>,
    charges: Vec<Charge>,
    warnings: Vec<Warning>,
}

impl Accounts {
    /// As they stand, nobody alerted of anything.
    pub(crate) fn of(books: &Books, standings: &[Standing], state: &State, charged: bool) -> Self {
        let silent = Alerted { new: Vec::new(), status: AlertStatus::None };
        let pieces = books.pieces(state);
        let (month, now) = (&books.month, books.now);
        let history = state.metered_since().unwrap_or(now);
        let bill = |bill| view::bill(bill, &pieces, history, books);
        let bills: Vec<BillView> = books.bills.iter().map(bill).collect();
        let mut warnings: Vec<Warning> = bills
            .iter()
            .zip(&books.bills)
            .filter(|(bill, account)| !account.shared && compares(bill, history))
            .filter_map(|(bill, _)| striking(bill))
            .collect();
        warnings.extend(clock_ahead(state, now));
        Self {
            budgets: views(books, standings, std::iter::repeat(&silent)),
            spend: by_owner(&pieces, month, now, &books.exchange, &books.unseen(&pieces))
                .into_iter()
                .map(view::spend)
                .collect(),
            warnings,
            bills,
            mails: Vec::new(),
            charges: if charged {
                charges(&pieces, month.start, now, month.zone)
            } else {
                Vec::new()
            },
        }
    }

    /// With the alerts that were sent, or would be, of the month before and of this one.
    pub(crate) fn add(&mut self, books: &Books, standings: &[Standing], [late, sent]: [Sent; 2]) {
        self.budgets = views(books, standings, &sent.budgets);
        for sent in [late, sent] {
            self.mails.extend(sent.mails);
            self.warnings.extend(sent.warnings);
        }
    }

    /// Puts all of it into the document and hands the charges on.
    pub(crate) fn lay_over(self, document: &mut AuditDocument) -> Vec<Charge> {
        document.budgets = self.budgets;
        document.spend = self.spend;
        document.bills = self.bills;
        document.warnings.extend(self.warnings);
        document.warnings.sort();
        self.charges
    }
}

fn views<'a>(
    books: &Books,
    standings: &[Standing],
    alerted: impl IntoIterator<Item = &'a Alerted>,
) -> Vec<BudgetView> {
    let budgets = books.budgets.iter().zip(standings).zip(alerted);
    budgets
        .map(|((spec, standing), alerted)| view::budget(books, spec, standing, alerted))
        .collect()
}

/// A runner whose clock is ahead has read machines in what is the future here.
fn clock_ahead(state: &State, now: DateTime<Utc>) -> Option<Warning> {
    let count = state.meters_ahead(now);
    (count > 0).then(|| Warning {
        code: "clock-ahead".to_owned(),
        text: format!(
            "machines that another run has read in the future: {count}; set the clocks right, until \
             then what changes on them is not seen"
        ),
        subject: None,
    })
}

/// Whether everything that a bill can hold was looked at, so that a difference means something.
fn compares(bill: &BillView, history: DateTime<Utc>) -> bool {
    let one = |money: &Money| money.amount.abs() >= Decimal::ONE;
    bill.from.is_some_and(|from| history <= from.to_utc()) && bill.difference.iter().any(one)
}

/// A price list is out of date, or machines are billed that nobody saw.
fn striking(bill: &BillView) -> Option<Warning> {
    let percent: Decimal = bill.difference_percent.as_ref()?.parse().ok()?;
    (percent.abs() > STRIKING.into()).then(|| Warning {
        code: "bill-differs".to_owned(),
        text: format!(
            "{} ({}): the bill differs by {percent} % from what was estimated for the same time: a \
             price is out of date, or machines were billed that no run has seen",
            bill.account, bill.provider
        ),
        subject: Some(bill.account.to_string()),
    })
}
