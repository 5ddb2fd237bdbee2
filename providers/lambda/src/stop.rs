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
        // Billing ends when a machine is terminated (stated); whether the way there is free, no
        // source says, and some never get there.
        "terminating" => (State::Ending, Meter::Running),
        // Terminated (stated), or taken away by Lambda, when nothing is left to bill (inferred).
        "terminated" | "preempted" => (State::Ended, Meter::Ended),
        _ => (State::Unknown, Meter::Unknown),
    }
}

/// What speaks against ending one machine singly.
#[derive(Debug)]
pub(crate) struct Circumstances {
    /// Part of a reservation; `None` if that cannot be read.
    pub(crate) reserved: Option<bool>,
    /// What Lambda says of the terminate call.
    pub(crate) termination: Termination,
}

/// Whether a machine may be terminated now.
#[derive(Debug)]
pub(crate) enum Termination {
    /// Nothing is said against it.
    Open,
    /// It may not, with Lambda's word for the reason where one is given.
    Refused(Option<String>),
    /// What is said cannot be read.
    Unreadable,
}

/// The only thing that ends a bill at Lambda is to terminate, and that erases the machine's disk.
/// Consent to that is the account's `allow_terminate`, which is not an adapter's to judge.
pub(crate) fn offer(state: State, status: &str, found: &Circumstances) -> StopOffer {
    let mut objections = Vec::new();
    match found.reserved {
        Some(true) => {
            objections.push("it is reserved: paid for whether it runs or not".to_owned());
        }
        Some(false) => {}
        None => objections.push("whether it is reserved cannot be read".to_owned()),
    }
    match &found.termination {
        Termination::Open => {}
        Termination::Refused(reason) => {
            let reason = reason.as_deref().unwrap_or("no reason given");
            objections.push(format!("Lambda does not let it be terminated now: {reason}"));
        }
        Termination::Unreadable => {
            objections.push("whether it may be terminated cannot be read".to_owned());
        }
    }
    if state == State::Unknown {
        objections.push(format!("its state `{status}` is not known to this version"));
    }
    StopOffer {
        kind: StopKind::Terminate,
        saves: found.reserved == Some(false),
        loses: vec![Loss::LocalDisks, Loss::PublicAddress, Loss::Capacity],
        objections,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Circumstances =
        Circumstances { reserved: Some(false), termination: Termination::Open };

    #[test]
    fn fl_051_there_is_no_stop_that_keeps_the_data() {
        let offer = offer(State::Running, "active", &NOTHING);
        assert_eq!(offer.kind, StopKind::Terminate);
        assert!(offer.loses.contains(&Loss::LocalDisks));
        assert!(offer.objections.is_empty());
    }

    #[test]
    fn fl_086_a_new_word_counts_as_billed_and_is_objected_to() {
        let (state, meter) = state("HIBERNATING_DEEP");
        assert_eq!((state, meter), (State::Unknown, Meter::Unknown));
        assert!(meter.may_be_billed());
        assert!(!offer(state, "HIBERNATING_DEEP", &NOTHING).objections.is_empty());
    }

    #[test]
    fn fl_042_fl_091_only_what_is_gone_is_not_billed() {
        for status in ["terminated", "preempted", "Terminated"] {
            assert_eq!(state(status), (State::Ended, Meter::Ended), "{status}");
        }
        assert_eq!(state("terminating"), (State::Ending, Meter::Running));
    }

    #[test]
    fn looks_off_and_is_billed() {
        assert_eq!(state("unhealthy"), (State::Failed, Meter::StoppedBilled));
        assert!(!state("booting").1.may_be_billed());
    }
}
