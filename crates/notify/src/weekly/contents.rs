//! What of a document a weekly mail tells its reader, in the order in which it is told, with sums over
//! all of it.

use reaper_model::document::{
    Billing, BudgetView, ChangeView, KeptView, LeftoverView, MachineView, SpendView, StoppedView,
    Warning, WeekView,
};
use reaper_model::{Money, Totals};
use reaper_report::advice::{self, Piece};
use reaper_report::finding::{is_announced, is_finding, is_held};
use reaper_report::utilisation::is_unmeasured;

use super::reader::{Belongings, Reader};
use super::view::Weekly;

/// All that is the reader's.
#[derive(Debug)]
pub(super) struct Contents<'a> {
    /// Machines whose stop or termination is due and held back by the brake, dearest first.
    pub(super) held: Vec<&'a MachineView>,
    /// Others of which one has been announced, dearest first.
    pub(super) announced: Vec<&'a MachineView>,
    /// Other findings, dearest first.
    pub(super) forgotten: Vec<&'a MachineView>,
    /// Machines of which no rule could say anything.
    pub(super) unjudged: Vec<&'a MachineView>,
    /// Machines of which it was to be measured whether they idle, and is not known.
    pub(super) unmeasured: Vec<&'a MachineView>,
    /// What nobody uses and costs money, dearest first.
    pub(super) leftovers: Vec<&'a LeftoverView>,
    /// What would do for less, the dearest saving first.
    pub(super) advice: Vec<Piece<'a>>,
    /// All machines of the reader's, findings or not.
    pub(super) machines: Vec<&'a MachineView>,
    pub(super) stopped: Vec<&'a StoppedView>,
    pub(super) new: Vec<&'a ChangeView>,
    pub(super) gone: Vec<&'a ChangeView>,
    pub(super) kept: Vec<&'a KeptView>,
    /// Nothing of these for an owner: they tell of others.
    pub(super) budgets: &'a [BudgetView],
    pub(super) spend: &'a [SpendView],
    pub(super) trend: &'a [WeekView],
    pub(super) warnings: Vec<&'a Warning>,
}

impl<'a> Contents<'a> {
    pub(super) fn of(weekly: &Weekly<'a>) -> Self {
        let (doc, reader) = (weekly.doc, weekly.reader);
        let belongings = Belongings::of(reader, doc);
        let machines: Vec<&MachineView> =
            doc.instances.iter().filter(|machine| reader.has(machine)).collect();
        let findings = machines.iter().copied().filter(|machine| is_finding(machine));
        let (announced, forgotten): (Vec<&MachineView>, Vec<&MachineView>) =
            findings.partition(|machine| is_announced(machine));
        let (held, announced) = announced.into_iter().partition(|machine| is_held(doc, machine));
        let is_unjudged =
            |machine: &&MachineView| machine.verdict == reaper_model::document::Verdict::Unjudged;
        let unjudged = machines.iter().copied().filter(is_unjudged).collect();
        let unmeasured =
            machines.iter().copied().filter(|machine| is_unmeasured(machine)).collect();
        let report = doc.report.as_ref();
        let change = |change: &&ChangeView| belongings.have(&change.id, change.owner.as_deref());
        let everything = reader == Reader::Digest;
        Self {
            held,
            announced,
            forgotten,
            unjudged,
            unmeasured,
            leftovers: doc.leftovers.iter().filter(|left| reader.owns(&left.owner)).collect(),
            advice: advice::pieces(doc, machines.iter().copied()),
            machines,
            stopped: report
                .iter()
                .flat_map(|report| &report.stopped)
                .filter(|stopped| belongings.have(&stopped.id, stopped.owner.as_deref()))
                .collect(),
            new: report.iter().flat_map(|report| &report.new).filter(change).collect(),
            gone: report.iter().flat_map(|report| &report.gone).filter(change).collect(),
            kept: report
                .iter()
                .flat_map(|report| &report.kept)
                .filter(|kept| belongings.have(&kept.id, kept.owner.as_deref()))
                .collect(),
            budgets: if everything { &doc.budgets } else { &[] },
            spend: if everything { &doc.spend } else { &[] },
            trend: report.filter(|_| everything).map_or(&[], |report| &report.trend),
            warnings: doc
                .warnings
                .iter()
                .filter(|warning| everything || belongings.hold(warning.subject.as_deref()))
                .collect(),
        }
    }

    /// Everything that was found.
    pub(super) fn findings(&self) -> impl Iterator<Item = &'a MachineView> + use<'a, '_> {
        self.stakes().chain(self.forgotten.iter().copied())
    }

    /// Everything that is announced, held back or not.
    pub(super) fn stakes(&self) -> impl Iterator<Item = &'a MachineView> + use<'a, '_> {
        self.held.iter().chain(&self.announced).copied()
    }
}

/// Sums by currency, and whether something is missing in them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sum {
    pub(super) known: Vec<Money>,
    pub(super) at_least: bool,
}

impl Sum {
    pub(super) fn of(amounts: impl IntoIterator<Item = Option<Money>>) -> Self {
        let mut totals = Totals::default();
        let mut at_least = false;
        for amount in amounts {
            match amount {
                Some(money) => totals.add(money),
                None => at_least = true,
            }
        }
        Self { known: totals.iter().collect(), at_least }
    }

    /// `at least 2,520.00 EUR and 100.00 USD`; `None` where nothing is known.
    pub(super) fn words(&self) -> Option<String> {
        let least = if self.at_least { "at least " } else { "" };
        crate::words::amounts(self.known.iter().copied()).map(|sums| format!("{least}{sums}"))
    }
}

/// A machine that is off and keeps its disks is not free: no 0 is said of it.
fn is_billed(machine: &MachineView) -> bool {
    machine.billing != Billing::NotBilled
}

/// What stops of these machines would save in a month; where no stop was worked out, what they cost.
pub(super) fn per_month<'a>(machines: impl Iterator<Item = &'a MachineView>) -> Sum {
    Sum::of(machines.filter(|machine| is_billed(machine)).map(|machine| {
        let cost = machine.cost.as_ref().map(|cost| cost.per_month_if_left);
        machine.action.saves_per_month.or(cost)
    }))
}

/// What these machines have cost since their last start.
pub(super) fn so_far<'a>(machines: impl Iterator<Item = &'a MachineView>) -> Sum {
    let machines = machines.filter(|machine| is_billed(machine));
    Sum::of(machines.map(|machine| machine.cost.as_ref().and_then(|cost| cost.since_start)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weekly::fixture;

    #[test]
    fn fl_107_sums_stay_apart_by_currency_and_gaps_make_them_lower_bounds() {
        let doc = fixture::weekly();
        let sum = per_month(doc.instances[..3].iter());
        assert_eq!(sum.words().as_deref(), Some("4,599.00 EUR and 2,401.70 USD"));
        let sum = so_far(doc.instances.iter());
        assert!(sum.at_least && sum.words().is_some_and(|sum| sum.starts_with("at least ")));
        assert_eq!(Sum::of([None]).words(), None);
    }

    #[test]
    fn fl_135_an_owner_is_told_of_nothing_that_is_somebody_elses() {
        let doc = fixture::weekly();
        let contents = |owner| {
            let weekly = fixture::to_owner(&doc, owner);
            let contents = Contents::of(&weekly);
            let ids = contents.machines.iter().map(|machine| machine.native_id.clone());
            let rows = contents.stopped.iter().map(|stopped| stopped.id.clone());
            let rows = rows.chain(contents.new.iter().map(|change| change.id.clone()));
            let rows = rows.chain(contents.gone.iter().map(|change| change.id.clone()));
            assert!(contents.budgets.is_empty() && contents.spend.is_empty());
            assert!(contents.trend.is_empty() && contents.warnings.is_empty());
            (ids.collect::<Vec<_>>(), rows.collect::<Vec<_>>())
        };
        let alice = "alice@example.org".parse().expect("an address");
        let (machines, rows) = contents(&alice);
        assert_eq!(machines, ["i-0alice1", "0920582c7ff041399e34823a0be62549"]);
        assert_eq!(rows, ["aws/111122223333/eu-west-1/i-0alice1"]);
        let bob = "bob@example.org".parse().expect("an address");
        assert_eq!(contents(&bob).1.len(), 3, "two stops and one that is gone");
    }
}
