//! `[[schedule]]`: which jobs run when, and when the weekly report is due.

use chrono_tz::Tz;
use reaper_model::Span;
use reaper_timetable::Timetable;

use crate::context::{Context, help};
use crate::keys::nearest;
use crate::section::Section;
use crate::types::{Job, Schedule};

/// When the weekly report is due unless configured otherwise.
const DEFAULT_REPORT: &str = "0 7 * * Mon";

/// A run that is put off for longer belongs to another day.
const LONGEST_JITTER: Span = Span::from_secs(24 * 3600);

/// Every schedule, in the order of the file, and last the one of the weekly report where the file
/// has none.
pub(crate) fn schedules(cx: &mut Context<'_>, root: &Section<'_>) -> Vec<Schedule> {
    let mut schedules: Vec<Schedule> = Vec::new();
    let mut has_report = false;
    for section in root.tables(cx, "schedule", "schedule") {
        let job = job(cx, &section);
        if job == Some(Job::Report) && std::mem::replace(&mut has_report, true) {
            cx.refuse(
                section.place("job"),
                "there are two schedules of the report",
                help(
                    "a report tells what has changed since the one before: list its days in one, \
                      such as Mon,Thu",
                ),
            );
        }
        let timetable = timetable(cx, &section);
        let jitter = jitter(cx, &section);
        let (Some(job), Some(timetable)) = (job, timetable) else { continue };
        if schedules.iter().any(|other| other.job == job && other.timetable == timetable) {
            let message =
                format!("{} is there twice: {} at {timetable}", section.subject, job.name());
            cx.refuse(section.span.clone(), message, help("remove one of them"));
        }
        schedules.push(Schedule { job, timetable, jitter, is_default: false });
    }
    if !has_report {
        match Timetable::parse(DEFAULT_REPORT, cx.timezone) {
            Ok(timetable) => schedules.push(Schedule {
                job: Job::Report,
                timetable,
                jitter: Span::ZERO,
                is_default: true,
            }),
            Err(bad) => cx.refuse_file(bad.message, help(bad.help)),
        }
    }
    schedules
}

fn job(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Job> {
    let word = section.word(cx, "job")?;
    Job::ALL.into_iter().find(|job| job.name() == word)
}

fn timetable(cx: &mut Context<'_>, section: &Section<'_>) -> Option<Timetable> {
    let zone = match section.text(cx, "timezone") {
        Some(text) => zone(cx, section, "timezone", &text.value),
        None => Some(cx.timezone),
    };
    if let Some(zone) = zone {
        cx.record(section.path_of("timezone"), zone, section.value("timezone").is_none());
    }
    let text = section.text(cx, "cron")?;
    // In a zone that was refused the expression is read all the same, so that it is refused as well.
    match Timetable::parse(&text.value, zone.unwrap_or(Tz::UTC)) {
        Ok(timetable) => zone.map(|_| timetable),
        Err(bad) => {
            let message = format!("{}: {}", section.label("cron"), bad.message);
            cx.refuse(text.span, message, help(bad.help));
            None
        }
    }
}

fn jitter(cx: &mut Context<'_>, section: &Section<'_>) -> Span {
    let jitter = section.span_or(cx, "jitter", Span::ZERO);
    if jitter > LONGEST_JITTER {
        let message = format!("{} is more than a day", section.label("jitter"));
        let advice = "some minutes are enough for runs that should not all begin at once";
        cx.refuse(section.place("jitter"), message, help(advice));
    }
    jitter
}

/// The time zone of that name.
pub(crate) fn zone(
    cx: &mut Context<'_>,
    section: &Section<'_>,
    key: &str,
    name: &str,
) -> Option<Tz> {
    let zone = name.parse().ok();
    if zone.is_none() {
        let advice = nearest(name, chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name()))
            .map_or_else(
                || "write an IANA name, such as \"Europe/Amsterdam\" or \"UTC\"".to_owned(),
                |near| format!("did you mean \"{near}\"?"),
            );
        cx.refuse(section.place(key), format!("`{name}` is no time zone"), help(advice));
    }
    zone
}
