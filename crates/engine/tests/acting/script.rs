//! What the scripted cloud is told: how a machine changes, what it answers.

use reaper_model::{Instance, Meter, State, Verb};
use reaper_provider::{ErrorKind, ProviderError};

pub(crate) type Edit = Box<dyn FnOnce(&mut Instance) + Send>;

/// What happens at the next read of a machine.
pub(crate) enum Next {
    /// It has changed, for good.
    Becomes(Edit),
    /// The read fails.
    Fails(ProviderError),
    /// There is no such machine any more.
    Gone,
    /// No answer comes.
    Hangs,
}

/// From the next read on, the machine is different.
pub(crate) fn becomes(edit: impl FnOnce(&mut Instance) + Send + 'static) -> Next {
    Next::Becomes(Box::new(edit))
}

/// From the next read on, the machine is in this state.
pub(crate) fn shows(state: State, meter: Meter) -> Next {
    becomes(move |machine| put(machine, state, meter))
}

pub(crate) fn put(machine: &mut Instance, state: State, meter: Meter) {
    (machine.state, machine.meter) = (state, meter);
    machine.provider_state = state.to_string();
}

pub(crate) fn refuses(kind: ErrorKind) -> ProviderError {
    ProviderError::answered(kind, "test:Stop", "as told")
}

/// The answer to one stop call, and what the machine shows from then on.
pub(crate) struct Answer {
    pub(crate) says: Result<(), ProviderError>,
    pub(crate) comes: bool,
    pub(crate) then: Vec<Next>,
}

impl Answer {
    pub(crate) fn yes(then: Vec<Next>) -> Self {
        Self { says: Ok(()), comes: true, then }
    }

    pub(crate) fn no(error: ProviderError) -> Self {
        Self { says: Err(error), comes: true, then: Vec::new() }
    }

    pub(crate) fn never() -> Self {
        Self { says: Ok(()), comes: false, then: Vec::new() }
    }

    pub(crate) fn then(self, then: Vec<Next>) -> Self {
        Self { then, ..self }
    }

    /// As a healthy cloud does.
    pub(crate) fn healthy(verb: Verb) -> Self {
        Self::yes(match verb {
            Verb::Stop => vec![
                shows(State::Stopping, Meter::Running),
                shows(State::Stopped, Meter::StoppedFree),
            ],
            Verb::Terminate => {
                vec![shows(State::Ending, Meter::Running), shows(State::Ended, Meter::Ended)]
            }
        })
    }
}

/// How listings of one region go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listings {
    /// After so many machines the answer is an error.
    BreakOff(usize),
    Refused(ErrorKind),
}
