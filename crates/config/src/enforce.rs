//! What a configuration must have before anything is acted upon, beyond being understood.

use crate::problem::Problem;
use crate::types::{Config, Mode};

impl Config {
    /// Whether acting may begin, as far as the configuration says.
    ///
    /// # Errors
    /// With everything that speaks against it: acting is forbidden, nobody can be told, or nobody
    /// is told where a machine has no owner who can be reached.
    pub fn can_enforce(&self) -> Result<(), Vec<Problem>> {
        let obstacles = [
            (
                self.mode == Some(Mode::Report),
                "mode = \"report\" forbids acting",
                "remove the key, or leave out --enforce",
            ),
            (
                self.email.is_none(),
                "there is no [notify.email], so no owner can be told before a stop",
                "name a sender and a mail server",
            ),
            (
                self.policy.owners.fallback.is_none(),
                "there is no owners.fallback, so nobody is told about a machine without an owner",
                "write for example fallback = \"gpu-team@example.org\" below [owners]",
            ),
        ];
        let file = self.file();
        let problems: Vec<Problem> = obstacles
            .into_iter()
            .filter(|(stands, ..)| *stands)
            .map(|(_, message, advice)| {
                Problem::of_file(&file, message.to_owned(), Some(advice.to_owned()))
            })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}
