//! Idleness in rules, working hours, and the tags of owners' own rules.

use reaper_model::Span;
use reaper_model::document::WantedAction;
use reaper_model::tags::fold_key;
use reaper_policy::spec::{IDLE_STOP, LONGEST_IDLE_WINDOW, WORKING_HOURS};
use reaper_policy::{IdleSpec, ProtectSpec, WorkingHours};
use rust_decimal::Decimal;

use crate::context::{Context, help};
use crate::section::Section;
use crate::units::Percent;

/// Less says nothing about a machine: monitoring itself is no steadier.
const SHORTEST_WINDOW: Span = Span::from_secs(5 * 60);

/// With less nobody knows what the machine did most of the time.
const LEAST_COVERAGE: Decimal = Decimal::from_parts(50, 0, 0, false, 0);

/// Keys of the tags by which owners stop their machines.
pub(crate) struct OwnTags {
    pub(crate) idle_stop: String,
    pub(crate) working_hours: String,
}

/// The keys of owners' tags.
pub(crate) fn own_tags(cx: &mut Context<'_>, root: &Section<'_>) -> OwnTags {
    OwnTags {
        idle_stop: root.text_or(cx, "idle_stop_tag", IDLE_STOP),
        working_hours: root.text_or(cx, "working_hours_tag", WORKING_HOURS),
    }
}

impl OwnTags {
    /// Refuses keys that mean something else: one tag cannot say two things.
    pub(crate) fn check(
        &self,
        cx: &mut Context<'_>,
        root: &Section<'_>,
        protect: &ProtectSpec,
        expiry: &str,
    ) {
        let others = [protect.tag.as_str(), expiry];
        let means = |tag: &str, others: &[&str]| {
            others.iter().any(|other| fold_key(other) == fold_key(tag))
        };
        let doubled = [
            ("idle_stop_tag", &self.idle_stop, means(&self.idle_stop, &others)),
            (
                "working_hours_tag",
                &self.working_hours,
                means(&self.working_hours, &others)
                    || means(&self.working_hours, &[&self.idle_stop]),
            ),
        ];
        for (key, tag, _) in doubled.into_iter().filter(|(.., doubled)| *doubled) {
            let message = format!("the tag `{tag}` has another meaning already");
            cx.refuse(root.place(key), message, help("give it a key of its own"));
        }
    }
}

/// What counts as idle; `None` if the rule does not ask.
pub(crate) fn idle(cx: &mut Context<'_>, section: &Section<'_>) -> Option<IdleSpec> {
    let section = section.table(cx, "idle")?;
    let usual = IdleSpec::default();
    let below = share(cx, &section, "below", usual.below);
    let window = section.span_or(cx, "for", usual.window);
    if !(SHORTEST_WINDOW..=LONGEST_IDLE_WINDOW).contains(&window) {
        let message = format!("{} is not between 5m and 7d", section.label("for"));
        cx.refuse(section.place("for"), message, help("write for example \"6h\""));
    }
    let coverage = share(cx, &section, "coverage", usual.coverage);
    if coverage < LEAST_COVERAGE {
        let message = format!("{} is less than {LEAST_COVERAGE}%", section.label("coverage"));
        let advice = "most of the time nobody would know what the machine did";
        cx.refuse(section.place("coverage"), message, help(advice));
    }
    Some(IdleSpec {
        below,
        window,
        coverage,
        empty: action(cx, &section, "empty", usual.empty),
        held: action(cx, &section, "held", usual.held),
        starved: action(cx, &section, "starved", usual.starved),
        unclear: action(cx, &section, "unclear", usual.unclear),
    })
}

fn share(cx: &mut Context<'_>, section: &Section<'_>, name: &str, usual: Decimal) -> Decimal {
    let points = section.percent(cx, name).map_or(usual, Percent::points);
    let shown = format!("{}%", points.normalize());
    cx.record(section.path_of(name), shown, section.value(name).is_none());
    points
}

fn action(
    cx: &mut Context<'_>,
    section: &Section<'_>,
    name: &str,
    usual: WantedAction,
) -> WantedAction {
    let action = match section.word(cx, name) {
        Some("terminate") => WantedAction::Terminate,
        Some("stop") => WantedAction::Stop,
        Some("report") => WantedAction::Report,
        _ => usual,
    };
    cx.record(section.path_of(name), action.name(), section.value(name).is_none());
    action
}

/// Hours outside of which a rule holds.
pub(crate) fn hours(cx: &mut Context<'_>, section: &Section<'_>) -> Option<WorkingHours> {
    let text = section.text(cx, "outside_hours")?;
    let read = WorkingHours::parse(&text.value, cx.timezone);
    read.map_err(|bad| {
        let message = format!("{}: {bad}", section.label("outside_hours"));
        cx.refuse(text.span, message, None);
    })
    .ok()
}
