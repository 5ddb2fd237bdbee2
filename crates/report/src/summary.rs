//! The statements about the whole run that all formats share: the headline, what could not be
//! read, and what the figures stand on. Plain text, neither cleaned nor escaped.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use reaper_model::document::{
    AuditDocument, Billing, MachineView, Mode, RateView, ScopeStatus, ScopeView, Verdict, Warning,
};
use reaper_model::{Location, PriceSource};

use crate::action::{self, Action};
use crate::coverage::Coverage;
pub(crate) use crate::coverage::is_unread;
use crate::figures::{Zone, amounts, count, time};
use crate::finding::is_finding;
use crate::utilisation;

/// The figures that everybody asks for first: what was found, before anything was done.
pub(crate) fn headline(doc: &AuditDocument) -> Vec<String> {
    let totals = &doc.totals;
    if totals.orphans == 0 {
        return nothing_found(doc);
    }
    let before = if doc.mode == Mode::Audit { "" } else { "found " };
    let mut parts = vec![format!(
        "{before}{} of {}",
        count(totals.orphans, "orphan"),
        count(totals.instances, "machine")
    )];
    parts.extend(looks_off(doc));
    match (amounts(&totals.waste_to_date), amounts(&totals.waste_per_month)) {
        (None, None) => parts.push("what they cost is not known".to_owned()),
        (so_far, per_month) => {
            let at_least = at_least(uncounted(doc) || doc.instances.iter().any(is_uncosted_orphan));
            parts.extend(so_far.map(|sum| format!("{at_least}{sum} wasted so far")));
            parts.extend(per_month.map(|sum| format!("{at_least}{sum} a month if left")));
        }
    }
    parts
}

/// Silence must be told apart from success: what was looked at, and what it costs.
fn nothing_found(doc: &AuditDocument) -> Vec<String> {
    // What looks off and is billed is something, whatever the rules say of it.
    let found = if doc.instances.iter().any(is_finding) { "no orphan" } else { "nothing found" };
    let of = if unread(doc).is_some() {
        " in what could be read"
    } else {
        match (doc.totals.unjudged, doc.totals.unmeasured) {
            (0, 0) => "",
            (1.., 0) => " among what could be judged",
            (0, 1..) => " among what could be measured",
            (1.., 1..) => " among what could be judged and measured",
        }
    };
    let mut parts = vec![format!("{found}{of}")];
    parts.extend(looks_off(doc));
    parts.extend([coverage(doc), running(doc)]);
    parts
}

/// Machines that look off and are billed, orphans or not: nobody expects that bill.
fn looks_off(doc: &AuditDocument) -> Option<String> {
    let off = doc.totals.stopped_but_billed;
    (off > 0).then(|| format!("{off} stopped but billed"))
}

/// `14 machines in 7 scopes`.
pub(crate) fn coverage(doc: &AuditDocument) -> String {
    let read =
        |scope: &&ScopeView| matches!(scope.status, ScopeStatus::Complete | ScopeStatus::Partial);
    let scopes = doc.scopes.iter().filter(read).count();
    format!("{} in {}", count(doc.totals.instances, "machine"), count(scopes, "scope"))
}

/// Money per hour of everything that is billed.
pub(crate) fn running(doc: &AuditDocument) -> String {
    match amounts(&doc.totals.hourly) {
        Some(sum) => format!("{}{sum} an hour running", at_least(uncounted(doc))),
        None if doc.totals.unpriced > 0 => "what is running costs is not known".to_owned(),
        None => "no money running".to_owned(),
    }
}

const fn at_least(lower_bound: bool) -> &'static str {
    if lower_bound { "at least " } else { "" }
}

/// Whether a price or a scope is missing from every sum.
fn uncounted(doc: &AuditDocument) -> bool {
    doc.totals.unpriced > 0 || unread(doc).is_some()
}

/// A start that is not known leaves an orphan out of the waste, even where its price is known.
fn is_uncosted_orphan(machine: &MachineView) -> bool {
    machine.verdict == Verdict::Orphan
        && machine.billing != Billing::NotBilled
        && machine.cost.as_ref().is_none_or(|cost| cost.since_start.is_none())
}

/// What is missing from the sums and verdicts, other than scopes.
pub(crate) fn caveats(doc: &AuditDocument) -> Vec<String> {
    let totals = &doc.totals;
    let mut lines = Vec::new();
    if totals.unpriced > 0 {
        lines.push(format!(
            "{} unpriced: the sums are lower bounds",
            count(totals.unpriced, "billed machine"),
        ));
    }
    if totals.unjudged > 0 {
        lines.push(format!("{} could not be judged", count(totals.unjudged, "machine")));
    }
    lines.extend(utilisation::unmeasured(doc));
    lines
}

/// `2 of 9 scopes could not be read in full`; `None` when all were.
pub(crate) fn unread(doc: &AuditDocument) -> Option<String> {
    let Coverage { wanted, unread, .. } = Coverage::of(doc);
    (unread > 0)
        .then(|| format!("{unread} of {} could not be read in full", count(wanted, "scope")))
}

/// Scopes of one account with the same fate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ScopeGroup<'a> {
    pub(crate) status: ScopeStatus,
    /// `aws/research`.
    pub(crate) account: String,
    pub(crate) locations: Vec<&'a str>,
    pub(crate) why: Option<&'a str>,
}

/// The word for a status; loud where something is missing.
pub(crate) const fn status_word(status: ScopeStatus) -> &'static str {
    match status {
        ScopeStatus::Complete => "complete",
        ScopeStatus::Partial => "PARTIAL",
        ScopeStatus::Failed => "FAILED",
        ScopeStatus::Skipped => "skipped",
    }
}

impl ScopeGroup<'_> {
    /// `aws/research: eu-west-1, eu-west-3` and why.
    pub(crate) fn parts(&self) -> Vec<String> {
        let places = if self.locations.is_empty() {
            format!("{}: no location known", self.account)
        } else {
            format!("{}: {}", self.account, self.locations.join(", "))
        };
        std::iter::once(places).chain(self.why.map(str::to_owned)).collect()
    }
}

/// All scopes, the worst first, those that share account, fate and reason in one group.
pub(crate) fn scope_groups(doc: &AuditDocument) -> Vec<ScopeGroup<'_>> {
    const WORST_FIRST: [ScopeStatus; 4] =
        [ScopeStatus::Failed, ScopeStatus::Partial, ScopeStatus::Skipped, ScopeStatus::Complete];
    let mut groups = Vec::new();
    for status in WORST_FIRST {
        let mut by_fate: BTreeMap<_, Vec<&str>> = BTreeMap::new();
        for scope in doc.scopes.iter().filter(|scope| scope.status == status) {
            let fate = (&scope.provider, &scope.account, scope.why.as_deref());
            by_fate.entry(fate).or_default().extend(scope.location.as_ref().map(Location::as_str));
        }
        groups.extend(by_fate.into_iter().map(|((provider, account, why), locations)| {
            ScopeGroup { status, account: format!("{provider}/{account}"), locations, why }
        }));
    }
    groups
}

/// What the cost figures are.
pub(crate) const COST_BASIS: &str =
    "estimates: list price × hours of the present run; disks, addresses and traffic not included";

/// Who said what things cost, when, and for how many machines.
pub(crate) fn prices(doc: &AuditDocument) -> Vec<String> {
    const BY_TRUST: [PriceSource; 3] =
        [PriceSource::Override, PriceSource::ProviderApi, PriceSource::Catalogue];
    BY_TRUST
        .into_iter()
        .filter_map(|source| {
            let said = |machine: &&MachineView| {
                machine.price.as_ref().is_some_and(|price| price.source == source)
            };
            let machines = doc.instances.iter().filter(said);
            let dates: BTreeSet<NaiveDate> = machines
                .clone()
                .filter_map(|machine| Some(machine.price.as_ref()?.as_of))
                .collect();
            let of = match (dates.first()?, dates.last()?) {
                (first, last) if first == last => format!("of {first}"),
                (first, last) => format!("of {first} to {last}"),
            };
            Some(format!("{} {of} ({})", source_word(source), count(machines.count(), "machine")))
        })
        .collect()
}

/// Who says what a machine costs.
pub(crate) const fn source_word(source: PriceSource) -> &'static str {
    match source {
        PriceSource::Override => "configuration",
        PriceSource::ProviderApi => "provider's answer",
        PriceSource::Catalogue => "built-in price list",
    }
}

/// The exchange rates in use, with their days.
pub(crate) fn rates(doc: &AuditDocument) -> Vec<String> {
    doc.rates.iter().map(rate).collect()
}

/// `1 USD = 0.92 EUR of 2026-11-28`.
pub(crate) fn rate(rate: &RateView) -> String {
    format!("1 {} = {} {} of {}", rate.from, rate.rate, rate.to, rate.as_of)
}

/// What every output of a dry run says.
pub(crate) const ONLY_A_PLAN: &str =
    "nothing was done: this is what a run with --enforce would do now";

/// When, with which configuration, and how it ended.
pub(crate) fn run(doc: &AuditDocument) -> Vec<String> {
    let config = match &doc.config.path {
        Some(path) => format!("configuration {path} ({})", short_digest(&doc.config.digest)),
        None => format!("built-in configuration ({})", short_digest(&doc.config.digest)),
    };
    let classes: Vec<&str> = doc.outcome.classes.iter().map(|class| class.name()).collect();
    let done = match doc.mode {
        Mode::Audit => "nothing was changed: an audit only reports",
        Mode::Plan => ONLY_A_PLAN,
        Mode::Run | Mode::Apply if action::actions(doc).iter().all(Action::is_untouched) => {
            "recorded; no machine was touched"
        }
        Mode::Run | Mode::Apply => "recorded, with what became of each action",
    };
    let exit = format!("exit code {}: {}", doc.outcome.exit_code, classes.join(", "));
    vec![format!("{} ({})", time(doc.now), doc.period.timezone), config, done.to_owned(), exit]
}

/// The plan in figures, with how long it may be applied. Empty without one.
pub(crate) fn plan(doc: &AuditDocument) -> Vec<String> {
    let Some(plan) = &doc.plan else { return Vec::new() };
    let zone = Zone::of(doc);
    let due = format!("{} of {} due", plan.actions, count(plan.machines, "machine"));
    let mut parts = vec![short_digest(&plan.digest).to_owned(), due];
    parts.extend(amounts(&plan.hourly).map(|sum| format!("{sum} an hour")));
    parts.push(format!("made {}", zone.day(plan.made_at)));
    parts.push(format!("expires {}", zone.day(plan.expires_at)));
    parts
}

/// When everything was last read to its end by a run that was recorded.
pub(crate) fn last_complete(doc: &AuditDocument) -> String {
    match doc.last_complete_run {
        Some(at) => format!("last complete run {}", Zone::of(doc).day(at)),
        None => "no complete run is recorded".to_owned(),
    }
}

/// How old the picture is.
pub(crate) fn as_of(doc: &AuditDocument) -> String {
    format!("data as of {}", Zone::of(doc).day(doc.now))
}

/// Which program and which run.
pub(crate) fn made_by(doc: &AuditDocument) -> String {
    format!("reaper {}, run {}", doc.version, doc.run_id)
}

/// What a warning is about, where its text does not say so itself.
pub(crate) fn subject(warning: &Warning) -> Option<String> {
    warning.subject.clone().filter(|subject| !warning.text.contains(subject.as_str()))
}

/// Enough of a digest to compare two runs by eye; the whole of it is in the JSON document.
fn short_digest(digest: &str) -> &str {
    const SHOWN: usize = "sha256:".len() + 12;
    digest.get(..SHOWN).unwrap_or(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn fl_103_an_unpriced_machine_makes_every_sum_a_lower_bound() {
        let mut doc = fixture::mixed();
        doc.scopes.retain(|scope| !is_unread(scope.status));
        doc.totals.unpriced = 1;
        let headline = headline(&doc).join(" · ");
        assert_eq!(headline.matches("at least").count(), 2, "{headline}");
        assert!(running(&doc).starts_with("at least"));
        doc.totals.unpriced = 0;
        assert!(!running(&doc).contains("at least"));
    }

    #[test]
    fn fl_149_nothing_found_says_what_was_looked_at() {
        assert_eq!(
            headline(&fixture::nothing_found()).join(" · "),
            "nothing found · 2 machines in 2 scopes · 7.00 EUR an hour running"
        );
    }

    #[test]
    fn partial_is_loud_nothing_found_is_not_said_of_what_was_not_read() {
        let mut doc = fixture::nothing_found();
        doc.scopes[1].status = ScopeStatus::Failed;
        assert_eq!(headline(&doc)[0], "nothing found in what could be read");
        assert_eq!(unread(&doc).as_deref(), Some("1 of 2 scopes could not be read in full"));
    }

    #[test]
    fn fl_097_nothing_found_is_not_said_of_what_was_not_measured() {
        let mut doc = fixture::nothing_found();
        doc.totals.unmeasured = 2;
        assert_eq!(headline(&doc)[0], "nothing found among what could be measured");
        assert_eq!(caveats(&doc), ["use not measured of 2 machines"]);
        doc.totals.unjudged = 1;
        assert_eq!(headline(&doc)[0], "nothing found among what could be judged and measured");
    }

    #[test]
    fn scopes_with_one_fate_are_named_together() {
        let doc = fixture::mixed();
        let skipped: Vec<_> = scope_groups(&doc)
            .into_iter()
            .filter(|group| group.status == ScopeStatus::Skipped)
            .flat_map(|group| group.parts())
            .collect();
        assert_eq!(skipped, ["aws/research: af-south-1, ap-east-1", "not enabled in this account"]);
    }
}
