//! Everything that the budgets of a run stand on, and how they stand.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use reaper_budget::{
    AccountBill, Exchange, Look, Month, Piece, Standing, Track, Unread, bill::is_of_month, pieces,
    reconcile, scope, stand,
};
use reaper_ledger::{Meter, Place, State};
use reaper_model::document::{Answer, Verdict, WantedAction};
use reaper_model::{
    AccountName, BudgetScope, BudgetSpec, InstanceId, Listing, OnLimit, ProviderName, Rate,
    Reading, Totals, Verb,
};
use reaper_plan::{Candidate, Decisions};
use reaper_policy::RuleSpec;

use crate::assess::Assessed;
use crate::collect::{Account, Inventory, ScopeRead};
use crate::money::readings::reading;
use crate::observe::Observed;

/// What a run knows of money besides the meters.
#[derive(Debug)]
pub(crate) struct Books {
    /// The budgets.
    pub(crate) budgets: Vec<BudgetSpec>,
    /// What the providers have billed.
    pub(crate) bills: Vec<AccountBill>,
    /// What was not read to its end.
    pub(crate) unread: Vec<Unread>,
    /// The accounts of the run.
    pub(crate) accounts: Vec<(ProviderName, AccountName)>,
    /// The rates of the period.
    pub(crate) exchange: Exchange,
    /// The rates of today.
    pub(crate) today: Exchange,
    /// Whether the month was counted in another currency before.
    pub(crate) recounted: bool,
    /// The month.
    pub(crate) month: Month,
    /// The clock.
    pub(crate) now: DateTime<Utc>,
}

/// The rates that count in a month: those that it used first. One that the configuration has
/// changed without giving it another date is a slip that was put right, and counts.
pub(crate) fn rates_of(state: &State, month: &Month, today: &Exchange) -> Exchange {
    let frozen = state.rates(&period(month));
    if frozen.is_empty() {
        return today.clone();
    }
    let counts = |frozen: &Rate| {
        let now = today.rate(frozen.from).filter(|now| now.as_of == frozen.as_of);
        now.copied().unwrap_or(*frozen)
    };
    Exchange::new(today.currency(), frozen.iter().map(counts))
}

/// Whether a month was first counted in another currency than the report's of today.
pub(crate) fn recounted(state: &State, month: &Month, today: &Exchange) -> bool {
    state.rates(&period(month)).iter().any(|rate| rate.to != today.currency())
}

/// For so long after its end what a month has reached is still told.
const TOLD_LATE: TimeDelta = TimeDelta::days(10);

/// The name of a month: `2026-11`.
pub(crate) fn period(month: &Month) -> String {
    month.start.with_timezone(&month.zone).format("%Y-%m").to_string()
}

impl Books {
    /// Whether the month has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.now >= self.month.end
    }

    /// The month before, as long as what it has reached after its last run, or could not be told
    /// of, is still worth telling.
    pub(crate) fn previous(&self, state: &State) -> Option<Self> {
        let recorded = state.metered_since().is_some_and(|since| since < self.month.start);
        if !recorded || self.now - self.month.start > TOLD_LATE {
            return None;
        }
        let last = self.month.start - TimeDelta::seconds(1);
        let month = Month::holding(last, self.month.zone);
        Some(Self {
            budgets: self.budgets.clone(),
            bills: Vec::new(),
            unread: Vec::new(),
            accounts: self.accounts.clone(),
            exchange: rates_of(state, &month, &self.today),
            today: self.today.clone(),
            recounted: recounted(state, &month, &self.today),
            month,
            now: self.now,
        })
    }

    /// How every budget stands, with the stops that are proposed.
    pub(crate) fn stand(
        &self,
        state: &State,
        proposed: &BTreeMap<InstanceId, Proposed>,
    ) -> Vec<Standing> {
        let pieces = self.pieces(state);
        let stops = proposed.iter().map(|(id, proposed)| (id.clone(), proposed.at)).collect();
        let books = reaper_budget::Books {
            pieces: &pieces,
            bills: &self.bills,
            unread: &self.unread,
            accounts: &self.accounts,
            history: state.metered_since().unwrap_or(self.now),
            stops: &stops,
            exchange: &self.exchange,
            today: &self.today,
            recounted: self.recounted,
            month: self.month,
            now: self.now,
        };
        self.budgets.iter().map(|spec| stand(spec, &books)).collect()
    }

    /// What the bills of the month have more than was seen: nobody's.
    pub(crate) fn unseen(&self, pieces: &[Piece<'_>]) -> Totals {
        let bills = self.bills.iter().filter(|bill| !bill.shared);
        let bills = bills.filter_map(|bill| bill.bill.as_ref().ok());
        bills
            .filter(|bill| is_of_month(bill, self.month.start))
            .flat_map(|bill| {
                let reconciled = reconcile(bill, pieces, &self.exchange);
                reconciled.excess().collect::<Vec<_>>()
            })
            .collect()
    }

    /// The time that is known to have been billed.
    pub(crate) fn pieces<'s>(&self, state: &'s State) -> Vec<Piece<'s>> {
        let mut stopped: BTreeMap<&InstanceId, Vec<DateTime<Utc>>> = BTreeMap::new();
        for stop in state.stops() {
            // When it was called, not when somebody saw that it had worked: less is not paid for.
            stopped.entry(&stop.id).or_default().push(stop.called);
        }
        let of = |(id, meter)| {
            let stopped = stopped.get(id).cloned().unwrap_or_default();
            pieces(&track(id, meter, stopped), self.now)
        };
        state.meters().flat_map(of).collect()
    }

    /// Machines whose notice periods may end early, because they count in a budget that says so;
    /// and of them those whose budget is used up. Only by what was seen to be billed, with nothing
    /// missing: a bill is hours to days old, and a lower bound proves nothing of the rest.
    pub(crate) fn hastened(&self, standings: &[Standing], machines: &[Assessed]) -> Hastened {
        let mut hastened = Hastened::default();
        let here: BTreeMap<&InstanceId, Reading> = machines
            .iter()
            .filter(|machine| machine.judgement.verdict == Verdict::Orphan)
            .map(|machine| (&machine.instance.id, reading(machine)))
            .collect();
        for (spec, standing) in self.budgets.iter().zip(standings) {
            if spec.on_limit != OnLimit::StopOrphans {
                continue;
            }
            let used_up = standing.estimated.amount >= spec.limit.amount && !standing.at_least();
            let name = announced(spec);
            for (id, reading) in &here {
                if scope::counts(&spec.scope, &id.provider, reading) {
                    hastened.may.entry((*id).clone()).or_default().push(name.clone());
                    if used_up {
                        hastened.now.entry((*id).clone()).or_default().push(name.clone());
                    }
                }
            }
        }
        hastened
    }
}

/// Whose notice periods a budget ends.
#[derive(Debug, Default)]
pub(crate) struct Hastened {
    /// Once it is used up, with the names of the budgets.
    pub(crate) may: BTreeMap<InstanceId, Vec<String>>,
    /// It is, with the names of those that are.
    pub(crate) now: BTreeMap<InstanceId, Vec<String>>,
}

/// How a notice names a budget that may end its period: with its limit and its scope, so that no
/// other budget, no lower limit and no wider scope can do it.
pub(crate) fn announced(spec: &BudgetSpec) -> String {
    let BudgetSpec { name, limit, scope, .. } = spec;
    if *scope == BudgetScope::default() {
        format!("{name} ({limit} a month)")
    } else {
        format!("{name} ({limit} a month, {scope})")
    }
}

fn track<'s>(id: &'s InstanceId, meter: &'s Meter, stopped: Vec<DateTime<Utc>>) -> Track<'s> {
    let looks = meter.readings.iter().map(|metered| Look {
        at: metered.at,
        confirmed: metered.confirmed,
        absent: metered.absent,
        reading: &metered.reading,
    });
    Track {
        id,
        looks: looks.collect(),
        seen: meter.seen,
        cut: meter.cut,
        gone: meter.absent,
        stopped,
    }
}

/// What was not read to its end, in words; and accounts that were not asked at all.
pub(crate) fn unread(
    inventory: &Inventory,
    observed: &Observed,
    configured: &[(ProviderName, AccountName)],
    asked: &[Account],
) -> Vec<Unread> {
    let left_out = configured
        .iter()
        .filter(|(_, name)| asked.iter().all(|account| account.name != *name))
        .map(|(provider, name)| Unread {
            provider: provider.clone(),
            account: name.clone(),
            what: format!("{name} ({provider}): not asked in this run"),
        });
    let failures = inventory.failures.iter().map(|failure| Unread {
        provider: failure.provider.clone(),
        account: failure.account.clone(),
        what: format!("{} ({}): {}", failure.account, failure.provider, failure.error),
    });
    let wrong = inventory.wrong_accounts.iter().map(|wrong| Unread {
        provider: wrong.provider.clone(),
        account: wrong.account.clone(),
        what: format!("{} ({}): the pin names another account", wrong.account, wrong.provider),
    });
    let scopes = inventory.scopes.iter().filter_map(|read| {
        let scope = &read.scope;
        let why = match &read.listing {
            Listing::Complete(_) if fallen(observed, read) => {
                "lost most of its machines at once, which is not believed".to_owned()
            }
            Listing::Complete(_) => return None,
            Listing::Partial { error, .. } => format!("read in part: {error}"),
            Listing::Failed(error) => format!("not read: {error}"),
        };
        Some(Unread {
            provider: scope.provider.clone(),
            account: scope.account.clone(),
            what: format!("{} ({}) {} {why}", scope.account, scope.provider, scope.location),
        })
    });
    left_out.chain(failures).chain(wrong).chain(scopes).collect()
}

fn fallen(observed: &Observed, read: &ScopeRead) -> bool {
    let place = Place::from(&read.scope);
    observed.fallen.iter().any(|fallen| {
        fallen.place == place || (read.covers_all && fallen.place.account() == place.account())
    })
}

/// An action that is proposed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proposed {
    /// When it will be done if all goes on like this.
    pub(crate) at: DateTime<Utc>,
    /// What.
    pub(crate) verb: Verb,
    /// The end of the notice period, where it runs.
    pub(crate) due: Option<DateTime<Utc>>,
}

/// What will be done if all goes as it is proposed: at the announced time, or after the notice
/// period of a notice that would go out now.
pub(crate) fn proposed(
    decisions: &Decisions,
    candidates: &[Candidate<'_>],
    rules: &[RuleSpec],
    now: DateTime<Utc>,
) -> BTreeMap<InstanceId, Proposed> {
    let of = |candidate: &Candidate<'_>| {
        let judgement = candidate.judgement;
        if judgement.verdict != Verdict::Orphan {
            return None;
        }
        let verb = candidate.ways.of(judgement.wanted?)?.as_ref().ok()?.verb;
        let id = &candidate.instance.id;
        let decision = decisions.machines.get(id)?;
        let due = decision.case.as_ref().and_then(|case| case.due_at);
        let notice = || {
            let asked = judgement.rules.iter().filter_map(|answer| {
                // What the evidence has capped to a report announces nothing.
                let acts = answer.answer == Answer::Yes && answer.action > WantedAction::Report;
                rules.iter().find(|rule| acts && rule.name == answer.rule)
            });
            asked.map(|rule| rule.notice).min()
        };
        let at = due.or_else(|| now.checked_add_signed(notice()?.delta()))?.max(now);
        Some((id.clone(), Proposed { at, verb, due }))
    };
    candidates.iter().filter_map(of).collect()
}
