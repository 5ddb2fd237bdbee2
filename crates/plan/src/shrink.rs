//! Inventories that fell sharply: a listing that looks whole and lost most of its machines is more
//! often a listing gone wrong than a fleet switched off.

/// Fewer missing machines than this are no alarm: small fleets do end their machines at once.
const FEW: u64 = 5;

/// Whether a place lost at least five machines and more than half of those that its last complete
/// listing showed. Nothing is concluded from such a listing, and nothing done in that place.
pub const fn fell_sharply(before: u64, now: u64) -> bool {
    let lost = before.saturating_sub(now);
    lost >= FEW && lost > before / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_015_most_of_a_fleet_does_not_vanish_unnoticed() {
        assert!(fell_sharply(227, 10));
        assert!(fell_sharply(9, 4));
        assert!(fell_sharply(5, 0));
        for (before, now) in [(4, 0), (10, 5), (9, 5), (227, 120), (10, 10), (0, 0), (3, 300)] {
            assert!(!fell_sharply(before, now), "{before} to {now}");
        }
    }
}
