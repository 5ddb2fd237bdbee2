//! What each Scaleway state costs, and what stopping one server would mean.

use reaper_model::{Fact, Guard, LocalStorage, Loss, Manager, Meter, State, StopKind, StopOffer};

/// One row: Scaleway's word and detail, ours, what it costs, and who says so.
struct Row {
    word: &'static str,
    /// Only with this `state_detail`; empty for any.
    detail: &'static str,
    state: State,
    meter: Meter,
}

const fn row(word: &'static str, detail: &'static str, state: State, meter: Meter) -> Row {
    Row { word, detail, state, meter }
}

/// Words and details as recorded; the first row that fits counts. Sources of the meter:
/// - Scaleway's Instances FAQ: GPU servers are billed from start-up on, standby included, so
///   `starting`, `stopping` and `stopped in place` cost what `running` costs.
/// - Scaleway's page on powering off: only a power-off, which ends in `stopped`, ends the compute
///   bill; volumes and flexible addresses stay billed. A shutdown from inside leads to standby.
/// - A reboot passes through `stopping` and `starting` with the detail `rebooting`: no stop.
/// - What a `locked` server (abuse, unpaid bill) costs, no source says.
const STATES: [Row; 9] = [
    row("running", "", State::Running, Meter::Running),
    row("starting", "rebooting", State::Restarting, Meter::Running),
    row("starting", "", State::Pending, Meter::Running),
    row("stopping", "rebooting", State::Restarting, Meter::Running),
    row("stopping", "terminating", State::Ending, Meter::Running),
    row("stopping", "", State::Stopping, Meter::Running),
    row("stopped", "", State::Stopped, Meter::StoppedFree),
    row("stopped in place", "", State::Stopped, Meter::StoppedBilled),
    row("locked", "", State::Failed, Meter::Unknown),
];

/// Our words for a state. One that is not in the table counts as billed and is never acted on.
pub(crate) fn state(word: &str, detail: &str) -> (State, Meter) {
    let fits = |row: &&Row| {
        row.word.eq_ignore_ascii_case(word)
            && (row.detail.is_empty() || row.detail.eq_ignore_ascii_case(detail))
    };
    STATES.iter().find(fits).map_or((State::Unknown, Meter::Unknown), |row| (row.state, row.meter))
}

/// What a stop depends on.
pub(crate) struct Facts<'a> {
    /// The state in our words.
    pub(crate) state: State,
    /// What it costs.
    pub(crate) meter: Meter,
    /// Who owns its life.
    pub(crate) manager: &'a Fact<Manager>,
    /// Scaleway's own protection.
    pub(crate) guards: &'a Fact<Vec<Guard>>,
    /// Disks that a power-off erases.
    pub(crate) local: &'a Fact<LocalStorage>,
    /// It has a public address that goes with it.
    pub(crate) borrowed_address: bool,
    /// It boots the rescue system.
    pub(crate) in_rescue: bool,
    /// What Scaleway says may be done now; `None` where it does not say.
    pub(crate) allowed: Option<&'a [String]>,
}

/// A power-off: the mildest call that ends the compute bill. `stop_in_place` does not end it.
pub(crate) fn offer(facts: &Facts<'_>) -> StopOffer {
    let mut loses = Vec::new();
    if !matches!(facts.local, Fact::Absent { .. }) {
        loses.push(Loss::LocalDisks);
    }
    if facts.borrowed_address {
        loses.push(Loss::PublicAddress);
    }
    // A power-off gives the node back, and GPU types are often short.
    loses.push(Loss::Capacity);
    let objections = objections(facts);
    StopOffer { kind: StopKind::Deallocate, saves: true, loses, objections }
}

/// What a controller, or not knowing of one, says against stopping its machine singly.
pub(crate) fn objection_of(manager: &Fact<Manager>) -> Option<String> {
    match manager {
        Fact::Known { value: manager, .. } => {
            Some(format!("{manager} would replace it: {}", manager.advice))
        }
        Fact::Unknown(gap) => Some(gap.to_string()),
        Fact::Absent { .. } => None,
    }
}

fn objections(facts: &Facts<'_>) -> Vec<String> {
    let mut objections = Vec::from_iter(objection_of(facts.manager));
    match facts.guards {
        Fact::Known { .. } => {
            objections.push("it is protected, and Scaleway refuses to power it off".to_owned());
        }
        Fact::Unknown(gap) => objections.push(gap.to_string()),
        Fact::Absent { .. } => {}
    }
    if facts.in_rescue {
        objections.push("it boots the rescue system: somebody is repairing it".to_owned());
    }
    match facts.state {
        State::Failed => objections.push("Scaleway has locked it".to_owned()),
        State::Pending | State::Restarting | State::Stopping | State::Ending => {
            objections.push(format!("it is {} just now", facts.state));
        }
        State::Running | State::Stopped => {
            let may =
                |action: &str| facts.allowed.is_none_or(|all| all.iter().any(|a| a == action));
            if matches!(facts.guards, Fact::Absent { .. })
                && facts.meter.may_be_billed()
                && !may("poweroff")
            {
                objections.push("Scaleway does not allow a power-off just now".to_owned());
            }
        }
        State::Ended | State::Unknown => {}
    }
    objections
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use reaper_model::{Ignorance, Source};

    use super::*;

    #[test]
    fn fl_050_standby_is_billed_and_stopped_is_not() {
        assert_eq!(state("stopped in place", ""), (State::Stopped, Meter::StoppedBilled));
        assert_eq!(state("stopped", ""), (State::Stopped, Meter::StoppedFree));
    }

    #[test]
    fn fl_042_no_state_on_the_way_down_is_free() {
        for detail in ["", "stopping", "stopping in place", "terminating", "rebooting"] {
            assert_eq!(state("stopping", detail).1, Meter::Running, "{detail}");
        }
    }

    #[test]
    fn a_reboot_is_no_stop() {
        for word in ["stopping", "starting"] {
            assert_eq!(state(word, "rebooting"), (State::Restarting, Meter::Running));
        }
        assert_eq!(state("stopping", "stopping in place").0, State::Stopping);
        assert_eq!(state("stopping", "terminating").0, State::Ending);
    }

    #[test]
    fn fl_112_starting_is_billed() {
        for detail in ["allocating node", "provisioning node", ""] {
            assert_eq!(state("starting", detail), (State::Pending, Meter::Running));
        }
    }

    #[test]
    fn fl_086_fl_090_words_fold_case_and_new_ones_count_as_billed() {
        assert_eq!(state("Stopped In Place", ""), (State::Stopped, Meter::StoppedBilled));
        assert_eq!(state("HIBERNATING_DEEP", ""), (State::Unknown, Meter::Unknown));
        // Scaleway's Go client takes an empty word for running; nobody knows what it is.
        assert_eq!(state("", ""), (State::Unknown, Meter::Unknown));
    }

    /// What a stop depends on, owned.
    struct Server {
        manager: Fact<Manager>,
        guards: Fact<Vec<Guard>>,
        local: Fact<LocalStorage>,
    }

    impl Server {
        fn plain() -> Self {
            let source = Source::new("test");
            Self {
                manager: Fact::absent(&source),
                guards: Fact::absent(&source),
                local: Fact::absent(&source),
            }
        }

        fn facts(&self) -> Facts<'_> {
            Facts {
                state: State::Running,
                meter: Meter::Running,
                manager: &self.manager,
                guards: &self.guards,
                local: &self.local,
                borrowed_address: false,
                in_rescue: false,
                allowed: None,
            }
        }
    }

    fn known<T>(value: T) -> Fact<T> {
        Fact::known(value, &Source::new("test"), DateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_plain_server_can_be_powered_off_and_comes_back() {
        let offer = offer(&Server::plain().facts());
        assert_eq!((offer.kind, offer.saves), (StopKind::Deallocate, true));
        assert_eq!(offer.loses, [Loss::Capacity]);
        assert_eq!(offer.objections, [""; 0]);
    }

    #[test]
    fn fl_053_scratch_volumes_are_lost_also_when_they_cannot_be_read() {
        let unread = Fact::unknown(Ignorance::Unusable, "volumes");
        for local in [known(LocalStorage { gb: Some(1600) }), unread] {
            let server = Server { local, ..Server::plain() };
            assert_eq!(offer(&server.facts()).loses[0], Loss::LocalDisks);
        }
    }

    #[test]
    fn protected_locked_and_rescued_servers_are_left_alone() {
        let plain = Server::plain();
        let protected = Server { guards: known(vec![Guard::Stop]), ..Server::plain() };
        for facts in [
            protected.facts(),
            Facts { state: State::Failed, ..plain.facts() },
            Facts { state: State::Restarting, ..plain.facts() },
            Facts { in_rescue: true, ..plain.facts() },
            Facts { allowed: Some(&[]), ..plain.facts() },
            Facts {
                state: State::Stopped,
                meter: Meter::StoppedBilled,
                allowed: Some(&[]),
                ..plain.facts()
            },
        ] {
            assert_eq!(offer(&facts).objections.len(), 1);
        }
    }

    #[test]
    fn a_node_of_a_pool_would_be_replaced() {
        let manager = Manager {
            kind: "kapsule".to_owned(),
            name: "c pool p".to_owned(),
            advice: "lower the size of its node pool".to_owned(),
        };
        let node = Server { manager: known(manager), ..Server::plain() };
        let objection = "kapsule c pool p would replace it: lower the size of its node pool";
        assert_eq!(offer(&node.facts()).objections, [objection]);
    }
}
