//! Plan codes: `h100-380.consumption`, `a100-180.monthly.postpaid`, with `.LZ`, `.LZ.EU` or `.3AZ`
//! behind them in local zones and regions of three zones. The unit stands in the code alone: the
//! US price book says "none" for the unit of hours and months alike.

use reaper_model::Unit;

/// The flavour and the unit of a plan; `None` for any other product, such as those of AI tools,
/// which are priced by the minute (`ai-app-l4-1-gpu.minute.consumption`).
pub(crate) fn read(code: &str) -> Option<(&str, Unit)> {
    let (flavor, rest) = code.split_once('.')?;
    let unit = match rest.split('.').next() {
        Some("consumption") => Unit::Hour,
        Some("monthly") => Unit::Month,
        _ => return None,
    };
    (!flavor.is_empty()).then_some((flavor, unit))
}

/// Whether it is the plan of a volume, a snapshot or a floating address: an hour of each GiB, or of
/// the address.
pub(crate) fn is_of_storage(code: &str) -> bool {
    let mut parts = code.split('.');
    matches!(parts.next(), Some("volume" | "snapshot" | "floatingip"))
        && parts.any(|part| part == "consumption")
}

/// The plan of a flavour whose machine names none: the ordinary one.
pub(crate) fn of(flavor: &str, unit: Unit) -> String {
    match unit {
        Unit::Hour => format!("{flavor}.consumption"),
        Unit::Month => format!("{flavor}.monthly.postpaid"),
    }
}

/// The plan of the other unit in the same place: that of a local zone has no ordinary price.
pub(crate) fn in_unit(code: &str, unit: Unit) -> Option<String> {
    let (flavor, named) = read(code)?;
    let place = code.strip_prefix(&of(flavor, named))?;
    Some(of(flavor, unit) + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fl_109_hours_months_and_minutes_are_told_apart() {
        assert_eq!(read("h100-380.consumption"), Some(("h100-380", Unit::Hour)));
        assert_eq!(read("l4-90.consumption.LZ.EU"), Some(("l4-90", Unit::Hour)));
        assert_eq!(read("a100-180.monthly.postpaid"), Some(("a100-180", Unit::Month)));
        assert_eq!(read("b3-8.monthly.postpaid.3AZ"), Some(("b3-8", Unit::Month)));
        for other in ["ai-app-l4-1-gpu.minute.consumption", "h100-380", ".consumption", ""] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn storage_is_told_from_machines_by_the_first_word() {
        for code in [
            "volume.high-speed-gen2.consumption",
            "volume.classic.consumption.LZ.EU",
            "volume.snapshot.consumption",
            "snapshot.consumption",
            "floatingip.floatingip.hour.consumption",
        ] {
            assert!(is_of_storage(code), "{code}");
        }
        for other in ["volume.classic.monthly.postpaid", "l4-90.consumption", "volume", ""] {
            assert!(!is_of_storage(other), "{other}");
        }
    }

    #[test]
    fn a_plan_of_the_other_unit_keeps_its_place() {
        let monthly = |code| in_unit(code, Unit::Month);
        assert_eq!(
            monthly("l4-90.consumption.LZ.EU").as_deref(),
            Some("l4-90.monthly.postpaid.LZ.EU")
        );
        assert_eq!(monthly("l4-90.consumption").as_deref(), Some("l4-90.monthly.postpaid"));
        assert_eq!(monthly("x.monthly.postpaid.3AZ").as_deref(), Some("x.monthly.postpaid.3AZ"));
        assert_eq!(monthly("ai-app-l4-1-gpu.minute.consumption"), None);
    }

    #[test]
    fn a_plan_reads_back_as_what_it_was_made_of() {
        for unit in [Unit::Hour, Unit::Month] {
            assert_eq!(read(&of("t1-le-45", unit)), Some(("t1-le-45", unit)));
        }
    }
}
