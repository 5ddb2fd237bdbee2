//! A run from its accounts to its document: list, record, judge, decide, tell, act, say. One path
//! for all commands: an audit or a plan is a run that may neither record, nor tell, nor act.

mod evidence;
mod found;
mod record;
mod report;
mod tell;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reaper_budget::Month;
use reaper_ledger::{Account as LedgerAccount, Claimed, Decision, Entry, Error, State};
use reaper_model::document::Mode;
use reaper_model::{AccountName, AuditDocument, Charge, Class, InstanceId, OnLimit, Plan, Step};
use reaper_notify::{Channel, Post};
use reaper_plan::{Decisions, Frame as PlanFrame, Limits, Question, decide};
use reaper_policy::Policy;
use reaper_provider::{Armed, Identity};
use tokio::sync::Mutex;

use crate::act::{Acted, Acting, Arms, Left, carry_out, leave};
use crate::assess::{Assessed, Assessment};
use crate::audit::{Found as Seen, Frame, document};
use crate::belongings::Belongings;
use crate::candidates;
use crate::clock::Clock;
use crate::collect::{self, Account, Progress, Unread};
use crate::error::{RunError, chain, refuse_without_credentials};
use crate::journal::Journal;
use crate::kept;
use crate::memory::memory;
use crate::money::books::{Hastened, announced};
use crate::observe::Observed;
use crate::orders::{Orders, Settings};
use crate::overlay::{self, Overlay};
use crate::prices::PriceBook;
use crate::sensors::Sensors;
use crate::settle::settle;
use crate::watch::Watch;

use self::found::Found;

/// Everything that a run stands on.
pub struct Runner<'a> {
    /// The accounts.
    pub accounts: &'a [Account],
    /// The settings.
    pub settings: Settings,
    /// What the run may do.
    pub orders: Orders,
    /// Delivers mail; `None` where none may be sent.
    pub post: Option<&'a dyn Post>,
    /// Channels besides mail; none where nothing may be sent.
    pub channels: &'a [Box<dyn Channel>],
    /// Who is asked what was measured.
    pub sensors: Arc<Sensors>,
    /// The clock.
    pub clock: Clock,
    /// Time limits, and the wish to end early.
    pub watch: Watch,
    /// Told how reading goes on.
    pub progress: Arc<dyn Progress>,
    /// Sees every machine with its judgement before it becomes a part of the document.
    pub look: &'a (dyn Fn(&[Assessed]) + Sync),
}

/// What a run comes to.
#[derive(Debug)]
pub struct Ran {
    /// The document. Its outcome counts no `--fail-on`: that is the command line's.
    pub document: AuditDocument,
    /// What is planned.
    pub plan: Plan,
    /// What each machine has cost on each UTC day of the month up to now, where that was wanted.
    pub charges: Vec<Charge>,
}

impl Runner<'_> {
    /// Runs to the document.
    ///
    /// # Errors
    ///
    /// See [`RunError`]. What was claimed and not given back ends with its lease.
    pub async fn run(self, journal: Journal) -> Result<Ran, RunError> {
        let mut journal = journal;
        let now = self.clock.now();
        let greeted = collect::meet(self.accounts, &self.watch, now).await;
        refuse_without_credentials(greeted.inventory().without_credentials())?;
        let known: Vec<(Account, Identity)> = greeted
            .identities()
            .map(|(account, identity)| (account.clone(), identity.clone()))
            .collect();
        self.begin(&known, &mut journal).await?;
        let state = journal.state().clone();
        let last_read =
            |scope: &reaper_model::Scope| state.listed(&scope.into()).map(|listed| listed.at);
        let mut inventory =
            collect::list(greeted, &self.watch, now, &self.progress, last_read).await;
        drop(state);
        // Before the listings: what is recorded of an action needs a machine that is remembered.
        settle(&inventory, &known, &self.watch, self.clock.now(), &mut journal).await?;
        let observed = self.record_listings(&inventory, &mut journal).await?;
        let spec = kept::with_kept(self.settings.policy.clone(), journal.state(), now);
        let policy = Arc::new(Policy::new(spec));
        let prices = Arc::new(PriceBook::new(self.settings.prices.clone(), now.date_naive()));
        let belongings = Arc::new(self.belongings(&mut inventory).await);
        let marks = (&policy, &prices, &belongings);
        let Assessment { machines, suspects } = self.assess(&mut inventory, marks, true).await;
        let rights = candidates::rights(known.iter().map(|(account, id)| (account, id)));
        let read_at = self.clock.now();
        self.record_readings(read_at, &machines, &mut journal).await?;
        let books = self.books(read_at, &inventory, &observed, &known, journal.state()).await;
        Box::pin(self.finish(
            Found {
                inventory,
                observed,
                policy,
                prices,
                belongings,
                machines,
                suspects,
                rights,
                known,
                unread: Unread::new(),
                books: Some(books),
            },
            None,
            journal,
        ))
        .await
    }

    /// Carries out a plan and nothing else: its machines are read alone, judged anew, and left alone
    /// wherever the decision of today is not the plan's.
    ///
    /// # Errors
    ///
    /// See [`RunError`].
    pub async fn apply(self, plan: Plan, journal: Journal) -> Result<Ran, RunError> {
        let mut journal = journal;
        let now = self.clock.now();
        let greeted = collect::meet(self.accounts, &self.watch, now).await;
        refuse_without_credentials(greeted.inventory().without_credentials())?;
        let refused = greeted.is_refused();
        let known: Vec<(Account, Identity)> = greeted
            .identities()
            .map(|(account, identity)| (account.clone(), identity.clone()))
            .collect();
        self.begin(&known, &mut journal).await?;
        let spec = kept::with_kept(self.settings.policy.clone(), journal.state(), now);
        let policy = Arc::new(Policy::new(spec));
        let prices = Arc::new(PriceBook::new(self.settings.prices.clone(), now.date_naive()));
        let steps: &[Step] = if refused { &[] } else { &plan.steps };
        let (mut inventory, unread) = collect::alone(greeted, steps, &self.watch, now).await;
        settle(&inventory, &known, &self.watch, self.clock.now(), &mut journal).await?;
        let belongings = Arc::new(Belongings::default());
        let marks = (&policy, &prices, &belongings);
        let Assessment { machines, suspects } = self.assess(&mut inventory, marks, false).await;
        let rights = candidates::rights(known.iter().map(|(account, id)| (account, id)));
        let observed = Observed::all_of(machines.iter().map(|machine| &machine.instance.id));
        Box::pin(self.finish(
            Found {
                inventory,
                observed,
                policy,
                prices,
                belongings,
                machines,
                suspects,
                rights,
                known,
                unread,
                // A few machines that were read alone say nothing of what everything costs.
                books: None,
            },
            Some(plan),
            journal,
        ))
        .await
    }

    /// Records that the run began and takes its accounts, all or none.
    async fn begin(
        &self,
        known: &[(Account, Identity)],
        journal: &mut Journal,
    ) -> Result<(), RunError> {
        let at = self.clock.now();
        let accounts: BTreeSet<LedgerAccount> = known
            .iter()
            .map(|(account, identity)| LedgerAccount {
                provider: account.provider.name(),
                account: identity.account.clone(),
            })
            .collect();
        if let Claimed::Held(held) = journal.claim(&accounts, at, self.settings.lease).await? {
            return Err(RunError::Locked(held));
        }
        let started = Entry::RunStarted {
            command: self.orders.command.to_owned(),
            enforces: self.orders.acts,
            config: self.settings.config.digest.clone(),
            version: self.settings.version.clone(),
        };
        Ok(journal.append(at, |_| Decision::Write(vec![started.clone()], ())).await?)
    }

    /// From what was found to the document: decide, tell, act, record the end.
    async fn finish(
        self,
        found: Found,
        given: Option<Plan>,
        mut journal: Journal,
    ) -> Result<Ran, RunError> {
        let last_complete = journal.state().runs().last_complete;
        let has_history = journal.head().is_some();
        let (first, hastened) = self.first_decisions(&found, given.as_ref(), &mut journal).await?;
        let plan = match given {
            Some(plan) => overlay::rebraked(plan, &self.settings, self.orders.expect),
            None => first.plan.clone(),
        };
        let (mails, told) = if self.orders.tells.notices && !found.refused() {
            self.tell(&found, &first, &hastened, &mut journal).await?
        } else {
            (Vec::new(), None)
        };
        let mut money = self.alert(&found, &first, last_complete, &mut journal).await?;
        let mails = mails.into_iter().chain(std::mem::take(&mut money.mails)).collect();
        let acted = if self.orders.acts && !plan.brake.holds() {
            let (acted, back) = self.act(&found, &first, &plan, journal).await;
            journal = back;
            acted
        } else {
            Vec::new()
        };
        let interrupted = self.watch.interrupt().is_raised();
        let due = self.due_report(&found, &journal);
        let mut found = found;
        self.advise(&mut found, due.is_some(), journal.state()).await;
        let Found {
            inventory,
            observed,
            policy,
            belongings,
            machines,
            suspects,
            rights,
            books,
            ..
        } = found;
        let layout = Overlay {
            orders: &self.orders,
            settings: &self.settings,
            state: journal.state(),
            observed: &observed,
            rights: &rights,
            planned: &first,
            cases: told.as_ref().unwrap_or(&first),
            plan: &plan,
            acted: &acted,
            mails,
            interrupted,
            has_history,
            last_complete,
        };
        (self.look)(&machines);
        let seen =
            Seen { inventory: &inventory, machines, belongings: &belongings, suspects: &suspects };
        let mut document = document(self.frame(journal.state()), seen, &policy);
        layout.lay_over(&mut document);
        let charges = money.lay_over(&mut document);
        let grounds = (books.as_ref(), policy.as_ref());
        self.tell_of_the_week(due, grounds, &mut document, &mut journal).await;
        let refused = !inventory.wrong_accounts.is_empty();
        self.end(&mut document, interrupted, refused, &mut journal).await;
        Ok(Ran { document, plan, charges })
    }

    /// The decisions, with the periods that a budget ends.
    async fn first_decisions(
        &self,
        found: &Found,
        given: Option<&Plan>,
        journal: &mut Journal,
    ) -> Result<(Decisions, Hastened), Error> {
        let hastened = match (&found.books, given) {
            (Some(books), _) => {
                let standings = books.stand(journal.state(), &BTreeMap::new());
                books.hastened(&standings, &found.machines)
            }
            (None, Some(plan)) => self.hastened_by_plan(plan),
            (None, None) => Hastened::default(),
        };
        let decisions = self.decide(found, &hastened, journal).await?;
        Ok((decisions, hastened))
    }

    /// The periods that a plan's budgets have ended: what is used up stays so until its month is
    /// over, as long as the budget is configured as it was.
    fn hastened_by_plan(&self, plan: &Plan) -> Hastened {
        let month = |time| Month::holding(time, self.settings.zone);
        let budgets = self.settings.budgets.iter();
        let standing: BTreeSet<String> = budgets
            .filter(|spec| spec.on_limit == OnLimit::StopOrphans)
            .filter(|_| month(plan.made_at) == month(self.clock.now()))
            .map(announced)
            .collect();
        let of = |step: &Step| {
            let ended = step.hastened_by.iter().filter(|name| standing.contains(*name));
            (step.id.clone(), ended.cloned().collect::<Vec<_>>())
        };
        let now: BTreeMap<_, _> = plan.steps.iter().map(of).collect();
        Hastened { may: now.clone(), now }
    }

    /// Asks the decisions and records what they change in the cases.
    async fn decide(
        &self,
        found: &Found,
        hastened: &Hastened,
        journal: &mut Journal,
    ) -> Result<Decisions, Error> {
        let candidates = candidates::candidates(
            &found.machines,
            self.accounts,
            &found.rights,
            &found.prices,
            &found.observed,
        );
        let frame = PlanFrame {
            version: self.settings.version.clone(),
            config: self.settings.config.digest.clone(),
            ledger: journal.head(),
            lifetime: self.settings.plan_lifetime,
        };
        // A plan brings its own brake, over its own steps; what is read for it is no fleet.
        let unbounded = Limits::unbounded(self.settings.limits.max_hourly_value.currency);
        let (limits, expect) = match self.orders.mode {
            Mode::Apply => (&unbounded, Some(self.orders.expect.unwrap_or(0))),
            _ => (&self.settings.limits, self.orders.expect),
        };
        let now = self.clock.now();
        journal
            .append(now, |state| {
                let decisions = decide(&Question {
                    now,
                    enforces: self.orders.enforces,
                    candidates: &candidates,
                    memory: &memory(state),
                    rules: found.policy.rules(),
                    exchange: &self.settings.exchange,
                    limits,
                    expect,
                    routing: &self.settings.routing,
                    frame: &frame,
                    may_hasten: &hastened.may,
                    hastened: &hastened.now,
                });
                let changes =
                    decisions.cases.iter().filter(|change| state.machine(&change.id).is_some());
                let entries = changes.map(|change| Entry::CaseChanged {
                    id: change.id.clone(),
                    rule: change.rule.clone(),
                    case: change.case.clone(),
                });
                Decision::Write(entries.collect(), decisions)
            })
            .await
    }

    async fn act(
        &self,
        found: &Found,
        decided: &Decisions,
        plan: &Plan,
        journal: Journal,
    ) -> (Vec<Acted>, Journal) {
        let arms = self.arms(found);
        let journal = Mutex::new(journal);
        let acting = Acting {
            arms: &arms,
            policy: &found.policy,
            sensors: &self.sensors,
            suspects: &found.suspects,
            clock: self.clock,
            watch: &self.watch,
            interrupt: self.watch.interrupt(),
            limits: self.settings.act,
            hook: self.settings.hook.as_ref(),
            journal: &journal,
            plan: &plan.digest,
        };
        let today: BTreeMap<&InstanceId, &Step> =
            decided.plan.steps.iter().map(|step| (&step.id, step)).collect();
        let (still, dropped): (Vec<Step>, Vec<Step>) =
            plan.steps.iter().cloned().partition(|step| {
                today
                    .get(&step.id)
                    .is_some_and(|today| today.verb == step.verb && today.rule == step.rule)
            });
        let mut acted = Vec::new();
        for step in &dropped {
            let left = match (found.unread.get(&step.id), decided.machines.get(&step.id)) {
                (Some(error), _) => Left::Unread(error),
                (None, Some(decision)) => Left::Otherwise(&decision.why),
                (None, None) => Left::Otherwise("its account did not log in"),
            };
            acted.push(leave(&acting, step, left).await);
        }
        acted.extend(carry_out(&acting, &still).await);
        (acted, journal.into_inner())
    }

    /// The accounts that may be acted in: pinned, and only in a run that acts.
    fn arms(&self, found: &Found) -> BTreeMap<AccountName, Arms> {
        let arm = |(account, identity): &(Account, Identity)| {
            let (pinned, consents) = found.rights.get(&account.name)?.as_ref().ok()?;
            let armed = Armed::new(pinned.clone(), *consents, self.orders.acts).ok()?;
            let arms = Arms { account: account.clone(), identity: identity.clone(), armed };
            Some((account.name.clone(), arms))
        };
        found.known.iter().filter_map(arm).collect()
    }

    fn frame(&self, state: &State) -> Frame {
        Frame {
            version: self.settings.version.clone(),
            run_id: self.orders.run_id.clone(),
            config: self.settings.config.clone(),
            zone: self.settings.zone,
            now: self.clock.now(),
            exchange: self.settings.exchange.clone(),
            fallback: self.settings.routing.fallback.is_some(),
            all_accounts: self.settings.all_accounts,
            warnings: self.settings.warnings.clone(),
            stopped: state.stops().iter().map(|stop| stop.id.native.clone()).collect(),
        }
    }

    /// Records the end. What has been done stays done if that fails: the report says so.
    async fn end(
        &self,
        document: &mut AuditDocument,
        interrupted: bool,
        refused: bool,
        journal: &mut Journal,
    ) {
        let at = self.clock.now();
        let classes: Vec<Class> = document.outcome.classes.clone();
        let complete = !classes.contains(&Class::Incomplete)
            // The brake holds actions, not readings.
            && !refused
            && self.settings.all_accounts
            && self.orders.mode != Mode::Apply;
        let ended = Entry::RunEnded { classes, complete, interrupted };
        let recorded = journal.append(at, |_| Decision::Write(vec![ended.clone()], ())).await;
        if let Err(error) = recorded {
            let text = format!("the end of this run could not be recorded: {}", chain(&error));
            overlay::warn(document, "state-unwritten", text);
            overlay::add_class(document, Class::Refused);
        } else if let Err(error) = journal.close(at).await {
            let text =
                format!("the log could not be tidied, which the next run does: {}", chain(&error));
            overlay::warn(document, "state-untidied", text);
        }
    }
}
