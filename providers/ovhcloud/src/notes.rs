//! What a reader of the report should know of an account besides its machines: noted wherever it
//! comes up, told to the listing's sink.

use std::sync::{Mutex, PoisonError};

use reaper_provider::Sink;

/// Notes in the making; each has a stable code and a sentence.
#[derive(Debug, Default)]
pub(crate) struct Notes(Mutex<Vec<(&'static str, String)>>);

impl Notes {
    /// One more.
    pub(crate) fn add(&self, code: &'static str, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((code, text));
    }

    /// Tells them all, about `subject`.
    pub(crate) fn tell(&self, sink: &mut Sink<'_>, subject: &str) {
        let notes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for (code, text) in notes {
            sink.warn(code, text, Some(subject.to_owned()));
        }
    }
}
