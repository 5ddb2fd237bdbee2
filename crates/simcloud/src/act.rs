//! How machines take being acted upon: at once, after a while, never, or only in words. The same on
//! all four wires.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use reaper_model::Span;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// How a machine takes a call that acts on it (`act` of a machine in a world file):
///
/// ```toml
/// act = { takes = "40s" }      # under way for so long, by the world's clock
/// act = { reads = 2 }          # under way for the next two reads of this machine by its id
/// act = { outcome = "lie" }    # accepted, and nothing happens
/// act = { outcome = "stuck" }  # accepted, and under way for ever
/// act = { outcome = "twin" }   # a controller replaces it by a new one of the same name and kind
/// act = { outcome = "gone" }   # somebody was faster: there is no such machine at the call
/// ```
///
/// Without it the next request finds the machine at its end. Listings do not count as reads of a
/// machine. Refusals are not here: they are `denied` keys of the account, or faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Act {
    /// Time of the world's clock that it takes.
    #[serde(deserialize_with = "span")]
    pub takes: Span,
    /// Reads of this machine, by its id, that still find it under way.
    pub reads: u32,
    /// What comes of it.
    pub outcome: Outcome,
}

/// What comes of a call that acts on a machine and was accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// What was asked for.
    #[default]
    Done,
    /// Nothing.
    Lie,
    /// It begins and never ends.
    Stuck,
    /// What was asked for, and then another machine like it.
    Twin,
    /// The machine is not there any more when the call comes.
    Gone,
}

pub(crate) fn span<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

impl Act {
    /// It takes so long.
    pub fn takes(span: Span) -> Self {
        Self { takes: span, ..Self::default() }
    }

    /// So many reads still find it under way.
    pub fn reads(reads: u32) -> Self {
        Self { reads, ..Self::default() }
    }

    /// This comes of it.
    pub fn outcome(outcome: Outcome) -> Self {
        Self { outcome, ..Self::default() }
    }
}

/// Where an action leads, with the provider's words for the way there, of which there is at least
/// one.
pub(crate) trait End: Copy {
    type Word: 'static;

    fn way(self) -> &'static [Self::Word];
}

/// All machines of a provider that are under way.
#[derive(Debug)]
pub(crate) struct Passages<K, E>(BTreeMap<K, Passage<E>>);

#[derive(Debug)]
struct Passage<E> {
    end: E,
    since: DateTime<Utc>,
    act: Act,
    seen: u32,
}

/// How far a machine has come.
#[derive(Debug)]
pub(crate) struct Step<K, E: End> {
    pub(crate) key: K,
    pub(crate) end: E,
    pub(crate) stage: Stage<E::Word>,
}

#[derive(Debug)]
pub(crate) enum Stage<W: 'static> {
    UnderWay(&'static W),
    Over {
        /// When.
        at: DateTime<Utc>,
        /// Whether another machine takes its place.
        twin: bool,
    },
}

impl<K, E> Default for Passages<K, E> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Clone, E: End> Passages<K, E> {
    /// A machine is on its way from now on, whatever way it was on before.
    pub(crate) fn begin(&mut self, key: K, end: E, act: Act, now: DateTime<Utc>) {
        self.0.insert(key, Passage { end, since: now, act, seen: 0 });
    }

    /// The machine was read by its id.
    pub(crate) fn seen<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Some(passage) = self.0.get_mut(key) {
            passage.seen += 1;
        }
    }

    /// The machine is on no way any more.
    pub(crate) fn forget<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.0.remove(key);
    }

    /// How far every machine has come; those that have arrived are forgotten.
    pub(crate) fn advance(&mut self, now: DateTime<Utc>) -> Vec<Step<K, E>> {
        let steps: Vec<_> = self
            .0
            .iter()
            .map(|(key, passage)| Step {
                key: key.clone(),
                end: passage.end,
                stage: passage.stage(now),
            })
            .collect();
        for step in &steps {
            if matches!(step.stage, Stage::Over { .. }) {
                self.0.remove(&step.key);
            }
        }
        steps
    }
}

impl<E: End> Passage<E> {
    /// The words of the way share what is left of the time or of the reads, whichever is behind.
    fn stage(&self, now: DateTime<Utc>) -> Stage<E::Word> {
        let way = self.end.way();
        let takes = self.act.takes.delta().num_seconds();
        let elapsed = (now - self.since).num_seconds().clamp(0, takes);
        let by_time = share(way.len(), elapsed.unsigned_abs(), takes.unsigned_abs());
        let by_reads = share(way.len(), self.seen.into(), self.act.reads.into());
        let come = match self.act.outcome {
            Outcome::Stuck => 0,
            _ => by_time.min(by_reads),
        };
        match way.get(come) {
            Some(word) => Stage::UnderWay(word),
            None => Stage::Over {
                at: self.since + self.act.takes.delta(),
                twin: self.act.outcome == Outcome::Twin,
            },
        }
    }
}

/// How many of the words are behind when so much of the whole is.
fn share(words: usize, done: u64, whole: u64) -> usize {
    let part = (words as u64).saturating_mul(done).checked_div(whole);
    part.map_or(words, |part| usize::try_from(part).unwrap_or(words))
}

/// An id like this one that is not taken.
pub(crate) fn sibling(id: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let tail = id.len().checked_sub(8).and_then(|at| id.split_at_checked(at));
    let number = tail.and_then(|(_, tail)| u32::from_str_radix(tail, 16).ok());
    let nth = |nth: u32| match (tail, number) {
        (Some((head, _)), Some(number)) => format!("{head}{:08x}", number.wrapping_add(nth)),
        _ => format!("{id}-{nth}"),
    };
    let mut number = 1;
    while is_taken(&nth(number)) {
        number += 1;
    }
    nth(number)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[derive(Debug, Clone, Copy)]
    struct Off;

    impl End for Off {
        type Word = &'static str;

        fn way(self) -> &'static [&'static str] {
            &["leaving", "left"]
        }
    }

    fn word(passages: &mut Passages<String, Off>, now: DateTime<Utc>) -> String {
        match &passages.advance(now)[..] {
            [Step { stage: Stage::UnderWay(word), .. }] => (**word).to_owned(),
            [Step { stage: Stage::Over { twin, .. }, .. }] => format!("over, twin {twin}"),
            _ => "nowhere".to_owned(),
        }
    }

    fn begun(act: Act) -> (Passages<String, Off>, DateTime<Utc>) {
        let (mut passages, now) = (Passages::default(), DateTime::UNIX_EPOCH);
        passages.begin("a".to_owned(), Off, act, now);
        (passages, now)
    }

    #[test]
    fn at_once_means_at_the_next_look() {
        let (mut passages, now) = begun(Act::default());
        assert_eq!(word(&mut passages, now), "over, twin false");
        assert_eq!(word(&mut passages, now), "nowhere");
    }

    #[test]
    fn a_way_takes_time_of_the_clock() {
        let (mut passages, now) = begun(Act::takes(Span::from_secs(40)));
        for (seconds, expected) in [(0, "leaving"), (19, "leaving"), (20, "left"), (39, "left")] {
            assert_eq!(word(&mut passages, now + TimeDelta::seconds(seconds)), expected);
        }
        assert_eq!(word(&mut passages, now - TimeDelta::hours(1)), "leaving", "a clock set back");
        assert_eq!(word(&mut passages, now + TimeDelta::seconds(40)), "over, twin false");
    }

    #[test]
    fn a_way_takes_reads_where_the_clock_stands_still() {
        let twin = Act { outcome: Outcome::Twin, ..Act::reads(2) };
        let (mut passages, now) = begun(twin);
        for expected in ["leaving", "left", "over, twin true"] {
            assert_eq!(word(&mut passages, now), expected);
            passages.seen("a");
        }
    }

    #[test]
    fn who_is_stuck_stays_on_the_first_word() {
        let (mut passages, now) = begun(Act::outcome(Outcome::Stuck));
        passages.seen("a");
        assert_eq!(word(&mut passages, now + TimeDelta::days(400)), "leaving");
        passages.forget("a");
        assert_eq!(word(&mut passages, now), "nowhere");
    }

    #[test]
    fn siblings_have_the_shape_of_the_id() {
        assert_eq!(sibling("i-0a0a0a0a0a0a0a0a0", |_| false), "i-0a0a0a0a0a0a0a0a1");
        assert_eq!(sibling("i-0ffffffff", |id| id == "i-000000000"), "i-000000001");
        assert_eq!(sibling("a", |_| false), "a-1");
        assert_eq!(sibling("größe-日本", |_| false), "größe-日本-1");
    }

    #[test]
    fn world_files_name_what_differs_and_nothing_unknown() {
        let act: Act = toml::from_str("takes = \"40s\"\noutcome = \"lie\"").expect("an act");
        assert_eq!((act.takes, act.outcome, act.reads), (Span::from_secs(40), Outcome::Lie, 0));
        assert!(toml::from_str::<Act>("outcome = \"explode\"").is_err());
        assert!(toml::from_str::<Act>("take = \"40s\"").is_err());
    }
}
