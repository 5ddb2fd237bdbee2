//! What goes wrong, and for which requests.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use crate::wire::Call;

/// One thing that goes wrong. Without any condition it hits every request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Only this provider.
    pub provider: Option<String>,
    /// Only this account of the provider.
    pub account: Option<String>,
    /// Only this region or zone.
    pub location: Option<String>,
    /// Only this operation, or what does this (`poweroff`, `shelve`).
    pub operation: Option<String>,
    /// Only requests that name this machine.
    pub id: Option<String>,
    /// Only the nth matching request, from 1.
    pub nth: Option<u64>,
    /// Only the first so many matching requests (after those skipped).
    pub first: Option<u64>,
    /// Not the first so many matching requests.
    #[serde(default)]
    pub skip: u64,
    /// What happens.
    pub then: Effect,
}

/// What happens to a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Effect {
    /// The provider's own "too many requests"; not carried out.
    Throttle {
        /// A `Retry-After` in seconds.
        retry_after: Option<u64>,
    },
    /// A token bucket per account and location; what is over it is throttled.
    Rate {
        /// Tokens that come back per second.
        per_second: f64,
        /// Tokens at the start, and at most.
        burst: u32,
    },
    /// Another answer instead; not carried out.
    Answer {
        /// The HTTP status.
        status: u16,
        /// The body.
        #[serde(default)]
        body: String,
        /// The media type.
        #[serde(default = "html")]
        content_type: String,
    },
    /// Carried out, and another answer instead.
    Masked {
        /// The HTTP status.
        status: u16,
        /// The body.
        #[serde(default)]
        body: String,
        /// The media type.
        #[serde(default = "html")]
        content_type: String,
    },
    /// Later than the others. Adds up over all faults that match.
    Delay {
        /// How much later, in milliseconds.
        ms: u64,
    },
    /// Not carried out and never answered; the connection stays open.
    Silence,
    /// Carried out, but never answered; the connection stays open.
    Lost,
    /// Not carried out; the connection is closed without an answer.
    Hangup,
    /// Carried out; the connection is closed without an answer.
    Dropped,
    /// Carried out; the body breaks off half-way.
    Cut,
    /// Carried out; the body comes in small pieces.
    Trickle {
        /// Bytes in each piece.
        bytes: usize,
        /// Time between two pieces, in milliseconds.
        every_ms: u64,
    },
    /// Carried out; the answer claims to be of this media type.
    ContentType(String),
}

fn html() -> String {
    "text/html".to_owned()
}

impl Fault {
    /// This happens to every request.
    pub const fn always(then: Effect) -> Self {
        Self {
            provider: None,
            account: None,
            location: None,
            operation: None,
            id: None,
            nth: None,
            first: None,
            skip: 0,
            then,
        }
    }

    /// Only at this operation, or what does this.
    #[must_use]
    pub fn at(mut self, operation: &str) -> Self {
        self.operation = Some(operation.to_owned());
        self
    }

    /// Only for requests that name this machine.
    #[must_use]
    pub fn on(mut self, id: &str) -> Self {
        self.id = Some(id.to_owned());
        self
    }

    /// Only in this region or zone.
    #[must_use]
    pub fn in_location(mut self, location: &str) -> Self {
        self.location = Some(location.to_owned());
        self
    }

    /// Only at this provider.
    #[must_use]
    pub fn of_provider(mut self, provider: &str) -> Self {
        self.provider = Some(provider.to_owned());
        self
    }

    /// Only in this account of the provider.
    #[must_use]
    pub fn in_account(mut self, account: &str) -> Self {
        self.account = Some(account.to_owned());
        self
    }

    /// Only the first `count` requests that match.
    #[must_use]
    pub const fn first(mut self, count: u64) -> Self {
        self.first = Some(count);
        self
    }

    /// Only the `nth` request that matches, from 1.
    #[must_use]
    pub const fn nth(mut self, nth: u64) -> Self {
        self.nth = Some(nth);
        self
    }

    fn concerns(&self, provider: &str, call: &Call) -> bool {
        let is =
            |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|w| w == found);
        is(&self.provider, provider)
            && is(&self.account, &call.account)
            && is(&self.location, &call.location)
            && self.operation.as_deref().is_none_or(|wanted| call.is(wanted))
            && self.id.as_deref().is_none_or(|wanted| call.names(wanted))
    }

    fn hits(&self, nth: u64) -> bool {
        self.nth.is_none_or(|wanted| wanted == nth)
            && nth > self.skip
            && self.first.is_none_or(|count| nth - self.skip <= count)
    }
}

/// All faults of a world, each with its own count of the requests it concerns.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<Fault>")]
pub struct Faults {
    armed: Vec<Armed>,
}

#[derive(Debug)]
struct Armed {
    fault: Fault,
    seen: u64,
    buckets: BTreeMap<(String, String), Bucket>,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    filled: Instant,
}

/// What the faults decide about one request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ruling {
    pub(crate) delay: Duration,
    pub(crate) effect: Option<Effect>,
}

impl Faults {
    /// One more, behind the others.
    pub fn add(&mut self, fault: Fault) {
        self.armed.push(Armed { fault, seen: 0, buckets: BTreeMap::new() });
    }

    /// From now on all is well.
    pub fn clear(&mut self) {
        self.armed.clear();
    }

    /// Counts the request at every fault it concerns. Delays add up; of the other effects the
    /// first one counts.
    pub(crate) fn rule(&mut self, provider: &str, call: &Call, now: Instant) -> Ruling {
        let mut ruling = Ruling::default();
        for armed in &mut self.armed {
            if !armed.fault.concerns(provider, call) {
                continue;
            }
            armed.seen += 1;
            if !armed.fault.hits(armed.seen) {
                continue;
            }
            match &armed.fault.then {
                Effect::Delay { ms } => ruling.delay += Duration::from_millis(*ms),
                Effect::Rate { per_second, burst } => {
                    let key = (call.account.clone(), call.location.clone());
                    let bucket = armed
                        .buckets
                        .entry(key)
                        .or_insert(Bucket { tokens: f64::from(*burst), filled: now });
                    if !bucket.take(*per_second, *burst, now) {
                        ruling.effect.get_or_insert(Effect::Throttle { retry_after: None });
                    }
                }
                other => {
                    ruling.effect.get_or_insert_with(|| other.clone());
                }
            }
        }
        ruling
    }
}

impl From<Vec<Fault>> for Faults {
    fn from(faults: Vec<Fault>) -> Self {
        let mut all = Self::default();
        for fault in faults {
            all.add(fault);
        }
        all
    }
}

impl Bucket {
    fn take(&mut self, per_second: f64, burst: u32, now: Instant) -> bool {
        let back = now.duration_since(self.filled).as_secs_f64() * per_second;
        self.tokens = (self.tokens + back).min(f64::from(burst));
        self.filled = now;
        let enough = self.tokens >= 1.0;
        if enough {
            self.tokens -= 1.0;
        }
        enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(operation: &str, location: &str) -> Call {
        Call { operation: operation.into(), location: location.into(), ..Call::default() }
    }

    fn effects(faults: &mut Faults, call: &Call, count: usize) -> Vec<bool> {
        let now = Instant::now();
        (0..count).map(|_| faults.rule("aws", call, now).effect.is_some()).collect()
    }

    #[test]
    fn a_fault_counts_only_the_requests_it_concerns() {
        let mut faults: Faults =
            vec![Fault::always(Effect::Silence).at("List").in_location("a").first(2)].into();
        assert_eq!(effects(&mut faults, &call("List", "b"), 2), [false, false]);
        assert_eq!(effects(&mut faults, &call("Get", "a"), 1), [false]);
        assert_eq!(effects(&mut faults, &call("List", "a"), 3), [true, true, false]);
    }

    #[test]
    fn the_nth_and_the_skipped_are_counted_from_one() {
        let mut faults: Faults = vec![Fault::always(Effect::Hangup).nth(2)].into();
        assert_eq!(effects(&mut faults, &call("x", ""), 3), [false, true, false]);
        let mut faults: Faults =
            vec![Fault { skip: 1, first: Some(1), ..Fault::always(Effect::Cut) }].into();
        assert_eq!(effects(&mut faults, &call("x", ""), 3), [false, true, false]);
    }

    #[test]
    fn delays_add_up_and_the_first_other_effect_counts() {
        let mut faults: Faults = vec![
            Fault::always(Effect::Delay { ms: 20 }),
            Fault::always(Effect::Cut),
            Fault::always(Effect::Delay { ms: 5 }),
            Fault::always(Effect::Silence),
        ]
        .into();
        let ruling = faults.rule("aws", &call("x", ""), Instant::now());
        assert_eq!(ruling, Ruling { delay: Duration::from_millis(25), effect: Some(Effect::Cut) });
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_gives_back_one_request_per_interval_and_per_location() {
        let rate = Effect::Rate { per_second: 2.0, burst: 1 };
        let mut faults: Faults = vec![Fault::always(rate)].into();
        assert_eq!(effects(&mut faults, &call("x", "a"), 2), [false, true]);
        assert_eq!(effects(&mut faults, &call("x", "b"), 1), [false]);
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(effects(&mut faults, &call("x", "a"), 2), [false, true]);
    }
}
