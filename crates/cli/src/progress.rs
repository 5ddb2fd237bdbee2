//! The progress bar of a terminal: scopes done, machines read.

use std::sync::atomic::{AtomicUsize, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use reaper_engine::Progress;

/// Shows how collecting goes on, on standard error.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    machines: AtomicUsize,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::new(0);
        if let Ok(style) =
            ProgressStyle::with_template("reading {bar:24} {pos}/{len} scopes, {msg} {elapsed}")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message("0 machines");
        Self { bar, machines: AtomicUsize::new(0) }
    }
}

impl Progress for Bar {
    fn scopes(&self, total: usize) {
        self.bar.set_length(u64::try_from(total).unwrap_or(u64::MAX));
    }

    fn machines(&self, more: usize) {
        let all = self.machines.fetch_add(more, Ordering::Relaxed) + more;
        self.bar.set_message(format!("{all} machines"));
    }

    fn scope_done(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
