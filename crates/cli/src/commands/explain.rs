//! `reaper explain ID`: every fact known of one machine, and how each rule judged it.

use std::process::ExitCode;

use reaper_model::AuditDocument;
use reaper_model::document::MachineView;
use reaper_policy::RuleAnswer;
use reaper_report::{Answer, RuleLine};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{Format, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::open;
use crate::printer::{Printer, written};
use crate::run::{self, Setting};

/// What `explain --format json` prints.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExplainDocument {
    /// Always `reaper.explain/1`.
    schema: String,
    /// The machine, as in the audit document.
    machine: MachineView,
    /// How each rule judged it.
    rules: Vec<RuleView>,
}

/// How one rule judged the machine.
#[derive(Debug, Serialize, JsonSchema)]
struct RuleView {
    /// The rule's name.
    rule: String,
    /// `yes`, `no` or `unknown`.
    answer: &'static str,
    /// The evidence.
    explanation: String,
}

pub(crate) async fn explain(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    id: &str,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    let limits = run::limits(&config, global);
    let setting = Setting { config, accounts, limits, now: run::clock(global) };
    let mut out = printer.output()?;
    let wanted = id.trim();
    let mut answers: Vec<(String, Vec<RuleAnswer>)> = Vec::new();
    let progress = run::progress(printer);
    let document = setting
        .audit(&progress, |machines| {
            let named = machines.iter().filter(|machine| {
                let id = &machine.instance.id;
                id.native == wanted || id.to_string() == wanted
            });
            answers = named
                .map(|machine| (machine.instance.id.to_string(), machine.judgement.rules.clone()))
                .collect();
        })
        .await?;
    drop(progress);
    let (full, rules) = match <[_; 1]>::try_from(answers) {
        Ok([only]) => only,
        Err(answers) if answers.is_empty() => return Err(unknown(wanted, &document)),
        Err(several) => return Err(ambiguous(wanted, &several)),
    };
    let machine =
        document.instances.iter().find(|machine| machine.id == full).ok_or_else(|| {
            Failure::internal(format!("{full} was judged and is not in the document"))
        })?;
    let result = match printer.format() {
        Format::Json => {
            let view = ExplainDocument {
                schema: "reaper.explain/1".to_owned(),
                machine: machine.clone(),
                rules: rules.into_iter().map(view).collect(),
            };
            serde_json::to_writer_pretty(&mut out, &view)
                .map_err(std::io::Error::from)
                .and_then(|()| writeln!(out))
        }
        Format::Table | Format::Markdown => {
            let lines: Vec<RuleLine> = rules.into_iter().map(line).collect();
            let text = reaper_report::explain(machine, &lines, &document, &printer.table_options());
            out.write_all(text.as_bytes())
        }
    };
    written(result.and_then(|()| out.flush()))?;
    Ok(ExitCode::from(document.outcome.exit_code))
}

fn unknown(wanted: &str, document: &AuditDocument) -> Failure {
    let read = document.instances.len();
    let unread = document.outcome.exit_code == reaper_model::Class::Incomplete.exit_code();
    let help = if unread {
        "not everything could be read: `reaper audit` says what is missing".to_owned()
    } else {
        "`reaper audit --format json` lists all ids; terminated machines disappear after a while"
            .to_owned()
    };
    Failure::usage(format!("unknown id {wanted:?}: none of {read} machines has it"), help)
}

fn ambiguous(wanted: &str, several: &[(String, Vec<RuleAnswer>)]) -> Failure {
    let ids: Vec<&str> = several.iter().map(|(id, _)| id.as_str()).collect();
    Failure::usage(
        format!("{wanted:?} names {} machines", ids.len()),
        format!("use the full id: {}", ids.join(" or ")),
    )
}

fn view(answer: RuleAnswer) -> RuleView {
    RuleView { answer: answer.answer.name(), rule: answer.rule, explanation: answer.explanation }
}

fn line(answer: RuleAnswer) -> RuleLine {
    let word = match answer.answer {
        reaper_policy::Answer::Yes => Answer::Yes,
        reaper_policy::Answer::No => Answer::No,
        reaper_policy::Answer::Unknown => Answer::Unknown,
    };
    RuleLine { rule: answer.rule, answer: word, explanation: answer.explanation }
}
