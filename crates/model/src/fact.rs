//! Facts: a value with its source and time, a confirmed absence, or an unknown and why.
//! What a missing fact means for a verdict is decided in `reaper-policy`, not here.

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

/// Where a fact comes from: an API call (`ec2:DescribeInstances`), a file and line, a tag.
///
/// Cheap to clone, because a listing of thousands of machines shares one source.
#[derive(Clone, PartialEq, Eq)]
pub struct Source(Arc<str>);

impl Source {
    /// Names a source as it shall be shown to people.
    pub fn new(name: impl AsRef<str>) -> Self {
        Self(Arc::from(name.as_ref()))
    }

    /// The name as shown to people.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.0)
    }
}

/// Why something is not known. Only [`Ignorance::ReadFailed`] makes a run incomplete: the others
/// are how the world is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ignorance {
    /// It was asked for and could not be read (denied, timed out, cut off).
    ReadFailed,
    /// The provider does not offer it (Lambda shows no launch time, OVHcloud no tags).
    NotOffered,
    /// It was read and makes no sense (a launch time in the future, year 1).
    Unusable,
    /// It costs a call per machine and nothing needed it so far.
    NotAsked,
}

/// A gap in the evidence, with its kind and the words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// What kind of gap it is.
    pub kind: Ignorance,
    /// What to tell a person, without a final full stop.
    pub why: String,
}

impl Unknown {
    /// A gap of the given kind.
    pub fn new(kind: Ignorance, why: impl Into<String>) -> Self {
        Self { kind, why: why.into() }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

/// What is known about one property of one machine.
///
/// `Absent` is knowledge (the provider was asked and said: none); `Unknown` is the lack of it.
/// An unknown can be reported; it can never be the ground of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact<T> {
    /// The value, who said so and when (UTC).
    Known {
        /// The value.
        value: T,
        /// Who said so.
        source: Source,
        /// When it was said.
        as_of: DateTime<Utc>,
    },
    /// Confirmed not to be there.
    Absent {
        /// Who said so.
        source: Source,
    },
    /// Not known.
    Unknown(Unknown),
}

impl<T> Fact<T> {
    /// A known value.
    pub fn known(value: T, source: &Source, as_of: DateTime<Utc>) -> Self {
        Self::Known { value, source: source.clone(), as_of }
    }

    /// A confirmed absence.
    pub fn absent(source: &Source) -> Self {
        Self::Absent { source: source.clone() }
    }

    /// A gap.
    pub fn unknown(kind: Ignorance, why: impl Into<String>) -> Self {
        Self::Unknown(Unknown::new(kind, why))
    }

    /// The value, if known.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Known { value, .. } => Some(value),
            Self::Absent { .. } | Self::Unknown(_) => None,
        }
    }

    /// The gap, if there is one.
    pub fn gap(&self) -> Option<&Unknown> {
        match self {
            Self::Unknown(unknown) => Some(unknown),
            Self::Known { .. } | Self::Absent { .. } => None,
        }
    }

    /// The source, unless unknown.
    pub fn source(&self) -> Option<&Source> {
        match self {
            Self::Known { source, .. } | Self::Absent { source } => Some(source),
            Self::Unknown(_) => None,
        }
    }

    /// Maps a known value, keeping source and time.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Self::Known { value, source, as_of } => Fact::Known { value: f(value), source, as_of },
            Self::Absent { source } => Fact::Absent { source },
            Self::Unknown(unknown) => Fact::Unknown(unknown),
        }
    }
}
