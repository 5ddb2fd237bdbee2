//! The adapter over loopback HTTP: against the simulated Lambda, against odd answers, and against
//! every recorded answer where `REAPER_RECORDED` says where they lie.
#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

mod acting;
mod assets;
mod listing;
mod odd;
mod pace;
mod reading;
mod recorded;
mod support;
