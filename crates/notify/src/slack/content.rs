//! What a message says: the report in a few lines, a budget, stops.

use chrono::{DateTime, FixedOffset};
use reaper_model::Verb;
use reaper_model::document::{AuditDocument, BudgetView, StoppedView};
use reaper_report::budget;
use reaper_report::digest::{Digest, Part, Row, digest};

use super::blocks::{List, MOST_HEADER, Text};
use super::text::{code, header, plain};
use crate::channel::Content;
use crate::words::{count, outside};

/// Characters of a name.
const NAME: usize = 60;
/// Characters of one fact.
const FACT: usize = 120;
/// Characters of a row's facts together, before what is escaped.
const FACTS: usize = 300;
/// Characters of a line of the lead.
const LINE: usize = 400;
/// Lines that say what must be read first.
const ALARMS: usize = 4;

/// The text of a message.
pub(super) fn text(content: &Content<'_>) -> Text {
    match *content {
        Content::Report(doc) => report(doc),
        Content::Alert { budget, covers, id } => alert(budget, covers, id),
        Content::Stops(stops) => stopped(stops),
    }
}

fn report(doc: &AuditDocument) -> Text {
    let Digest { title, alarms, lead, parts } = digest(doc);
    let alarms = alarms.iter().take(ALARMS).map(|alarm| format!("*{}*", plain(alarm, LINE)));
    let lead = lead.iter().map(|line| plain(line, LINE));
    Text {
        title: header(&title, MOST_HEADER),
        lead: alarms.chain(lead).collect(),
        lists: parts.iter().map(list).collect(),
        foot: plain(&format!("reaper {} · run {}", doc.version, doc.run_id), LINE),
    }
}

fn list(part: &Part) -> List {
    List {
        title: part.title.to_owned(),
        note: part.note.as_deref().map(|note| plain(note, LINE)),
        rows: part.rows.iter().map(row).collect(),
    }
}

/// The name and as many facts as there is room for; the first ones matter most.
fn row(row: &Row) -> String {
    let mut line = code(&row.name, NAME);
    let mut left = FACTS;
    for fact in &row.facts {
        let length = fact.chars().take(FACT).count();
        if length > left {
            line.push_str(" · …");
            break;
        }
        left -= length;
        line.push_str(" · ");
        line.push_str(&plain(fact, FACT));
    }
    line
}

/// A budget of which thresholds are reached, in the words of its mail.
fn alert(view: &BudgetView, covers: &[String], id: &str) -> Text {
    let forecasts: Vec<String> = covers
        .iter()
        .filter_map(|cover| cover.strip_prefix("forecast "))
        .map(str::to_owned)
        .collect();
    let is_forecast = !forecasts.is_empty();
    let reached = budget::thresholds(if is_forecast { &forecasts } else { covers });
    let name = outside(&view.name, NAME);
    let reached = outside(&reached, NAME);
    let title = if is_forecast {
        format!("Budget {name}: forecast reaches {reached}")
    } else {
        format!("Budget {name}: {reached} reached")
    };
    let month = view.from.format("%B %Y");
    let mut lead = vec![format!(
        "{} in {month} ({})",
        plain(&budget::spent(view), FACT),
        plain(&budget::used(view), FACT)
    )];
    if is_forecast {
        lead.push("This is a forecast, not money spent.".to_owned());
    }
    lead.extend(budget::excess(view).map(|excess| plain(&excess, FACT)));
    lead.push(format!("Forecast: {}", plain(&budget::forecast(view).join(" · "), LINE)));
    lead.push(format!("Basis: {}", budget::basis(view)));
    if !view.why.is_empty() {
        let label = if budget::is_incomplete(view) { "Missing" } else { "Note" };
        lead.push(format!("{label}: {}", plain(&view.why.join(" · "), LINE)));
    }
    lead.extend(budget::on_limit(view).map(|what| format!("Note: {what}.")));
    lead.push("This message stops nothing.".to_owned());
    Text {
        title: header(&title, MOST_HEADER),
        lead,
        lists: Vec::new(),
        foot: plain(&format!("alert {id}"), LINE),
    }
}

/// Stops and terminations that were confirmed.
fn stopped(stops: &[StoppedView]) -> Text {
    let ended = stops.iter().filter(|stop| stop.verb == Verb::Terminate).count();
    let machines = count(stops.len(), "machine");
    let title = match ended {
        0 => format!("reaper: {machines} stopped"),
        all if all == stops.len() => format!("reaper: {machines} terminated"),
        some => format!("reaper: {machines} stopped, {some} of them terminated"),
    };
    let rows = stops.iter().map(|stop| row(&stop_row(stop))).collect();
    Text {
        title: header(&title, MOST_HEADER),
        lead: vec!["The provider shows that their compute bill has ended.".to_owned()],
        lists: vec![List { title: "Stopped".to_owned(), note: None, rows }],
        foot: String::new(),
    }
}

fn stop_row(stop: &StoppedView) -> Row {
    let name = stop.name.clone().filter(|name| !name.trim().is_empty());
    let known = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let mut facts = vec![format!("{} {}", stop.verb.done(), when(stop.at))];
    facts.extend(stop.rule.as_ref().map(|rule| format!("rule {rule}")));
    facts.extend(stop.running_again.map(|at| format!("RUNNING AGAIN since {}", when(at))));
    facts.extend(stop.saved.map(|saved| format!("saved {saved} (compute)")));
    facts.push(format!("owner {}", known(stop.owner.clone())));
    facts.push(known(stop.machine_type.as_ref().map(ToString::to_string)));
    facts.push(format!("id {}", stop.id));
    Row { name: name.unwrap_or_else(|| stop.id.clone()), facts }
}

/// `Fri 4 Dec 2026 09:00 +01:00`.
fn when(at: DateTime<FixedOffset>) -> String {
    at.format("%a %-d %b %Y %H:%M %:z").to_string()
}
