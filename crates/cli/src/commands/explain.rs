//! `reaper explain ID`: every fact known of one machine, and how each rule judged it.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Mutex;

use reaper_engine::Assessed;
use reaper_model::AuditDocument;
use reaper_model::document::{EXPLAIN_SCHEMA, ExplainDocument, RuleView};
use reaper_model::outcome::EXIT_FINDINGS;
use reaper_policy::RuleAnswer;

use crate::args::{Format, Global};
use crate::commands::audit::{history, note_unread, say_what_failed};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::{self, Printer, alert, written};
use crate::run::{self, Setting};
use crate::{open, signals};

pub(crate) async fn explain(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    id: &str,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    let clock = run::clock(global, environment)?;
    let setting =
        Setting::new(config, accounts, global, clock, signals::heed()).measured(environment)?;
    let mut out = printer.output()?;
    let wanted = id.trim();
    let (journal, unread) = history(&setting, environment).await;
    let progress = run::progress(printer);
    let answers = Mutex::new(Vec::new());
    let look = |machines: &[Assessed]| {
        let named = machines.iter().filter(|machine| {
            let id = &machine.instance.id;
            id.native == wanted || id.to_string() == wanted
        });
        let named: Vec<(String, Vec<RuleView>)> = named
            .map(|machine| {
                let rules = machine.judgement.rules.iter().map(view).collect();
                (machine.instance.id.to_string(), rules)
            })
            .collect();
        // Nobody panics while holding it.
        if let Ok(mut answers) = answers.lock() {
            *answers = named;
        }
    };
    let ran = setting.look(journal, &progress, &look).await?;
    drop(progress);
    let mut document = ran.document;
    note_unread(&mut document, unread);
    let answers = answers.into_inner().unwrap_or_default();
    let (full, rules) = match <[_; 1]>::try_from(answers) {
        Ok([only]) => only,
        Err(answers) if answers.is_empty() => return unknown(wanted, &document),
        Err(several) => return Err(ambiguous(wanted, &several)),
    };
    let machine =
        document.instances.iter().find(|machine| machine.id == full).ok_or_else(|| {
            Failure::internal(format!("{full} was judged and is not in the document"))
        })?;
    match printer.format() {
        Format::Json => {
            let schema = EXPLAIN_SCHEMA.to_owned();
            printer::json(&ExplainDocument { schema, machine: machine.clone(), rules }, out)?;
        }
        format => {
            let options = printer.table_options();
            let text = reaper_report::explain(machine, &rules, &document, &options);
            let text = printer::preformatted(text, format);
            written(out.write_all(text.as_bytes()).and_then(|()| out.finish()))?;
        }
    }
    Ok(ExitCode::from(document.outcome.exit_code))
}

/// The machine is not there, or may be where nothing could be read: then that is the answer.
fn unknown(wanted: &str, document: &AuditDocument) -> Result<ExitCode, Failure> {
    let code = document.outcome.exit_code;
    if !matches!(code, 0 | EXIT_FINDINGS) {
        alert(&format!("{wanted:?} was not seen in what could be read"));
        say_what_failed(document);
        return Ok(ExitCode::from(code));
    }
    Err(Failure::usage(
        format!("unknown id {wanted:?}: none of {} machines has it", document.instances.len()),
        "`reaper audit --format json` lists all ids; terminated machines disappear after a while",
    ))
}

fn ambiguous(wanted: &str, several: &[(String, Vec<RuleView>)]) -> Failure {
    let ids: Vec<&str> = several.iter().map(|(id, _)| id.as_str()).collect();
    Failure::usage(
        format!("{wanted:?} names {} machines", ids.len()),
        format!("use the full id: {}", ids.join(" or ")),
    )
}

fn view(answer: &RuleAnswer) -> RuleView {
    RuleView {
        rule: answer.rule.clone(),
        answer: answer.answer,
        explanation: answer.explanation.clone(),
    }
}
