//! Since when and until when machines have been billed, which is what bills are made of. A machine
//! that is gone is remembered: its bill is not gone with it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Datelike, NaiveTime, TimeDelta, Utc};

/// One stretch of time for which a machine is billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) from: DateTime<Utc>,
    /// Absent while it goes on.
    pub(crate) until: Option<DateTime<Utc>>,
}

/// A machine as it was last seen, and when it was billed, in order.
#[derive(Debug)]
pub(crate) struct Used<M> {
    pub(crate) machine: M,
    runs: Vec<Run>,
}

/// All machines that a provider has ever had.
#[derive(Debug)]
pub(crate) struct Usage<M> {
    machines: BTreeMap<String, Used<M>>,
    /// Something may have changed since the last look.
    stale: bool,
}

impl<M> Default for Usage<M> {
    fn default() -> Self {
        Self { machines: BTreeMap::new(), stale: true }
    }
}

impl<M: Clone> Usage<M> {
    /// Something may have changed: the next look is a real one.
    pub(crate) fn touch(&mut self) {
        self.stale = true;
    }

    /// Whether nothing can have changed since the last look.
    pub(crate) const fn is_fresh(&self) -> bool {
        !self.stale
    }

    /// Looks at what is there and whether it is billed. What has changed changed now; of a machine
    /// that was never seen, `past` tells when it was billed before, the last stretch being open for
    /// one that is billed.
    pub(crate) fn look<'a>(
        &mut self,
        now: DateTime<Utc>,
        there: impl IntoIterator<Item = (&'a str, &'a M, bool)>,
        past: impl Fn(&M) -> Vec<Run>,
    ) where
        M: 'a,
    {
        let mut gone: BTreeSet<String> = self.machines.keys().cloned().collect();
        for (id, machine, billed) in there {
            gone.remove(id);
            let used = self.machines.entry(id.to_owned()).or_insert_with(|| {
                let mut runs = past(machine);
                // When a machine that is off was switched off, nobody knows: before all this.
                runs.retain(|run| billed || run.until.is_some());
                Used { machine: machine.clone(), runs }
            });
            used.machine = machine.clone();
            used.be(billed, now);
        }
        for id in gone {
            self.ended(&id, now);
        }
        self.stale = false;
    }

    /// The bill of a machine ended then.
    pub(crate) fn ended(&mut self, id: &str, at: DateTime<Utc>) {
        if let Some(used) = self.machines.get_mut(id) {
            used.be(false, at);
        }
    }

    /// Every machine, by id.
    pub(crate) fn machines(&self) -> impl Iterator<Item = (&str, &Used<M>)> {
        self.machines.iter().map(|(id, used)| (id.as_str(), used))
    }
}

impl<M> Used<M> {
    fn be(&mut self, billed: bool, now: DateTime<Utc>) {
        let open = self.runs.last_mut().filter(|run| run.until.is_none());
        match (open, billed) {
            (Some(run), false) => run.until = Some(now.max(run.from)),
            (None, true) => self.runs.push(Run { from: now, until: None }),
            (Some(_), true) | (None, false) => {}
        }
    }

    /// What was billed between two times, in begun steps, each stretch for itself.
    pub(crate) fn steps(&self, from: DateTime<Utc>, until: DateTime<Utc>, step: TimeDelta) -> i64 {
        let parts = self.runs.iter().map(|run| {
            let end = run.until.map_or(until, |end| end.min(until));
            (end - run.from.max(from)).num_seconds().max(0)
        });
        let step = step.num_seconds().max(1);
        parts.map(|seconds| (seconds + step - 1) / step).sum()
    }
}

/// The month (UTC) that holds this time: its first moment.
pub(crate) fn month_of(time: DateTime<Utc>) -> DateTime<Utc> {
    let day = time.date_naive();
    day.with_day(1).unwrap_or(day).and_time(NaiveTime::MIN).and_utc()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> DateTime<Utc> {
        month_of(DateTime::UNIX_EPOCH) + TimeDelta::hours(hours)
    }

    fn hours(usage: &Usage<()>, until: i64) -> Vec<(&str, i64)> {
        let step = TimeDelta::hours(1);
        usage.machines().map(|(id, used)| (id, used.steps(at(0), at(until), step))).collect()
    }

    fn since(hours: i64) -> impl Fn(&()) -> Vec<Run> {
        move |()| vec![Run { from: at(hours), until: None }]
    }

    #[test]
    fn time_counts_while_a_machine_is_billed_and_stays_counted_when_it_is_gone() {
        let mut usage = Usage::default();
        usage.look(at(5), [("a", &(), true), ("b", &(), false), ("c", &(), true)], since(-7));
        usage.look(at(10), [("a", &(), true), ("b", &(), true)], since(0));
        usage.ended("a", at(12));
        usage.look(at(20), [("a", &(), false), ("b", &(), true)], since(0));
        assert_eq!(hours(&usage, 20), [("a", 12), ("b", 10), ("c", 10)]);
        assert_eq!(hours(&usage, 8), [("a", 8), ("b", 0), ("c", 8)]);
    }

    #[test]
    fn begun_steps_count_in_full_for_every_start() {
        let mut usage = Usage::default();
        let minutes = |minutes| at(0) + TimeDelta::minutes(minutes);
        usage.look(at(0), [("a", &(), true)], since(0));
        usage.ended("a", minutes(10));
        usage.look(minutes(20), [("a", &(), true)], since(0));
        usage.ended("a", minutes(81));
        assert_eq!(hours(&usage, 5), [("a", 3)]);
    }
}
