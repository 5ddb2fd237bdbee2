//! The keys of idleness: `idle` and `outside_hours` of a rule, and the tags of owners' own rules.

use reaper_policy::spec::{IDLE_STOP, WORKING_HOURS};

use super::file::{ACTIONS, table};
use super::{Key, Kind, Table};

/// Keys of the top level.
pub(super) fn tags() -> [Key; 2] {
    [
        Key::new(
            "idle_stop_tag",
            Kind::Text,
            "Key of the tag by which an owner has a machine stopped once it has idled for so long, \
             such as 2h. The tag is the owner's consent, so no notice is sent.",
        )
        .default(IDLE_STOP),
        Key::new(
            "working_hours_tag",
            Kind::Text,
            "Key of the tag by which an owner has a machine stopped that idles for an hour outside \
             these hours, such as Mon-Fri 08:00-19:00. The tag is the owner's consent, so no \
             notice is sent.",
        )
        .default(WORKING_HOURS),
    ]
}

/// Conditions that only rules have. `path` is that of the table of `idle`.
pub(super) fn conditions(path: &'static str, title: &str) -> [Key; 2] {
    [
        Key::new(
            "idle",
            Kind::Table(idle(path, title)),
            "Its GPUs have done next to nothing. Only a window that is measured up to now, for every \
             GPU of the machine's type, counts.",
        ),
        Key::new(
            "outside_hours",
            Kind::Text,
            "It is outside these hours now, by the clocks of `timezone` or of a zone named behind \
             them: \"Mon-Fri 08:00-19:00\", \"22:00-06:00\".",
        ),
    ]
}

fn idle(path: &'static str, title: &str) -> Table {
    let action =
        |name, doc, default| Key::new(name, Kind::Word(ACTIONS.to_vec()), doc).default(default);
    let keys = vec![
        Key::new("below", Kind::Percent, "No value of any GPU reached this.").default("5%"),
        Key::new("for", Kind::Duration, "The time looked at, up to now: 5m to 7d.").default("6h"),
        Key::new(
            "coverage",
            Kind::Percent,
            "So much of that time must hold samples of each GPU, at least 50%.",
        )
        .default("80%"),
        action("empty", "Strongest action where no process and no memory is on the GPUs.", "stop"),
        action("held", "Strongest action where memory is held and nothing computed.", "report"),
        action(
            "starved",
            "Strongest action where CPUs, network or disks work and the GPUs wait.",
            "report",
        ),
        action(
            "unclear",
            "Strongest action where memory or CPUs were not measured in full.",
            "report",
        ),
    ];
    table(path, title, keys)
}
