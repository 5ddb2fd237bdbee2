//! Five fields of a cron expression, checked and handed to the crate `cron` in its own dialect: with
//! seconds before them and weekdays by name. What dialects read differently is refused, with what
//! to write instead: a number as a weekday, a step after a single value, a day of the month together
//! with a weekday.

use chrono::{DateTime, Weekday};
use cron::{Schedule, TimeUnitSpec as _};

/// What is wrong with an expression, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}; {help}")]
pub struct BadExpression {
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: String,
}

/// What the five fields are, for messages.
const FORM: &str = "write five fields, minute, hour, day of the month, month and weekday, such as \
                    \"0 7 * * Mon\" for Mondays at 07:00";

/// Why a weekday is a name.
const WEEKDAYS: &str = "write names, such as Mon, Mon-Fri or Mon,Thu: a number is a different day \
                        in different programs";

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A field of numbers.
struct Field {
    name: &'static str,
    low: u32,
    high: u32,
    /// Names of the numbers from `low` on, in lower case; the first three letters are enough.
    names: &'static [&'static str],
}

const MINUTE: Field = Field { name: "minute", low: 0, high: 59, names: &[] };
const HOUR: Field = Field { name: "hour", low: 0, high: 23, names: &[] };
const DAY: Field = Field { name: "day of the month", low: 1, high: 31, names: &[] };
const MONTH: Field = Field { name: "month", low: 1, high: 12, names: &MONTHS };

/// Numbers from one to another in steps.
struct Item {
    from: u32,
    to: u32,
    step: u32,
}

/// An expression as it was understood.
pub(crate) struct Expression {
    /// The five fields, one blank between them.
    pub(crate) text: String,
    /// The same for the crate, which works on local times as if they were UTC.
    pub(crate) schedule: Schedule,
    /// Whether it comes in every hour, and not at hours that are named.
    pub(crate) is_hourly: bool,
}

/// Reads an expression.
pub(crate) fn read(text: &str) -> Result<Expression, BadExpression> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [minute, hour, day, month, weekday] = fields[..] else {
        return Err(wrong_count(text, fields.len()));
    };
    let minutes = items(&MINUTE, minute)?;
    let hours = items(&HOUR, hour)?;
    let days = items(&DAY, day)?;
    let months = items(&MONTH, month)?;
    let weekdays = weekdays(weekday)?;
    if day != "*" && weekday != "*" {
        return Err(bad(
            format!("the day of the month is `{day}` and the weekday `{weekday}`"),
            "write * for one of them: some programs would take days that fit both, others days \
             that fit either",
        ));
    }
    let spelled = [
        "0".to_owned(),
        join(&minutes),
        join(&hours),
        join(&days),
        join(&months),
        weekdays.map_or_else(
            || "*".to_owned(),
            |days| days.iter().map(Weekday::to_string).collect::<Vec<_>>().join(","),
        ),
    ];
    let text = fields.join(" ");
    let schedule: Schedule = spelled
        .join(" ")
        .parse()
        .map_err(|error| bad(format!("`{text}` is not understood: {error}"), FORM))?;
    if schedule.after(&DateTime::UNIX_EPOCH).next().is_none() {
        return Err(bad(
            format!("no month of `{text}` has such a day: it never comes"),
            "write a day that its months have",
        ));
    }
    let is_hourly = schedule.hours().is_all();
    Ok(Expression { text, schedule, is_hourly })
}

fn bad(message: impl Into<String>, help: impl Into<String>) -> BadExpression {
    BadExpression { message: message.into(), help: help.into() }
}

fn wrong_count(text: &str, count: usize) -> BadExpression {
    let text = text.trim();
    if text.starts_with('@') {
        return bad(format!("`{text}` is not understood"), FORM);
    }
    let more = if count > 5 { "; there are no seconds and no years" } else { "" };
    let word = if count == 1 { "field" } else { "fields" };
    bad(format!("`{text}` has {count} {word}"), format!("{FORM}{more}"))
}

/// What is listed in a field of numbers.
fn items(field: &Field, text: &str) -> Result<Vec<Item>, BadExpression> {
    text.split(',').map(|part| item(field, part)).collect()
}

fn item(field: &Field, text: &str) -> Result<Item, BadExpression> {
    let (base, step) = match text.split_once('/') {
        Some((base, step)) => (base, Some(step)),
        None => (text, None),
    };
    let (from, to) = if base == "*" {
        (field.low, field.high)
    } else if let Some((from, to)) = base.split_once('-') {
        (value(field, from)?, value(field, to)?)
    } else {
        let only = value(field, base)?;
        if let Some(step) = step {
            return Err(bad(
                format!("{}: `{text}` has a step and no end", field.name),
                format!("write {only}-{}/{step}", field.high),
            ));
        }
        (only, only)
    };
    if from > to {
        return Err(bad(
            format!("{}: `{base}` runs backwards", field.name),
            format!("write {from}-{},{}-{to}", field.high, field.low),
        ));
    }
    let step = step.map_or(Ok(1), |step| steps(field, text, step, to - from))?;
    Ok(Item { from, to, step })
}

fn steps(field: &Field, text: &str, step: &str, width: u32) -> Result<u32, BadExpression> {
    match step.parse() {
        Ok(step) if (1..=width).contains(&step) => Ok(step),
        _ => Err(bad(
            format!("{}: `{text}` has the step `{step}`", field.name),
            format!("write a number from 1 to {width}, or leave out `/{step}`"),
        )),
    }
}

/// A number of a field, as a number or by name.
fn value(field: &Field, text: &str) -> Result<u32, BadExpression> {
    let named = field.names.iter().zip(field.low..).find(|(name, _)| is_name(name, text));
    let number = named.map(|(_, number)| number).or_else(|| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse().ok()).flatten()
    });
    number.filter(|number| (field.low..=field.high).contains(number)).ok_or_else(|| {
        let names = if field.names.is_empty() { "" } else { ", or Jan to Dec" };
        bad(
            format!("`{text}` is no {}", field.name),
            format!("write numbers from {} to {}{names}, or *", field.low, field.high),
        )
    })
}

/// Whether a text is a name, whole or its first three letters, in any case.
fn is_name(name: &str, text: &str) -> bool {
    text.eq_ignore_ascii_case(name)
        || name.get(..3).is_some_and(|short| text.eq_ignore_ascii_case(short))
}

/// The weekdays that are listed, from Monday on; `None` for all. A range may run over Sunday.
fn weekdays(text: &str) -> Result<Option<Vec<Weekday>>, BadExpression> {
    if text == "*" {
        return Ok(None);
    }
    if text.contains('/') {
        return Err(bad(format!("weekday: `{text}` has a step"), "list the weekdays by name"));
    }
    let mut days = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (mut day, last) = (weekday(from)?, weekday(to)?);
        days.push(day);
        while day != last {
            day = day.succ();
            days.push(day);
        }
    }
    days.sort_by_key(Weekday::num_days_from_monday);
    days.dedup();
    Ok(Some(days))
}

fn weekday(text: &str) -> Result<Weekday, BadExpression> {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphabetic());
    // Names as chrono reads them: whole or three letters, in any case.
    text.parse().ok().filter(|_| is_word).ok_or_else(|| {
        let message = if text.contains(|c: char| c.is_ascii_digit()) {
            format!("weekday: `{text}` is a number")
        } else {
            format!("`{text}` is no weekday")
        };
        bad(message, WEEKDAYS)
    })
}

fn join(items: &[Item]) -> String {
    let parts: Vec<String> = items
        .iter()
        .map(|&Item { from, to, step }| match (from == to, step) {
            (true, _) => from.to_string(),
            (false, 1) => format!("{from}-{to}"),
            (false, step) => format!("{from}-{to}/{step}"),
        })
        .collect();
    parts.join(",")
}
