//! CPU, network and disks as the kernel counts them. All paths lie below a root, so that tests read
//! files.

use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::reading::{HostReading, float};

/// What the kernel calls a sector, whatever the disk does.
const SECTOR: u64 = 512;

/// Longest time over which a mean is told as that of now.
const LONGEST_GAP_SECONDS: i64 = 10 * 60;

/// What the counters stood at. Each is left out where it could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// When.
    pub at: DateTime<Utc>,
    /// In which run of the kernel: all begin at 0 in the next.
    pub boot: Option<String>,
    /// Ticks of all CPUs: at work, and all.
    pub cpu: Option<(u64, u64)>,
    /// Bytes in and out.
    pub network: Option<u64>,
    /// Bytes read and written.
    pub disk: Option<u64>,
}

/// Where the kernel counts.
#[derive(Debug)]
pub struct Host {
    root: PathBuf,
}

impl Host {
    /// Below this root; `/` on a machine.
    pub fn below(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// What the counters stand at.
    pub fn read(&self, now: DateTime<Utc>) -> Counters {
        let text = |path: &str| fs::read_to_string(self.root.join(path)).ok();
        Counters {
            at: now,
            boot: text("proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned()),
            cpu: text("proc/stat").and_then(|text| cpu(&text)),
            network: text("proc/net/dev").and_then(|text| self.network(&text)),
            disk: text("proc/diskstats").and_then(|text| self.disk(&text)),
        }
    }

    /// Of interfaces that are devices: a packet of a container passes several others on its way.
    /// Where no interface is one, of all but the loopback.
    fn network(&self, text: &str) -> Option<u64> {
        let lines = text.lines().filter_map(|line| line.split_once(':'));
        let all: Vec<(&str, u64)> = lines
            .filter_map(|(name, told)| {
                let numbers = numbers(told);
                Some((name.trim(), numbers.first()?.checked_add(*numbers.get(8)?)?))
            })
            .filter(|(name, _)| *name != "lo")
            .collect();
        let device =
            |name: &str| self.root.join("sys/class/net").join(name).join("device").exists();
        let any = all.iter().any(|(name, _)| device(name));
        let mut counted = all.iter().filter(|(name, _)| !any || device(name));
        let first = counted.next()?.1;
        counted.try_fold(first, |sum, (_, bytes)| sum.checked_add(*bytes))
    }

    /// Of whole disks: a partition, a volume of LVM and a loop device are on one of them.
    fn disk(&self, text: &str) -> Option<u64> {
        let whole = |name: &str| self.root.join("sys/block").join(name).join("device").exists();
        let mut found = None;
        for line in text.lines() {
            let mut words = line.split_whitespace().skip(2);
            if !words.next().is_some_and(whole) {
                continue;
            }
            let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
            let (Some(read), Some(written)) = (numbers.get(2), numbers.get(6)) else { continue };
            let bytes = read.checked_add(*written)?.checked_mul(SECTOR)?;
            found = Some(u64::checked_add(found.unwrap_or(0), bytes)?);
        }
        found
    }
}

/// Ticks at work and all ticks. Waiting for disks is not work; the time of guests is in that of their
/// host already.
fn cpu(text: &str) -> Option<(u64, u64)> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = numbers(line);
    let all = ticks.iter().take(8).try_fold(0, |sum, ticks| u64::checked_add(sum, *ticks))?;
    let rest = ticks.get(3)?.checked_add(ticks.get(4).copied().unwrap_or(0))?;
    Some((all.checked_sub(rest)?, all))
}

fn numbers(text: &str) -> Vec<u64> {
    text.split_whitespace().map_while(|word| word.parse().ok()).collect()
}

/// What happened between two looks. Over a start of the machine, over a clock that was set, and over
/// a counter that went back, nothing is known.
pub fn between(before: &Counters, after: &Counters) -> HostReading {
    let milliseconds = (after.at - before.at).num_milliseconds();
    let usable = (1..=LONGEST_GAP_SECONDS * 1000).contains(&milliseconds);
    if !usable || before.boot != after.boot {
        return HostReading::default();
    }
    let seconds = float(milliseconds.unsigned_abs()) / 1000.0;
    let rate = |before: Option<u64>, after: Option<u64>| {
        Some(float(after?.checked_sub(before?)?) / seconds)
    };
    let cpu = || {
        let ((busy, all), (busy_then, all_then)) = (after.cpu?, before.cpu?);
        let (busy, all) = (busy.checked_sub(busy_then)?, all.checked_sub(all_then)?);
        (all > 0).then(|| (100.0 * float(busy) / float(all)).min(100.0))
    };
    HostReading {
        cpu: cpu(),
        network: rate(before.network, after.network),
        disk: rate(before.disk, after.disk),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T09:00:00Z".parse().expect("a time")
    }

    /// A root with these files; a path that ends in `/` is a folder.
    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            if text.is_empty() {
                fs::create_dir_all(&path).expect("a folder");
            } else {
                fs::write(&path, text).expect("a file");
            }
        }
        root
    }

    const NET: &str = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9000000   100    0    0    0     0          0         0  9000000   100    0    0    0     0       0          0
  ens5: 1000      10    0    0    0     0          0         0     500    10    0    0    0     0       0          0
docker0: 700      10    0    0    0     0          0         0     700    10    0    0    0     0       0          0
";

    const DISKS: &str = "\
   7       0 loop0 11 0 22 3 0 0 0 0 0 8 3 0 0 0 0 0 0
 259       0 nvme0n1 100 0 2000 50 60 0 1000 10 0 40 60 0 0 0 0 0 0
 259       1 nvme0n1p1 90 0 1900 50 60 0 1000 10 0 40 60 0 0 0 0 0 0
 253       0 dm-0 90 0 1900 50 60 0 1000 10 0 40 60
";

    fn machine() -> tempfile::TempDir {
        root(&[
            ("proc/stat", "cpu  100 0 50 800 50 0 0 0 70 0\ncpu0 100 0 50 800 50 0 0 0 70 0\n"),
            ("proc/net/dev", NET),
            ("proc/diskstats", DISKS),
            ("proc/sys/kernel/random/boot_id", "b-1\n"),
            ("sys/class/net/ens5/device", ""),
            ("sys/block/nvme0n1/device", ""),
        ])
    }

    #[test]
    fn what_passes_several_devices_counts_once() {
        let root = machine();
        let counters = Host::below(root.path()).read(now());
        assert_eq!(counters.network, Some(1_500));
        assert_eq!(counters.disk, Some(3_000 * 512));
        assert_eq!(counters.cpu, Some((150, 1_000)), "guests are in their host's time");
        assert_eq!(counters.boot.as_deref(), Some("b-1"));
    }

    #[test]
    fn what_is_missing_is_not_known() {
        let root = root(&[("proc/net/dev", NET), ("proc/diskstats", DISKS)]);
        let counters = Host::below(root.path()).read(now());
        assert_eq!(counters.cpu, None);
        assert_eq!(counters.network, Some(2_900), "all but the loopback");
        assert_eq!(counters.disk, None, "which of them are disks is not known");
    }

    #[test]
    fn rates_are_of_the_time_between() {
        let root = machine();
        let before = Host::below(root.path()).read(now());
        let after = Counters {
            at: now() + TimeDelta::seconds(10),
            cpu: Some((175, 1_100)),
            network: Some(3_500),
            disk: before.disk,
            ..before.clone()
        };
        let reading = between(&before, &after);
        assert_eq!(reading.cpu, Some(25.0));
        assert_eq!(reading.network, Some(200.0));
        assert_eq!(reading.disk, Some(0.0), "known to be nothing");
    }

    #[test]
    fn over_a_start_a_set_clock_or_a_counter_that_went_back_nothing_is_known() {
        let root = machine();
        let before = Host::below(root.path()).read(now());
        let later =
            |seconds| Counters { at: now() + TimeDelta::seconds(seconds), ..before.clone() };
        let restarted = Counters { boot: Some("b-2".to_owned()), ..later(10) };
        for after in [restarted, later(0), later(-10), later(3_600)] {
            assert_eq!(between(&before, &after), HostReading::default(), "{after:?}");
        }
        let replaced = Counters { network: Some(7), ..later(10) };
        assert_eq!(between(&before, &replaced).network, None);
    }
}
