//! What each OVHcloud state costs, and what stopping one machine would mean. The word for a stop
//! that ends the bill is `shelve`; OVHcloud's own `stop` saves nothing.

use reaper_model::{
    Fact, LocalStorage, Loss, Manager, Meter, Purchase, State, StopKind, StopOffer,
};

/// One row: OVHcloud's word, ours, what it costs, and why it cannot be shelved now.
struct Row {
    word: &'static str,
    state: State,
    meter: Meter,
    objection: Option<&'static str>,
}

const fn row(word: &'static str, state: State, meter: Meter) -> Row {
    Row { word, state, meter, objection: None }
}

const fn busy(word: &'static str, state: State, meter: Meter, objection: &'static str) -> Row {
    Row { word, state, meter, objection: Some(objection) }
}

const REPAIR: &str = "somebody is repairing it (rescue mode)";
const RESIZING: &str = "it is being resized";
const WORKING: &str = "OVHcloud is working on it";
const GOING: &str = "it is being deleted";
const SHELVING: &str = "it is being shelved already";

/// All words of the API's schema. From OVHcloud's guide "suspend or pause an instance" (August
/// 2026): turned off (SHUTOFF), suspended and paused in the sense of Nova keep the hardware and
/// cost the full price; shelved costs the snapshot alone. From the billing page: the bill begins
/// with ACTIVE, so that building is free. Whatever is not named as free counts at the full price;
/// where nothing at all is said (ERROR may be a machine that was never built), the meter is
/// unknown, which counts as billed and is never acted on.
const STATES: [Row; 31] = [
    row("ACTIVE", State::Running, Meter::Running),
    busy("BUILD", State::Pending, Meter::StoppedFree, WORKING),
    busy("BUILDING", State::Pending, Meter::StoppedFree, WORKING),
    row("DELETED", State::Ended, Meter::Ended),
    busy("DELETING", State::Ending, Meter::Running, GOING),
    busy("ERROR", State::Failed, Meter::Unknown, "its state is ERROR"),
    busy("HARD_REBOOT", State::Restarting, Meter::Running, WORKING),
    busy("MIGRATING", State::Running, Meter::Running, WORKING),
    busy("PASSWORD", State::Running, Meter::Running, WORKING),
    row("PAUSED", State::Stopped, Meter::StoppedBilled),
    busy("REBOOT", State::Restarting, Meter::Running, WORKING),
    busy("REBUILD", State::Restarting, Meter::Running, WORKING),
    busy("RESCUE", State::Running, Meter::Running, REPAIR),
    busy("RESCUED", State::Running, Meter::Running, REPAIR),
    busy("RESCUING", State::Restarting, Meter::Running, REPAIR),
    busy("RESIZE", State::Running, Meter::Running, RESIZING),
    busy("RESIZED", State::Running, Meter::Running, RESIZING),
    busy("RESUMING", State::Restarting, Meter::Running, WORKING),
    busy("REVERT_RESIZE", State::Running, Meter::Running, RESIZING),
    row("SHELVED", State::Stopped, Meter::StoppedFree),
    row("SHELVED_OFFLOADED", State::Stopped, Meter::StoppedFree),
    busy("SHELVING", State::Stopping, Meter::Running, SHELVING),
    row("SHUTOFF", State::Stopped, Meter::StoppedBilled),
    busy("SNAPSHOTTING", State::Running, Meter::Running, WORKING),
    busy("SOFT_DELETED", State::Ending, Meter::Unknown, GOING),
    row("STOPPED", State::Stopped, Meter::StoppedBilled),
    row("SUSPENDED", State::Stopped, Meter::StoppedBilled),
    busy("UNKNOWN", State::Unknown, Meter::Unknown, "OVHcloud does not know its state"),
    busy("UNRESCUING", State::Restarting, Meter::Running, REPAIR),
    busy("UNSHELVING", State::Pending, Meter::Running, WORKING),
    busy("VERIFY_RESIZE", State::Running, Meter::Running, RESIZING),
];

fn find(word: &str) -> Option<&'static Row> {
    STATES.iter().find(|row| row.word == word)
}

/// Our words for a state. One that is not in the table counts as billed and is never acted on. A
/// month that was begun is due in full, so that shelving makes no monthly machine free (whether a
/// month that it spends shelved from end to end costs anything, OVHcloud's texts disagree); a plan
/// that is not known may be such a one.
pub(crate) fn state(word: &str, purchase: &Purchase) -> (State, Meter) {
    let Some(row) = find(word) else { return (State::Unknown, Meter::Unknown) };
    let meter = match (row.state, row.meter, purchase) {
        (State::Stopped, Meter::StoppedFree, Purchase::Monthly) => Meter::StoppedBilled,
        (State::Stopped, Meter::StoppedFree, Purchase::Other(_)) => Meter::Unknown,
        (_, meter, _) => meter,
    };
    (row.state, meter)
}

/// Shelving one machine, what it destroys and what speaks against it.
pub(crate) fn offer(
    word: &str,
    purchase: &Purchase,
    manager: &Fact<Manager>,
    local: &Fact<LocalStorage>,
) -> StopOffer {
    // A restart looks for a free GPU of the kind, and there may be none.
    let mut loses = vec![Loss::Capacity];
    if !matches!(local, Fact::Absent { .. }) {
        loses.insert(0, Loss::LocalDisks);
    }
    let mut objections = Vec::new();
    match find(word) {
        Some(Row { objection: Some(objection), .. }) => objections.push((*objection).to_owned()),
        Some(_) => {}
        None => objections.push(format!("what a stop does in state `{word}`")),
    }
    match manager {
        Fact::Known { value: manager, .. } => {
            objections.push(format!("{manager} would replace it: {}", manager.advice));
        }
        Fact::Unknown(gap) => objections.push(gap.to_string()),
        Fact::Absent { .. } => {}
    }
    match purchase {
        Purchase::Monthly => objections.push(
            "the month is due in full; delete it or leave the monthly plan before the next one"
                .to_owned(),
        ),
        Purchase::Other(plan) => objections.push(format!("what a stop saves with plan `{plan}`")),
        Purchase::OnDemand | Purchase::Spot { .. } | Purchase::Reserved(_) => {}
    }
    StopOffer { kind: StopKind::Deallocate, saves: !purchase.prepaid(), loses, objections }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use reaper_model::{Ignorance, Source};

    use super::*;

    fn meter(word: &str) -> Meter {
        state(word, &Purchase::OnDemand).1
    }

    fn nobody<T>() -> Fact<T> {
        Fact::absent(&Source::new("test"))
    }

    #[test]
    fn every_word_of_the_schema_stands_in_the_table_once() {
        let mut words: Vec<_> = STATES.iter().map(|row| row.word).collect();
        words.dedup();
        assert!(words.is_sorted());
        assert_eq!(words.len(), 31);
    }

    #[test]
    fn off_suspended_and_paused_cost_the_full_price() {
        for word in ["SHUTOFF", "STOPPED", "SUSPENDED", "PAUSED"] {
            assert_eq!(meter(word), Meter::StoppedBilled, "{word}");
        }
    }

    #[test]
    fn only_building_shelved_and_deleted_are_free() {
        let free: Vec<_> =
            STATES.iter().filter(|row| !row.meter.may_be_billed()).map(|row| row.word).collect();
        assert_eq!(free, ["BUILD", "BUILDING", "DELETED", "SHELVED", "SHELVED_OFFLOADED"]);
    }

    #[test]
    fn fl_042_on_the_way_the_bill_runs_and_nothing_is_shelved_twice() {
        for word in ["SHELVING", "UNSHELVING", "DELETING", "SOFT_DELETED"] {
            assert!(meter(word).may_be_billed(), "{word}");
            let offer = offer(word, &Purchase::OnDemand, &nobody(), &nobody());
            assert_eq!(offer.objections.len(), 1, "{word}");
        }
    }

    #[test]
    fn fl_086_a_state_never_heard_of_counts_as_billed() {
        let unknown = state("HIBERNATING_DEEP", &Purchase::OnDemand);
        assert_eq!(unknown, (State::Unknown, Meter::Unknown));
        let offer = offer("HIBERNATING_DEEP", &Purchase::OnDemand, &nobody(), &nobody());
        assert_eq!(offer.objections, ["what a stop does in state `HIBERNATING_DEEP`"]);
    }

    #[test]
    fn fl_052_a_monthly_machine_is_never_free_and_never_worth_a_stop() {
        for word in ["SHELVED_OFFLOADED", "SHUTOFF"] {
            assert_eq!(state(word, &Purchase::Monthly).1, Meter::StoppedBilled, "{word}");
        }
        let offer = offer("ACTIVE", &Purchase::Monthly, &nobody(), &nobody());
        assert!(!offer.saves);
        assert_eq!(offer.objections.len(), 1);
    }

    #[test]
    fn a_plain_machine_can_be_shelved_and_comes_back_if_there_is_room() {
        for word in ["ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED"] {
            let offer = offer(word, &Purchase::OnDemand, &nobody(), &nobody());
            assert_eq!((offer.kind, offer.saves), (StopKind::Deallocate, true));
            assert_eq!(offer.loses, [Loss::Capacity]);
            assert!(offer.objections.is_empty(), "{word}");
        }
    }

    #[test]
    fn fl_053_disks_inside_are_lost_also_when_nobody_knows_of_any() {
        let inside =
            Fact::known(LocalStorage { gb: None }, &Source::new("test"), DateTime::UNIX_EPOCH);
        for local in [inside, Fact::unknown(Ignorance::NotOffered, "?")] {
            let offer = offer("ACTIVE", &Purchase::OnDemand, &nobody(), &local);
            assert_eq!(offer.loses, [Loss::LocalDisks, Loss::Capacity]);
        }
    }

    #[test]
    fn nodes_and_machines_under_repair_are_left_alone() {
        let manager = Manager {
            kind: "mks".to_owned(),
            name: "c/p".to_owned(),
            advice: "lower desiredNodes".to_owned(),
        };
        let manager = Fact::known(manager, &Source::new("test"), DateTime::UNIX_EPOCH);
        let node = offer("ACTIVE", &Purchase::OnDemand, &manager, &nobody());
        assert_eq!(node.objections, ["mks c/p would replace it: lower desiredNodes"]);
        let unread = Fact::unknown(Ignorance::ReadFailed, "clusters were not read");
        let unread = offer("ACTIVE", &Purchase::OnDemand, &unread, &nobody());
        assert_eq!(unread.objections, ["clusters were not read"]);
        assert_eq!(offer("RESCUE", &Purchase::OnDemand, &nobody(), &nobody()).objections, [REPAIR]);
    }
}
