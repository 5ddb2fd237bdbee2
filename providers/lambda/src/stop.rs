//! What each state costs, and what a stop would mean.
//!
//! Lambda bills by the minute from the moment a machine has passed its health checks until it is
//! terminated, busy or idle (Lambda's page on billing). There is no stop and no pause; a shutdown
//! from inside ends no bill and leaves the machine `unhealthy`.

use reaper_model::{Loss, Meter, State, StopKind, StopOffer};

/// A state in our words and what it costs. Compared without regard to case.
pub(crate) fn state(status: &str) -> (State, Meter) {
    match status.to_ascii_lowercase().as_str() {
        // Billing starts when the health checks have passed (stated).
        "booting" => (State::Pending, Meter::StoppedFree),
        // Billed (stated).
        "active" => (State::Running, Meter::Running),
        // Where a machine ends that was shut down from inside: it looks off and is billed like
        // an active one (stated for the shutdown; that this is the word for it is inferred).
        "unhealthy" => (State::Failed, Meter::StoppedBilled),
        // Billing ends with the terminate call (stated).
        "terminating" => (State::Ending, Meter::Ended),
        // The same, and taken away by Lambda, when nothing is left to bill (inferred).
        "terminated" | "preempted" => (State::Ended, Meter::Ended),
        _ => (State::Unknown, Meter::Unknown),
    }
}

/// What speaks against ending one machine singly.
#[derive(Debug, Default)]
pub(crate) struct Circumstances<'a> {
    /// Part of a reservation.
    pub(crate) reserved: bool,
    /// Lambda says that it cannot be terminated now, and why.
    pub(crate) unavailable: Option<&'a str>,
}

/// The only thing that ends a bill at Lambda is to terminate, and that erases the machine's disk.
/// Consent to that is the account's `allow_terminate`, which is not an adapter's to judge.
pub(crate) fn offer(state: State, status: &str, found: &Circumstances<'_>) -> StopOffer {
    let mut objections = Vec::new();
    if found.reserved {
        objections.push("it is reserved: paid for whether it runs or not".to_owned());
    }
    if let Some(reason) = found.unavailable {
        objections.push(format!("Lambda does not let it be terminated now: {reason}"));
    }
    if state == State::Unknown {
        objections.push(format!("its state `{status}` is not known to this version"));
    }
    StopOffer {
        kind: StopKind::Terminate,
        saves: !found.reserved,
        loses: vec![Loss::LocalDisks, Loss::PublicAddress, Loss::Capacity],
        objections,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_051_there_is_no_stop_that_keeps_the_data() {
        let offer = offer(State::Running, "active", &Circumstances::default());
        assert_eq!(offer.kind, StopKind::Terminate);
        assert!(offer.loses.contains(&Loss::LocalDisks));
        assert!(offer.objections.is_empty());
    }

    #[test]
    fn fl_086_a_new_word_counts_as_billed_and_is_objected_to() {
        let (state, meter) = state("HIBERNATING_DEEP");
        assert_eq!((state, meter), (State::Unknown, Meter::Unknown));
        assert!(meter.may_be_billed());
        assert!(!offer(state, "HIBERNATING_DEEP", &Circumstances::default()).objections.is_empty());
    }

    #[test]
    fn fl_091_what_is_on_the_way_out_is_not_billed() {
        for status in ["terminating", "terminated", "preempted", "Terminated"] {
            assert_eq!(state(status).1, Meter::Ended, "{status}");
        }
    }

    #[test]
    fn looks_off_and_is_billed() {
        assert_eq!(state("unhealthy"), (State::Failed, Meter::StoppedBilled));
        assert!(!state("booting").1.may_be_billed());
    }
}
