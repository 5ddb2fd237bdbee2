//! Whether a commit can follow, found out without touching the state: on a copy of that small part
//! of it which the commit's entries can depend on. A commit is folded whole or not at all, and ten
//! thousand machines are not copied to record one notice.

use reaper_model::InstanceId;

use crate::commit::Commit;
use crate::entry::{AlertKey, Entry, ReportKey, StopKey};
use crate::fold::Contradiction;
use crate::state::State;

impl State {
    /// What [`State::fold`] would answer.
    pub fn check(&self, commit: &Commit) -> Result<(), Contradiction> {
        self.part(&commit.entries).fold(commit)
    }

    fn part(&self, entries: &[Entry]) -> Self {
        let leases = self.leases.clone();
        let mut part = Self { leases, pruned: self.pruned, ..Self::default() };
        for entry in entries {
            match entry {
                Entry::Seen { place, appeared, absent, .. } => {
                    for native in appeared.iter().chain(absent) {
                        part.take_machine(self, &place.machine(native.as_str()));
                    }
                }
                Entry::NotFound { id }
                | Entry::CaseChanged { id, .. }
                | Entry::Action { id, .. } => part.take_machine(self, id),
                Entry::Metered { id, .. } => part.take_meter(self, id),
                Entry::RatesFrozen { period, .. } => part.take_rates(self, period),
                Entry::Notice { key, .. } => part.take_notice(self, key),
                Entry::Alert { key, .. } => part.take_alert(self, key),
                Entry::Report { key, .. } => part.take_report(self, key),
                Entry::StopTold { key, .. } => part.take_stop_told(self, key),
                Entry::RunStarted { .. }
                | Entry::RunEnded { .. }
                | Entry::MetersRead { .. }
                | Entry::ReportMade { .. }
                | Entry::Rearmed { .. }
                | Entry::Exempted { .. }
                | Entry::ExemptionEnded { .. }
                | Entry::Claimed { .. }
                | Entry::Released { .. }
                | Entry::Pruned { .. } => {}
            }
        }
        part
    }

    fn take_machine(&mut self, from: &Self, id: &InstanceId) {
        if let Some(machine) = from.machines.get(id) {
            self.machines.insert(id.clone(), machine.clone());
        }
    }

    /// With the machine: a meter is remembered for as long as listings show that.
    fn take_meter(&mut self, from: &Self, id: &InstanceId) {
        self.take_machine(from, id);
        if let Some(meter) = from.meters.get(id) {
            self.meters.insert(id.clone(), meter.tip());
        }
    }

    fn take_rates(&mut self, from: &Self, period: &str) {
        if let Some(frozen) = from.rates.get(period) {
            self.rates.insert(period.to_owned(), frozen.clone());
        }
    }

    /// With the machines that it tells of: a notice is remembered for as long as they are.
    fn take_notice(&mut self, from: &Self, key: &str) {
        if let Some(notice) = from.notices.get(key) {
            for about in &notice.intent.about {
                self.take_machine(from, &about.id);
            }
            self.notices.insert(key.to_owned(), notice.clone());
        }
    }

    fn take_report(&mut self, from: &Self, key: &ReportKey) {
        if let Some(report) = from.reports.get(key) {
            self.reports.insert(key.clone(), report.clone());
        }
    }

    fn take_stop_told(&mut self, from: &Self, key: &StopKey) {
        if let Some(told) = from.stops_told.get(key) {
            self.stops_told.insert(key.clone(), told.clone());
        }
    }

    fn take_alert(&mut self, from: &Self, key: &AlertKey) {
        if let Some(alert) = from.alerts.get(key) {
            self.alerts.insert(key.clone(), alert.clone());
        }
    }
}
