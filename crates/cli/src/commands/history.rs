//! `reaper history`: the audit log, put into sentences; or the whole log checked.

use std::io::Write as _;
use std::process::ExitCode;

use chrono_tz::Tz;
use futures::TryStreamExt;
use reaper_ledger::{ActionStep, AlertIntent, AlertKey, Commit, Entry, Sending, Store, View};
use reaper_model::document::{HISTORY_SCHEMA, HistoryDocument, RecordView, VerifiedView};
use reaper_model::{InstanceId, NoticeStep, Rate};

use super::readings::Readings;
use crate::args::{Format, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::{self, Printer, written};
use crate::run::VERSION;
use crate::{open, state};

pub(crate) async fn history(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    id: Option<&str>,
    verify: bool,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let zone = config.timezone;
    let store = state::store(&config, environment)?;
    let mut out = printer.output()?;
    let mut document = HistoryDocument {
        schema: HISTORY_SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        place: store.to_string(),
        records: Vec::new(),
        verified: None,
    };
    match state::view(&store).await? {
        None if verify => {
            return Err(Failure::State(format!("{store}: nothing is recorded here")));
        }
        None => printer.say(&format!("{store}: nothing was ever recorded here")),
        Some(_) if verify => document.verified = Some(verified(&store).await?),
        Some(view) => {
            document.records = records(&view, &store, id.map(str::trim), zone).await?;
        }
    }
    if let (Some(id), true) = (id, document.records.is_empty() && !verify) {
        printer.say(&format!("{id:?}: nothing is recorded of it"));
    }
    if printer.format() == Format::Json {
        printer::json(&document, out)?;
    } else {
        let text = reaper_report::history(&document, &printer.table_options());
        let text = printer::preformatted(text, printer.format());
        written(out.write_all(text.as_bytes()).and_then(|()| out.finish()))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn verified(store: &Store) -> Result<VerifiedView, Failure> {
    let verified = reaper_ledger::verify(store).await.map_err(|error| state::untrusted(&error))?;
    Ok(VerifiedView {
        commits: verified.commits,
        snapshots: verified.snapshots,
        head: verified.head.digest.to_string(),
    })
}

async fn records(
    view: &View,
    store: &Store,
    wanted: Option<&str>,
    zone: Tz,
) -> Result<Vec<RecordView>, Failure> {
    let mut records = Vec::new();
    let commits = view.history(store).await.map_err(|error| state::untrusted(&error))?;
    let mut commits = std::pin::pin!(commits);
    // Answers to a notice name its key alone: whose it was stands in its intent.
    let mut subjects = Subjects::default();
    let mut readings = Readings::default();
    while let Some(commit) = commits.try_next().await.map_err(|error| state::untrusted(&error))? {
        for entry in &commit.entries {
            subjects.learn(entry);
            let of = said(entry, &subjects, &mut readings, zone);
            let fits = |record: &Said| match (wanted, &record.machine) {
                (None, _) => true,
                (Some(wanted), Some(id)) => id.native == wanted || id.to_string() == wanted,
                (Some(_), None) => false,
            };
            records.extend(of.into_iter().filter(fits).map(|said| said.record(&commit, zone)));
        }
    }
    Ok(records)
}

/// Of a plan's digest, `sha256:` included.
const PLAN_DIGITS: usize = 19;

/// What a notice was about, by its key.
#[derive(Default)]
struct Subjects(std::collections::BTreeMap<String, (String, NoticeStep, Vec<InstanceId>)>);

impl Subjects {
    fn learn(&mut self, entry: &Entry) {
        if let Entry::Notice { key, step: Sending::Intended(intent) } = entry {
            let mut ids: Vec<InstanceId> =
                intent.about.iter().map(|about| about.id.clone()).collect();
            ids.sort();
            ids.dedup();
            self.0.insert(key.clone(), (intent.to.clone(), intent.step, ids));
        }
    }
}

/// One sentence of the log.
struct Said {
    kind: &'static str,
    machine: Option<InstanceId>,
    rule: Option<String>,
    text: String,
}

impl Said {
    fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, machine: None, rule: None, text: text.into() }
    }

    fn of(kind: &'static str, id: &InstanceId, text: impl Into<String>) -> Self {
        Self { machine: Some(id.clone()), ..Self::new(kind, text) }
    }

    fn by_rule(self, rule: &str) -> Self {
        Self { rule: Some(rule.to_owned()), ..self }
    }

    fn record(self, commit: &Commit, zone: Tz) -> RecordView {
        RecordView {
            at: commit.header.at.with_timezone(&zone).fixed_offset(),
            run: commit.header.writer.to_string(),
            kind: self.kind.to_owned(),
            machine: self.machine.map(|id| id.to_string()),
            rule: self.rule,
            text: self.text,
            commit: commit.header.number,
        }
    }
}

/// An entry in sentences; bookkeeping that nobody asks for has none.
fn said(entry: &Entry, subjects: &Subjects, readings: &mut Readings, zone: Tz) -> Vec<Said> {
    let time = |at: &chrono::DateTime<chrono::Utc>| {
        at.with_timezone(&zone).format("%a %-d %b %Y %H:%M %:z").to_string()
    };
    match entry {
        Entry::RunStarted { command, enforces, .. } => {
            let how = if *enforces { "enforcing" } else { "reporting" };
            vec![Said::new("run", format!("{command} began, {how}"))]
        }
        Entry::RunEnded { classes, complete, interrupted } => {
            let classes: Vec<&str> = classes.iter().map(|class| class.name()).collect();
            let whole = if *complete { "everything was read" } else { "not everything was read" };
            let cut = if *interrupted { ", interrupted" } else { "" };
            vec![Said::new("run", format!("ended: {} ({whole}{cut})", classes.join(", ")))]
        }
        Entry::Seen { place, appeared, absent, .. } => {
            let new = appeared
                .iter()
                .map(|native| Said::of("seen", &place.machine(native.as_str()), "appeared"));
            let gone = absent.iter().map(|native| {
                Said::of("seen", &place.machine(native.as_str()), "not in a complete listing")
            });
            new.chain(gone).collect()
        }
        Entry::NotFound { id } => vec![Said::of("seen", id, "the provider knows it no more")],
        Entry::Metered { id, absent, reading, .. } => {
            vec![Said::of("bill", id, readings.next(id, absent.as_ref(), reading, time))]
        }
        Entry::RatesFrozen { period, rates } => {
            let rates = rates.iter().map(|Rate { from, to, rate, as_of }| {
                format!("1 {from} = {} {to} as of {as_of}", rate.normalize())
            });
            let rates: Vec<String> = rates.collect();
            vec![Said::new("rate", format!("{period} counts at {}", rates.join(", ")))]
        }
        Entry::CaseChanged { id, rule, case } => {
            let text = match case {
                None => "cleared".to_owned(),
                Some(case) => {
                    let due = case.due_at.as_ref().map(|due| format!(", due {}", time(due)));
                    format!("{}{}: {}", case.phase.name(), due.unwrap_or_default(), case.why)
                }
            };
            vec![Said::of("case", id, text).by_rule(rule)]
        }
        Entry::Notice { key, step } => {
            let Some((to, what, ids)) = subjects.0.get(key) else {
                return vec![Said::new("mail", format!("{key}: {}", sending(step)))];
            };
            let text = format!("{} notice to {to}: {}", what.name(), sending(step));
            ids.iter().map(|id| Said::of("mail", id, text.clone())).collect()
        }
        Entry::Alert { key, step } => {
            let AlertKey { budget, period, basis, threshold, limit, to } = key;
            let level = format!("{budget}: {threshold} of {limit} in {period}, {basis}");
            let at = match step {
                Sending::Intended(AlertIntent { percent, spent, .. }) => {
                    format!(", at {percent} % ({spent})")
                }
                _ => String::new(),
            };
            vec![Said::new("alert", format!("{level}{at}, to {to}: {}", sending(step)))]
        }
        Entry::Report { key, step } => {
            let due = time(&key.due);
            vec![Said::new("report", format!("of {due}, to {}: {}", key.to, sending(step)))]
        }
        Entry::ReportMade { due } => {
            let text = format!("of {}: everybody was tried", time(due));
            vec![Said::new("report", text)]
        }
        Entry::StopTold { key, step } => {
            vec![Said::of("mail", &key.id, format!("stop told to {}: {}", key.to, sending(step)))]
        }
        Entry::Rearmed { budget, period, threshold } => {
            let text = format!("{budget}: the forecast for {period} fell well below {threshold}");
            vec![Said::new("alert", text)]
        }
        Entry::Action { id, rule, verb, step } => {
            let text = match step {
                ActionStep::Intended { plan, .. } => {
                    // Enough to find the plan; the whole digest is in the log.
                    let plan: String = plan.chars().take(PLAN_DIGITS).collect();
                    format!("{} intended by plan {plan}", verb.name())
                }
                ActionStep::Ended { result, why } => {
                    format!("{} {}: {why}", verb.name(), result.name())
                }
            };
            vec![Said::of("action", id, text).by_rule(rule)]
        }
        Entry::Exempted { id, until, reason, by } => {
            let text = format!("kept by {by} until {}: {reason}", time(until));
            vec![Said::of("kept", id, text)]
        }
        Entry::ExemptionEnded { id, by } => {
            vec![Said::of("kept", id, format!("no longer kept, says {by}"))]
        }
        Entry::MetersRead { .. }
        | Entry::Claimed { .. }
        | Entry::Released { .. }
        | Entry::Pruned { .. } => Vec::new(),
    }
}

fn sending<I>(step: &Sending<I>) -> String {
    match step {
        Sending::Intended(_) => "about to be sent".to_owned(),
        Sending::Accepted => "accepted".to_owned(),
        Sending::Rejected { permanent: true, why } => format!("refused for good: {why}"),
        Sending::Rejected { permanent: false, why } => format!("not sent: {why}"),
        Sending::PossiblySent { why } => format!("possibly sent: {why}"),
    }
}
