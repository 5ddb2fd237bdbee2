//! The verdict over all rules: managed, exempt and protected beat a yes; a gap never becomes one.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use reaper_model::document::{Answer, OwnerStatus, Verdict, WantedAction};
use reaper_model::tags::fold_key;
use reaper_model::{
    AccountName, Asset, Fact, Guard, Ignorance, Instance, Meter, Span, State, StopKind, Unknown,
};

use crate::answer::{self, Clause, Waiting};
use crate::conditions::Findings;
use crate::expiry::{self, Expiry};
use crate::idle::Idleness;
use crate::own::{OwnRule, OwnRules};
use crate::owner::{Owner, Resolver};
use crate::protection::{self, Protection};
use crate::spec::{Exemption, IdleSpec, LONGEST_IDLE_WINDOW, PolicySpec, ProtectSpec, RuleSpec};
use crate::subject::{Claimed, FoldedTags, Subject, stamp};

/// A compiled policy. Judging is pure: the same machine at the same time gives the same judgement.
#[derive(Debug, Clone)]
pub struct Policy {
    rules: Vec<RuleSpec>,
    owners: Resolver,
    protect: ProtectSpec,
    exemptions: Vec<Exemption>,
    placeholders: BTreeSet<String>,
    launch_grace: Span,
    expiry_key: String,
    own: OwnRules,
}

/// How one rule judged one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleAnswer {
    /// The rule's name.
    pub rule: String,
    /// Whether it says yes.
    pub answer: Answer,
    /// The evidence, for people.
    pub explanation: String,
    /// What it asks for if it says yes: no more than its evidence carries.
    pub action: WantedAction,
    /// Stable code of the ground, such as `owner-absent`.
    pub reason: String,
    /// Since when it holds, where that is known.
    pub since: Option<DateTime<Utc>>,
}

/// The judgement of one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, for people.
    pub why: String,
    /// Whose it is.
    pub owner: Owner,
    /// What protects it.
    pub protection: Protection,
    /// Which exemption applies, by its place in the configuration.
    pub exemption: Option<usize>,
    /// Every exemption that names the machine, lapsed ones too.
    pub named_by: Vec<usize>,
    /// How each rule judged, in the order of the configuration, then the owner's own.
    pub rules: Vec<RuleAnswer>,
    /// The rules that its owner has set by tags.
    pub own: Vec<OwnRule>,
    /// The use of its accelerators as the first rule asks that does; where none does and something
    /// was measured, by the default.
    pub idleness: Option<Idleness>,
    /// The strongest action of the rules that said yes.
    pub wanted: Option<WantedAction>,
    /// Whether evidence for the verdict was asked for and could not be read.
    pub evidence_unread: bool,
    /// Odd spellings, lapsed exemptions.
    pub notes: Vec<String>,
}

impl Policy {
    /// Compiles a checked specification.
    pub fn new(spec: PolicySpec) -> Self {
        let own = OwnRules::new(&spec);
        let PolicySpec {
            rules,
            owners,
            protect,
            exemptions,
            launch_grace,
            placeholders,
            expiry_tag,
            idle_stop_tag: _,
            working_hours_tag: _,
            timezone: _,
        } = spec;
        let placeholders: BTreeSet<String> =
            placeholders.iter().map(|word| word.trim().to_lowercase()).collect();
        Self {
            rules,
            owners: Resolver::new(owners, placeholders.clone()),
            protect,
            exemptions,
            placeholders,
            launch_grace,
            expiry_key: fold_key(&expiry_tag),
            own,
        }
    }

    /// The rules, in the order of the configuration.
    pub fn rules(&self) -> &[RuleSpec] {
        &self.rules
    }

    /// The exemptions, in the order of the configuration.
    pub fn exemptions(&self) -> &[Exemption] {
        &self.exemptions
    }

    /// Whom a name means that a machine of before carried, by the domain and the directory of today.
    pub fn owner_named(&self, name: &str) -> Owner {
        self.owners.named(name, "an earlier run".to_owned())
    }

    /// Whose a thing beside machines is: by the mapping, its tags or, where there are no tags, its
    /// name.
    pub fn owner_of(&self, asset: &Asset, account: &AccountName) -> Owner {
        let tags = FoldedTags::new(&asset.tags);
        self.owners.owner(&Claimed { id: &asset.id, account, name: &asset.name, tags: &tags })
    }

    /// The keys of `owners.map`.
    pub fn mapped(&self) -> impl Iterator<Item = &str> {
        self.owners.mapped_keys()
    }

    /// The windows that measurements are asked about for these machines, by the rules and by their
    /// owners' tags; none if nothing asks.
    pub fn idle_windows<'a>(
        &self,
        instances: impl IntoIterator<Item = &'a Instance>,
        now: DateTime<Utc>,
    ) -> BTreeSet<Span> {
        let account = AccountName::new("any");
        let own = instances.into_iter().flat_map(|instance| {
            self.own.of(&Subject::new(instance, &account, now)).0.into_iter().map(|own| own.rule)
        });
        let configured = self.rules.iter().flat_map(asked_windows);
        let own: Vec<RuleSpec> = own.collect();
        let all = configured.chain(own.iter().flat_map(asked_windows));
        all.map(|window| window.min(LONGEST_IDLE_WINDOW)).collect()
    }

    /// How far back measurements are asked about for these machines: the longest of the
    /// [`idle_windows`](Self::idle_windows).
    pub fn idle_window<'a>(
        &self,
        instances: impl IntoIterator<Item = &'a Instance>,
        now: DateTime<Utc>,
    ) -> Option<Span> {
        self.idle_windows(instances, now).last().copied()
    }

    /// Judges one machine.
    pub fn judge(&self, subject: &Subject<'_>) -> Judgement {
        let owner = self.owners.owner(&subject.claimed());
        let expiry = expiry::of(subject, &self.expiry_key);
        let (protection, mut notes) = protection::of(subject, &self.protect);
        let (own, unusable) = self.own.of(subject);
        notes.extend(unusable);
        let findings =
            Findings { subject, owner: &owner, expiry: &expiry, placeholders: &self.placeholders };
        let Exempted { applies, perhaps, named_by } = self.exemption(subject, &findings);
        let mut judgement = Judgement {
            verdict: Verdict::Ok,
            why: String::new(),
            protection,
            exemption: applies,
            named_by,
            rules: Vec::new(),
            own,
            idleness: None,
            wanted: None,
            evidence_unread: false,
            notes,
            owner: owner.clone(),
        };
        if let Some(why) = not_judged(subject) {
            why.clone_into(&mut judgement.why);
            return judgement;
        }
        let mut asked =
            Asked { expiry: &expiry, perhaps_exempt: perhaps, ripe_at: None, read_failed: false };
        let own = judgement.own.iter().map(|own| (&own.rule, Some(own)));
        for (rule, own) in self.rules.iter().map(|rule| (rule, None)).chain(own) {
            let (mut answer, clauses) = self.ask(rule, &findings);
            if let Some(why) = own.and_then(|own| own.without_consent(&owner))
                && answer.answer == Answer::Yes
                && answer.action > WantedAction::Report
            {
                answer.action = WantedAction::Report;
                answer.explanation = format!("{}; only reported: {why}", answer.explanation);
            }
            let idleness = || clauses.iter().find_map(|clause| clause.idleness.clone());
            judgement.idleness = judgement.idleness.or_else(idleness);
            asked.read_failed |= answer.answer == Answer::Unknown && read_failed(&clauses);
            if let Some(time) = ripe_at(&clauses) {
                asked.ripe_at = Some(asked.ripe_at.map_or(time, |known| known.min(time)));
            }
            judgement.rules.push(answer);
        }
        if judgement.idleness.is_none() && subject.measured.is_some() {
            judgement.idleness = Some(findings.idleness(&IdleSpec::default()));
        }
        judgement.notes.extend(judgement.idleness.iter().flat_map(|found| found.notes.clone()));
        let yes = judgement.rules.iter().filter(|rule| rule.answer == Answer::Yes);
        judgement.wanted = yes.map(|rule| rule.action).max();
        if judgement.owner.status == OwnerStatus::Conflicting || !subject.instance.stop.saves {
            // Contradicting owners, and machines that cost the same either way, are put to people
            // whatever the rule asks for.
            judgement.wanted = judgement.wanted.map(|_| WantedAction::Report);
        }
        let weighed = self.weigh(subject, &judgement, &asked);
        judgement.verdict = weighed.verdict;
        judgement.why = weighed.why;
        judgement.evidence_unread = weighed.evidence_unread;
        judgement
    }

    /// The verdict of a machine whose rules have been asked.
    fn weigh(&self, subject: &Subject<'_>, judgement: &Judgement, asked: &Asked<'_>) -> Weighed {
        let having = |answer: Answer| {
            let rules: Vec<&RuleAnswer> =
                judgement.rules.iter().filter(|rule| rule.answer == answer).collect();
            rules
        };
        let (yes, open) = (having(Answer::Yes), having(Answer::Unknown));
        let grounds = join(&yes);
        if let Some(manager) = subject.instance.manager.value() {
            let why = format!("managed by {manager}: {}", manager.advice);
            return Weighed::new(Verdict::Managed, why);
        }
        if yes.is_empty() && open.is_empty() {
            return Weighed::new(Verdict::Ok, asked.calm());
        }
        if yes.is_empty() {
            let why = format!("could not judge: {}", join(&open));
            return Weighed {
                evidence_unread: asked.read_failed,
                ..Weighed::new(Verdict::Unjudged, why)
            };
        }
        if let Some(why) = undecidable(subject) {
            return Weighed::new(Verdict::Unjudged, format!("{why}; found: {grounds}"));
        }
        if let Some(exemption) = judgement.exemption.and_then(|place| self.exemptions.get(place)) {
            let Exemption { reason, until_text, owner, .. } = exemption;
            let by = owner.as_deref().map_or(String::new(), |owner| format!(" by {owner}"));
            let why = format!("exempt{by} until {until_text} ({reason}); found: {grounds}");
            return Weighed::new(Verdict::Exempt, why);
        }
        if let Some(gap) = &asked.perhaps_exempt {
            let why = format!("cannot tell whether an exemption applies ({gap}); found: {grounds}");
            return Weighed::gap(gap, why);
        }
        match &judgement.protection {
            Protection::By(what) => {
                let why = format!("protected by {what}; found: {grounds}");
                return Weighed::new(Verdict::Protected, why);
            }
            Protection::Unknown(gap) => {
                let why = format!("cannot tell whether it is protected ({gap}); found: {grounds}");
                return Weighed::gap(gap, why);
            }
            Protection::None => {}
        }
        if let Some(gap) = missing(&subject.instance.manager) {
            let why = format!("cannot tell whether a controller owns it ({gap}); found: {grounds}");
            return Weighed::gap(gap, why);
        }
        if let Some(gap) = guards_unread(subject) {
            let why =
                format!("cannot tell whether the provider protects it ({gap}); found: {grounds}");
            return Weighed::gap(gap, why);
        }
        let ends = judgement.wanted == Some(WantedAction::Terminate)
            || subject.instance.stop.kind == StopKind::Terminate;
        let guards = subject.instance.guards.value();
        if ends && guards.is_some_and(|guards| guards.contains(&Guard::Terminate)) {
            let why =
                format!("protected by termination protection at the provider; found: {grounds}");
            return Weighed::new(Verdict::Protected, why);
        }
        Weighed::new(Verdict::Orphan, grounds)
    }

    /// How one rule judges the machine, and its conditions' answers.
    fn ask(&self, rule: &RuleSpec, findings: &Findings<'_>) -> (RuleAnswer, Vec<Clause>) {
        let mut clauses = findings.clauses(&rule.when, rule.action);
        let strongest = clauses
            .iter()
            .filter(|clause| clause.answer == Answer::Yes)
            .map(|clause| clause.strongest)
            .fold(rule.action, WantedAction::min);
        if rule.when.older_than.is_none() || rule.action > WantedAction::Report {
            // The grace that every rule has; a report may come earlier, an action may not. Told
            // when it decides, no ground when it has passed.
            let grace = findings.older_than(self.launch_grace);
            if grace.answer != Answer::Yes {
                clauses.push(grace);
            }
        }
        if let Some(except) = &rule.except {
            let inside = findings.clauses(except, WantedAction::Terminate);
            let excepted = answer::all(&inside);
            // A clause that merely is not an exception is no ground to show.
            if excepted != Answer::No {
                let texts: Vec<_> = inside.iter().map(|clause| clause.text.as_str()).collect();
                let word = if excepted == Answer::Yes { "excepted" } else { "perhaps excepted" };
                let mut clause = Clause::new(!excepted, format!("{word}: {}", texts.join(", ")));
                clause.gap = inside.into_iter().find_map(|clause| clause.gap);
                clauses.push(clause);
            }
        }
        let answer = answer::all(&clauses);
        let deciding: Vec<&str> = clauses
            .iter()
            .filter(|clause| clause.answer == answer)
            .map(|clause| clause.text.as_str())
            .collect();
        let explanation = match (answer, ripe_at(&clauses)) {
            (Answer::No, Some((time, waiting))) => format!("{} {}", waiting.words(), stamp(time)),
            _ => deciding.join("; "),
        };
        let reason = clauses.iter().find_map(|clause| clause.reason.clone());
        let since = clauses.iter().filter_map(|clause| clause.since).max();
        let answer = RuleAnswer {
            rule: rule.name.clone(),
            answer,
            explanation,
            action: strongest,
            reason: reason.unwrap_or_else(|| "matched".to_owned()),
            since: since.filter(|_| answer == Answer::Yes),
        };
        (answer, clauses)
    }

    fn exemption(&self, subject: &Subject<'_>, findings: &Findings<'_>) -> Exempted {
        let mut exempted = Exempted::default();
        for (place, exemption) in self.exemptions.iter().enumerate() {
            let clauses = findings.clauses(&exemption.matches, WantedAction::Terminate);
            let answer = answer::all(&clauses);
            if answer == Answer::No {
                continue;
            }
            exempted.named_by.push(place);
            if exemption.until <= subject.now {
                continue;
            }
            if answer == Answer::Unknown {
                let gap = clauses.into_iter().find_map(|clause| clause.gap);
                exempted.perhaps = exempted.perhaps.or(gap);
            } else if exempted
                .applies
                .and_then(|known| self.exemptions.get(known))
                .is_none_or(|known| known.until < exemption.until)
            {
                exempted.applies = Some(place);
            }
        }
        exempted
    }
}

/// The windows of idleness that a rule asks about.
fn asked_windows(rule: &RuleSpec) -> impl Iterator<Item = Span> {
    let conditions = [Some(&rule.when), rule.except.as_ref()].into_iter().flatten();
    conditions.filter_map(|conditions| conditions.idle.as_ref()).map(|idle| idle.window)
}

/// Which exemptions name a machine.
#[derive(Default)]
struct Exempted {
    /// The one that applies and lasts longest.
    applies: Option<usize>,
    /// What is missing to tell whether another one applies.
    perhaps: Option<Unknown>,
    /// All that name it or may name it, lapsed ones too.
    named_by: Vec<usize>,
}

/// What came up while the rules were asked.
struct Asked<'a> {
    expiry: &'a Expiry,
    /// Why it cannot be told whether an exemption applies.
    perhaps_exempt: Option<Unknown>,
    /// When the first rule will say yes by the passing of time alone.
    ripe_at: Option<(DateTime<Utc>, Waiting)>,
    /// Whether a rule stayed open because something could not be read.
    read_failed: bool,
}

impl Asked<'_> {
    fn calm(&self) -> String {
        match (self.ripe_at, self.expiry) {
            (Some((time, waiting)), _) => format!("{} {}", waiting.words(), stamp(time)),
            (None, Expiry::Unknown(gap)) if gap.kind == Ignorance::Unusable => {
                format!("no rule matches; note: {gap}")
            }
            (None, _) => "no rule matches".to_owned(),
        }
    }
}

/// A verdict with its reason.
struct Weighed {
    verdict: Verdict,
    why: String,
    evidence_unread: bool,
}

impl Weighed {
    fn new(verdict: Verdict, why: String) -> Self {
        Self { verdict, why, evidence_unread: false }
    }

    fn gap(gap: &Unknown, why: String) -> Self {
        let evidence_unread = gap.kind == Ignorance::ReadFailed;
        Self { verdict: Verdict::Unjudged, why, evidence_unread }
    }
}

/// Machines that no rule is asked about, and why.
fn not_judged(subject: &Subject<'_>) -> Option<&'static str> {
    match (subject.instance.meter, subject.instance.state) {
        (Meter::Ended, _) | (_, State::Ended | State::Ending) => Some("ended"),
        (Meter::StoppedFree, State::Stopped | State::Stopping) => {
            Some("stopped: compute is not billed, what is attached may still be")
        }
        _ => None,
    }
}

/// States in which nothing may be concluded, and why.
fn undecidable(subject: &Subject<'_>) -> Option<String> {
    let instance = subject.instance;
    match (instance.state, instance.meter) {
        (State::Pending, _) => Some("still booting, will be judged next run".to_owned()),
        (State::Unknown, _) | (_, Meter::Unknown) => Some(format!(
            "what state {:?} costs is not known: counted as billed, never acted on",
            instance.provider_state
        )),
        _ => None,
    }
}

/// When a rule whose only noes are a matter of time will say yes.
fn ripe_at(clauses: &[Clause]) -> Option<(DateTime<Utc>, Waiting)> {
    let mut latest = None;
    for clause in clauses {
        match (clause.answer, clause.ripe_at) {
            (Answer::Yes, _) => {}
            (Answer::No, Some(time)) => latest = latest.max(Some(time)),
            (Answer::No | Answer::Unknown, _) => return None,
        }
    }
    latest
}

fn read_failed(clauses: &[Clause]) -> bool {
    let mut gaps = clauses.iter().filter_map(|clause| clause.gap.as_ref());
    gaps.any(|gap| gap.kind == Ignorance::ReadFailed)
}

/// A gap in something that the provider has.
fn missing<T>(fact: &Fact<T>) -> Option<&Unknown> {
    fact.gap().filter(|gap| gap.kind != Ignorance::NotOffered)
}

/// The provider's protection was asked for and not shown. As long as nobody asked, the question is
/// open: guards cost a call per machine and are read for candidates only.
fn guards_unread<'a>(subject: &Subject<'a>) -> Option<&'a Unknown> {
    missing(&subject.instance.guards).filter(|gap| gap.kind != Ignorance::NotAsked)
}

fn join(rules: &[&RuleAnswer]) -> String {
    let parts: Vec<_> =
        rules.iter().map(|rule| format!("{}: {}", rule.rule, rule.explanation)).collect();
    parts.join(" · ")
}
