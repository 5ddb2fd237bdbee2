//! A quantity over time: steps, each of which holds until the next.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::clock::{Clock, When};

/// A quantity over time. A number in a world file holds for ever.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "CurveFile")]
pub struct Curve(Vec<Step>);

/// From when on a quantity has a value.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// From when on; absent: from ever.
    pub from: Option<When>,
    /// The value.
    pub value: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CurveFile {
    Flat(f64),
    Steps(Vec<Step>),
}

impl From<CurveFile> for Curve {
    fn from(file: CurveFile) -> Self {
        match file {
            CurveFile::Flat(value) => value.into(),
            CurveFile::Steps(steps) => steps.into(),
        }
    }
}

impl From<f64> for Curve {
    fn from(value: f64) -> Self {
        Self(vec![Step { from: None, value }])
    }
}

impl From<Vec<Step>> for Curve {
    fn from(steps: Vec<Step>) -> Self {
        Self(steps)
    }
}

impl Curve {
    /// The value at a time: that of the last step that has begun by then, in whichever order they
    /// are written; of two that begin at once, the later one in the list.
    pub(super) fn at(&self, clock: &Clock, time: DateTime<Utc>) -> Option<f64> {
        let begun = self.0.iter().filter_map(|step| {
            let from = step.from.map_or(DateTime::<Utc>::MIN_UTC, |when| clock.resolve(when));
            (from <= time).then_some((from, step.value))
        });
        begun.max_by_key(|(from, _)| *from).map(|(_, value)| value)
    }
}
