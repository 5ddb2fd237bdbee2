//! What each EC2 state costs, and what stopping one machine would mean.

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::{
    Fact, Instance, LocalStorage, Loss, Manager, Meter, Purchase, State, StopKind, StopOffer,
};

/// One row: EC2's word, ours, and what it costs.
struct Row {
    word: &'static str,
    state: State,
    meter: Meter,
}

/// From AWS's description of `StopInstances` and of the instance lifecycle: usage is charged while
/// running and in no other state; a machine that hibernates is charged until it has stopped.
/// Volumes, elastic addresses and snapshots are charged until they are deleted.
const STATES: [Row; 6] = [
    Row { word: "pending", state: State::Pending, meter: Meter::StoppedFree },
    Row { word: "running", state: State::Running, meter: Meter::Running },
    Row { word: "stopping", state: State::Stopping, meter: Meter::StoppedFree },
    Row { word: "stopped", state: State::Stopped, meter: Meter::StoppedFree },
    Row { word: "shutting-down", state: State::Ending, meter: Meter::Ended },
    Row { word: "terminated", state: State::Ended, meter: Meter::Ended },
];

/// How long a machine may be on the way down: a stop takes minutes, and EC2 offers to force one
/// that hangs. Of a longer one, nobody says that it is free.
pub(crate) const LONGEST_STOP: TimeDelta = TimeDelta::hours(1);

/// How a machine that is in `stopping` goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descent {
    /// As usual, as far as is known.
    Plain,
    /// It saves its memory first.
    Hibernating,
    /// For longer than [`LONGEST_STOP`], since this time (UTC).
    Stuck(DateTime<Utc>),
}

/// Our words for a state. One that is not in the table counts as billed and is never acted on.
pub(crate) fn state(word: &str, descent: Descent) -> (State, Meter) {
    match (STATES.iter().find(|row| row.word == word), descent) {
        (Some(row), Descent::Hibernating) if row.state == State::Stopping => {
            (row.state, Meter::Running)
        }
        (Some(row), Descent::Stuck(_)) if row.state == State::Stopping => {
            (row.state, Meter::Unknown)
        }
        (Some(row), _) => (row.state, row.meter),
        (None, _) => (State::Unknown, Meter::Unknown),
    }
}

/// What a stop depends on.
pub(crate) struct Facts<'a> {
    /// The state in our words.
    pub(crate) state: State,
    /// How it goes down, if it does.
    pub(crate) descent: Descent,
    /// How it is paid for.
    pub(crate) purchase: &'a Purchase,
    /// Who owns its life.
    pub(crate) manager: &'a Fact<Manager>,
    /// Disks that a stop erases.
    pub(crate) local: &'a Fact<LocalStorage>,
    /// The machine boots from a local disk, so that it has no stopped state.
    pub(crate) root_is_local: bool,
    /// It has a public address that is not its own.
    pub(crate) borrowed_address: bool,
    /// Its type is so scarce that a restart may find no place.
    pub(crate) scarce: bool,
}

/// The mildest call that ends the compute bill, what it destroys and what speaks against it.
pub(crate) fn offer(facts: &Facts<'_>) -> StopOffer {
    let one_time_spot =
        matches!(facts.purchase, Purchase::Spot { persistent: Fact::Known { value: false, .. } });
    let kind = if facts.root_is_local || one_time_spot {
        StopKind::Terminate
    } else {
        StopKind::Deallocate
    };
    let mut loses = Vec::new();
    if facts.root_is_local || !matches!(facts.local, Fact::Absent { .. }) {
        loses.push(Loss::LocalDisks);
    }
    if facts.borrowed_address {
        loses.push(Loss::PublicAddress);
    }
    if facts.scarce {
        loses.push(Loss::Capacity);
    }
    StopOffer { kind, saves: !facts.purchase.prepaid(), loses, objections: objections(facts) }
}

/// The offer of a machine whose way of payment was learnt after its listing, and whether its spot
/// request is one of a group.
pub(crate) fn learnt(machine: &Instance, purchase: &Purchase, grouped: bool) -> StopOffer {
    let mut offer = machine.stop.clone();
    if let Purchase::Spot { persistent } = &machine.purchase
        && let Some(gap) = persistent.gap()
    {
        offer.objections.retain(|objection| *objection != gap.why);
    }
    if let Purchase::Spot { persistent } = purchase {
        match persistent.value() {
            Some(false) => offer.kind = StopKind::Terminate,
            Some(true) if grouped => offer.objections.push(
                "EC2 stops no machine of a spot request's group singly, and launches it again \
                 when it is terminated"
                    .to_owned(),
            ),
            Some(true) | None => {}
        }
        offer.objections.extend(persistent.gap().map(ToString::to_string));
    }
    offer
}

fn objections(facts: &Facts<'_>) -> Vec<String> {
    let mut objections = Vec::new();
    if facts.state == State::Pending {
        objections.push("EC2 refuses to stop a machine that has not run yet".to_owned());
    }
    if let (State::Stopping, Descent::Stuck(since)) = (facts.state, facts.descent) {
        objections.push(format!(
            "stuck in `stopping` since {}, may still be billed",
            since.format("%Y-%m-%d %H:%M UTC")
        ));
    }
    match facts.manager {
        Fact::Known { value: manager, .. } => {
            objections.push(format!("{manager} would replace it: {}", manager.advice));
        }
        Fact::Unknown(gap) => objections.push(gap.to_string()),
        Fact::Absent { .. } => {}
    }
    match facts.purchase {
        Purchase::Spot { persistent: Fact::Unknown(gap) } => objections.push(gap.to_string()),
        Purchase::Reserved(what) => {
            objections.push(format!("{what} is paid for whether it runs or not"));
        }
        Purchase::Other(word) => {
            objections
                .push(format!("what a stop saves is not known of the purchase option `{word}`"));
        }
        Purchase::Spot { .. } | Purchase::OnDemand | Purchase::Monthly => {}
    }
    objections
}

#[cfg(test)]
mod tests {
    use reaper_model::{Ignorance, Source};

    use super::*;

    fn stop(purchase: &Purchase, change: impl FnOnce(&mut Facts<'_>)) -> StopOffer {
        let source = Source::new("test");
        let (manager, local) = (Fact::absent(&source), Fact::absent(&source));
        let mut facts = Facts {
            state: State::Running,
            descent: Descent::Plain,
            purchase,
            manager: &manager,
            local: &local,
            root_is_local: false,
            borrowed_address: false,
            scarce: false,
        };
        change(&mut facts);
        offer(&facts)
    }

    fn spot(persistent: Option<bool>) -> Purchase {
        let persistent = match persistent {
            Some(value) => Fact::known(value, &Source::new("test"), DateTime::UNIX_EPOCH),
            None => Fact::unknown(Ignorance::NotAsked, "not read"),
        };
        Purchase::Spot { persistent }
    }

    #[test]
    fn only_a_running_machine_is_billed() {
        let billed = |word| state(word, Descent::Plain).1.may_be_billed();
        assert!(billed("running"));
        for word in ["pending", "stopping", "stopped", "shutting-down", "terminated"] {
            assert!(!billed(word), "{word}");
        }
        assert!(state("stopping", Descent::Hibernating).1.may_be_billed());
    }

    #[test]
    fn fl_041_a_machine_that_hangs_on_the_way_down_may_still_be_billed() {
        let since = DateTime::UNIX_EPOCH;
        assert_eq!(state("stopping", Descent::Stuck(since)), (State::Stopping, Meter::Unknown));
        let offer = stop(&Purchase::OnDemand, |facts| {
            (facts.state, facts.descent) = (State::Stopping, Descent::Stuck(since));
        });
        let said = "stuck in `stopping` since 1970-01-01 00:00 UTC, may still be billed";
        assert_eq!(offer.objections, [said]);
    }

    #[test]
    fn fl_086_a_state_never_heard_of_counts_as_billed() {
        assert_eq!(state("HIBERNATING_DEEP", Descent::Plain), (State::Unknown, Meter::Unknown));
        assert!(Meter::Unknown.may_be_billed());
    }

    #[test]
    fn fl_091_ghosts_cost_nothing() {
        assert_eq!(state("terminated", Descent::Plain), (State::Ended, Meter::Ended));
        assert_eq!(state("shutting-down", Descent::Plain), (State::Ending, Meter::Ended));
    }

    #[test]
    fn a_plain_machine_can_be_stopped_and_comes_back() {
        let offer = stop(&Purchase::OnDemand, |_| ());
        assert_eq!((offer.kind, offer.saves), (StopKind::Deallocate, true));
        assert!(offer.loses.is_empty() && offer.objections.is_empty());
    }

    #[test]
    fn one_time_spot_can_only_be_terminated_and_unread_spot_is_objected_to() {
        assert_eq!(stop(&spot(Some(false)), |_| ()).kind, StopKind::Terminate);
        let persistent = stop(&spot(Some(true)), |_| ());
        assert_eq!(persistent.kind, StopKind::Deallocate);
        assert!(persistent.objections.is_empty());
        assert_eq!(stop(&spot(None), |_| ()).objections, ["not read"]);
    }

    #[test]
    fn a_prepaid_machine_saves_nothing() {
        let offer = stop(&Purchase::Reserved("capacity block cr-1".to_owned()), |_| ());
        assert!(!offer.saves);
        assert_eq!(offer.objections, ["capacity block cr-1 is paid for whether it runs or not"]);
    }

    #[test]
    fn fl_040_a_pending_machine_cannot_be_stopped_yet() {
        let offer = stop(&Purchase::OnDemand, |facts| facts.state = State::Pending);
        assert_eq!(offer.objections, ["EC2 refuses to stop a machine that has not run yet"]);
    }

    #[test]
    fn local_disks_are_lost_also_when_nobody_knows_of_any() {
        let unknown = Fact::unknown(Ignorance::NotAsked, "not known");
        let source = Source::new("test");
        let (manager, purchase) = (Fact::absent(&source), Purchase::OnDemand);
        let facts = Facts {
            state: State::Running,
            descent: Descent::Plain,
            purchase: &purchase,
            manager: &manager,
            local: &unknown,
            root_is_local: false,
            borrowed_address: true,
            scarce: true,
        };
        let loses = [Loss::LocalDisks, Loss::PublicAddress, Loss::Capacity];
        assert_eq!(offer(&facts).loses, loses);
    }
}
