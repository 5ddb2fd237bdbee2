//! Which flavours carry accelerators, and which have disks inside that a shelving destroys.
//! OVHcloud's flavours have no field for either: names and types tell.

use chrono::{DateTime, Utc};
use reaper_model::{Fact, Ignorance, LocalStorage, Source};

/// How the names of flavours with GPUs begin, according to OVHcloud's lists of flavours.
const WITH_GPU: [&str; 12] =
    ["a10", "a100", "g1", "g2", "g3", "h100", "h200", "l4", "l40s", "rtx5000", "t1", "t2"];
/// How those of ordinary flavours begin: balanced, compute, memory, discovery, storage, bare
/// metal, and the lines of the first years.
const ORDINARY: [&str; 15] = [
    "b2",
    "b3",
    "bm",
    "c2",
    "c3",
    "d2",
    "eg",
    "hg",
    "i1",
    "ovh.intel.ha.l",
    "r2",
    "r3",
    "s1",
    "sp",
    "vps",
];
/// In the flavour's type, whatever stands around it: `ovh.ssd.gpu`, `gpu2`, `gpu3`.
const GPU_TYPE: &str = "gpu";

/// What a name and a type say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It has GPUs.
    Accelerated,
    /// It has none.
    Ordinary,
    /// This version has never heard of it.
    Unfamiliar,
}

/// What a flavour's name and type say of it.
pub(crate) fn kind(name: &str, family: &str) -> Kind {
    let line = line(name);
    if family.contains(GPU_TYPE) || WITH_GPU.contains(&line) {
        Kind::Accelerated
    } else if ORDINARY.contains(&line) {
        Kind::Ordinary
    } else {
        Kind::Unfamiliar
    }
}

/// `h100` of `win-h100-380`.
fn line(name: &str) -> &str {
    let name = linux(name);
    name.split_once('-').map_or(name, |(line, _)| line)
}

/// The flavour with the same hardware and no Windows licence.
pub(crate) fn linux(name: &str) -> &str {
    name.strip_prefix("win-").unwrap_or(name)
}

/// Disks inside the machine. OVHcloud's guide to shelving names flavours whose disks are passed
/// through (t1-180, t2-180; h100 and h200 are built alike) and those with ephemeral disks
/// (`-eph`): their content is gone afterwards.
pub(crate) fn local_storage(name: &str, now: DateTime<Utc>) -> Fact<LocalStorage> {
    let source = Source::new("OVHcloud's guide to shelving instances");
    let plain = linux(name);
    let inside = matches!(line(name), "h100" | "h200")
        || matches!(plain, "t1-180" | "t2-180")
        || plain.ends_with("-eph");
    let none = matches!(line(name), "a10" | "a100" | "l4" | "l40s" | "rtx5000")
        || matches!(plain, "t1-45" | "t1-90" | "t1-le-45" | "t1-le-90")
        || matches!(plain, "t2-45" | "t2-90" | "t2-le-45" | "t2-le-90");
    if inside {
        Fact::known(LocalStorage { gb: None }, &source, now)
    } else if none {
        Fact::absent(&source)
    } else {
        Fact::unknown(Ignorance::NotOffered, format!("whether {name} has disks inside"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_types_tell_gpus() {
        for name in
            ["h100-380", "win-t1-45", "t1-le-90", "l4-90", "a100-720", "rtx5000-28", "g3-30"]
        {
            assert_eq!(kind(name, ""), Kind::Accelerated, "{name}");
        }
        assert_eq!(kind("b300-512", "ovh.ssd.gpu4"), Kind::Accelerated);
        for name in ["b2-7", "win-b2-7", "c3-8", "ovh.intel.ha.l", "vps-ssd-1", "d2-2"] {
            assert_eq!(kind(name, "ovh.ssd.eg"), Kind::Ordinary, "{name}");
        }
    }

    #[test]
    fn fl_022_a_line_never_heard_of_is_not_taken_for_an_ordinary_one() {
        for name in ["b300-512", "mi300-192", "z9"] {
            assert_eq!(kind(name, "ovh.ssd.new"), Kind::Unfamiliar, "{name}");
        }
    }

    #[test]
    fn fl_053_disks_inside_are_told_and_an_unknown_flavour_stays_unknown() {
        let disks = |name| local_storage(name, DateTime::UNIX_EPOCH);
        for name in ["h100-380", "h200-1920-eph", "t1-180", "win-t2-180"] {
            assert!(disks(name).value().is_some(), "{name}");
        }
        assert!(matches!(disks("l40s-90"), Fact::Absent { .. }));
        assert!(matches!(disks("t1-le-45"), Fact::Absent { .. }));
        for name in ["t1-le-180", "b300-512"] {
            assert!(disks(name).gap().is_some(), "{name}");
        }
    }
}
