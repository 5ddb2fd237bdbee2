//! Conditions in words, for people who check what a rule asks.

use std::fmt;

use crate::pattern::Pattern;
use crate::spec::{Conditions, IdleSpec};

impl fmt::Display for IdleSpec {
    /// `below 5% for 6h with 80% of the samples`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (below, coverage) = (self.below.normalize(), self.coverage.normalize());
        f.pad(&format!("below {below}% for {} with {coverage}% of the samples", self.window))
    }
}

impl fmt::Display for Conditions {
    /// `owner absent or unknown, and older than 2h, and name demo-*`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            owner,
            older_than,
            missing_tags,
            expired,
            account,
            provider,
            location,
            id,
            name,
            machine_type,
            gpu,
            state,
            tag,
            idle,
            outside_hours,
        } = self;
        let mut parts = Vec::new();
        if !owner.is_empty() {
            let words: Vec<&str> = owner.iter().map(|status| status.name()).collect();
            parts.push(format!("owner {}", words.join(" or ")));
        }
        if !missing_tags.is_empty() {
            parts.push(format!("tag {} missing", missing_tags.join(" or ")));
        }
        match expired {
            Some(true) => parts.push("expired".to_owned()),
            Some(false) => parts.push("not expired".to_owned()),
            None => {}
        }
        parts.extend(older_than.map(|span| format!("older than {span}")));
        parts.extend(idle.as_ref().map(ToString::to_string));
        parts.extend(outside_hours.map(|hours| format!("outside {hours}")));
        let patterns = [
            ("account", account),
            ("provider", provider),
            ("location", location),
            ("id", id),
            ("name", name),
            ("type", machine_type),
            ("gpu", gpu),
            ("state", state),
        ];
        for (word, patterns) in patterns {
            parts.extend(listed(word, patterns));
        }
        for (key, patterns) in tag {
            parts.extend(listed(&format!("tag {key}"), patterns));
        }
        f.write_str(&parts.join(", and "))
    }
}

fn listed(word: &str, patterns: &[Pattern]) -> Option<String> {
    let texts: Vec<&str> = patterns.iter().map(Pattern::as_str).collect();
    (!texts.is_empty()).then(|| format!("{word} {}", texts.join(" or ")))
}

#[cfg(test)]
mod tests {
    use reaper_model::Span;
    use reaper_model::document::OwnerStatus;

    use super::*;
    use crate::hours::WorkingHours;

    #[test]
    fn every_condition_is_said() {
        let pattern = |text: &str| -> Pattern { text.parse().expect("valid") };
        let conditions = Conditions {
            owner: vec![OwnerStatus::Absent, OwnerStatus::Unknown],
            older_than: Some(Span::from_secs(7_200)),
            name: vec![pattern("demo-*"), pattern("x")],
            tag: [("project".to_owned(), vec![pattern("atlas")])].into(),
            idle: Some(IdleSpec::default()),
            outside_hours: WorkingHours::parse("Mon-Fri 08:00-19:00", chrono_tz::UTC).ok(),
            ..Conditions::default()
        };
        assert_eq!(
            conditions.to_string(),
            "owner absent or unknown, and older than 2h, \
             and below 5% for 6h with 80% of the samples, and outside Mon-Fri 08:00-19:00 UTC, \
             and name demo-* or x, and tag project atlas"
        );
    }
}
