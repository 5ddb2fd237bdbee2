//! A delay within bounds that follows from a name alone: the same one for a schedule each time, and
//! different ones for different schedules, so that they do not all ask a cloud in the same second.

use chrono::TimeDelta;
use reaper_model::Span;

/// The delay of `name`: whole seconds from nothing up to, and without, `bound`.
pub fn jitter(name: &str, bound: Span) -> TimeDelta {
    if bound == Span::ZERO {
        return TimeDelta::zero();
    }
    Span::from_secs(hash(name) % bound.as_secs()).delta()
}

/// FNV-1a, stirred once more because names that differ in their last letter should be far apart.
/// Written out, because the hash of the standard library may change with its version.
fn hash(name: &str) -> u64 {
    let mut hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}
