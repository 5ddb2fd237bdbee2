//! `reaper report`: a document of before, shown in any format or sent again. Asks no provider and
//! writes no state.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use chrono_tz::Tz;
use reaper_config::Config;
use reaper_engine::Clock;
use reaper_model::document::{MailKind, MailStatus, MailView, SCHEMA};
use reaper_model::{AuditDocument, Class};
use reaper_notify::weekly::{self, Reader, Weekly};
use reaper_notify::{Address, Delivery, Mail, Post as _};
use url::Url;

use crate::args::Global;
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::{Printer, alert};
use crate::{ci, loopback, mailer, open, run, state};

/// What the command line asks for.
#[derive(Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) from: Option<&'a Path>,
    pub(crate) send: bool,
    pub(crate) to: &'a [String],
}

pub(crate) async fn report(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    wish: &Wish<'_>,
) -> Result<ExitCode, Failure> {
    let config = match wish.from {
        Some(_) if !wish.send => None,
        _ => Some(open::config(global, environment)?),
    };
    let mut document = match (wish.from, &config) {
        (Some(path), _) => read(path)?,
        (None, Some(config)) => kept(config, environment).await?,
        (None, None) => return Err(Failure::internal("a report from nowhere")),
    };
    let out = printer.output()?;
    let mut undelivered = false;
    if let (true, Some(config)) = (wish.send, &config) {
        let sender = Sender::new(config, environment, global, &document)?;
        document.mails = sender.send(&document, wish.to).await?;
        for mail in &document.mails {
            let why = mail.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let line = format!("report to {} {}{why}", mail.to, mail.status.name());
            alert(&reaper_report::clean(&line));
        }
        undelivered = document.mails.iter().any(|mail| mail.status != MailStatus::Accepted);
    }
    printer.show(&document, &[], out)?;
    Ok(if undelivered { ExitCode::from(Class::Undelivered.exit_code()) } else { ExitCode::SUCCESS })
}

/// A document from a file; `-` is standard input.
fn read(path: &Path) -> Result<AuditDocument, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(
            format!("cannot read {}: {error}", path.display()),
            "--from takes what `reaper audit --format json` has written",
        )
    };
    let mut json = Vec::new();
    if path == Path::new("-") {
        std::io::stdin().lock().read_to_end(&mut json).map_err(unreadable)?;
    } else {
        json = std::fs::read(path).map_err(unreadable)?;
    }
    parse(&json, &path.display().to_string())
}

/// The newest report that a run has kept.
async fn kept(config: &Config, environment: &Environment) -> Result<AuditDocument, Failure> {
    let store = state::store(config, environment)?;
    let found = store.newest_archived().await.map_err(|error| state::untrusted(&error))?;
    let Some((object, json)) = found else {
        return Err(Failure::usage(
            format!("{store}: no weekly report was made yet"),
            "the first `reaper run` makes one; of what is there now: `reaper audit --format json | \
             reaper report --from -`",
        ));
    };
    parse(&json, &object)
}

fn parse(json: &[u8], name: &str) -> Result<AuditDocument, Failure> {
    let document: AuditDocument = serde_json::from_slice(json).map_err(|error| {
        Failure::usage(
            format!("{name} is not a document that this version understands: {error}"),
            "--from takes what `reaper audit --format json` has written",
        )
    })?;
    if document.schema == SCHEMA {
        Ok(document)
    } else {
        Err(Failure::usage(
            format!("{name} calls itself {:?}, which is not {SCHEMA}", document.schema),
            "--from takes what `reaper audit --format json` has written",
        ))
    }
}

/// Everything that a mail needs besides the document.
struct Sender<'a> {
    config: &'a Config,
    mailer: reaper_notify::SmtpMailer,
    link: Option<Url>,
    clock: Clock,
    zone: Tz,
}

impl<'a> Sender<'a> {
    fn new(
        config: &'a Config,
        environment: &Environment,
        global: &Global,
        document: &AuditDocument,
    ) -> Result<Self, Failure> {
        let Some(mailer) = mailer::mailer(config, environment)? else {
            return Err(Failure::usage("--send needs a mail server", "write a [notify.email]"));
        };
        // The document's own zone, so that all of it tells the same times.
        let zone = document.period.timezone.parse().unwrap_or(config.timezone);
        let clock = run::clock(global, environment)?;
        if matches!(clock, Clock::Fixed(_)) {
            loopback::required_of_mail(config, "report --send")?;
        }
        Ok(Self { config, mailer, link: ci::run_link(environment), clock, zone })
    }

    /// Sends to those who are named, or to everybody who gets all of the report.
    async fn send(
        &self,
        document: &AuditDocument,
        to: &[String],
    ) -> Result<Vec<MailView>, Failure> {
        let configured = self.config.email.as_ref().map(|email| &email.report_to);
        let to = match (to, configured) {
            ([], Some(configured)) => configured.iter(),
            (named, _) => named.iter(),
        };
        let to: Vec<Address> = to.map(|to| address(to)).collect::<Result<_, _>>()?;
        if to.is_empty() {
            return Err(Failure::usage(
                "--send has nobody to send to",
                "write `report_to` into [notify.email], or say --to ADDRESS",
            ));
        }
        let mut views = Vec::new();
        for to in to {
            let mail = self.mail(document, &to)?;
            let delivery = self.mailer.post(&mail).await;
            views.push(view(&mail, delivery));
        }
        self.mailer.end().await;
        Ok(views)
    }

    fn mail(&self, document: &AuditDocument, to: &Address) -> Result<Mail, Failure> {
        let fault = |error: &dyn std::fmt::Display| Failure::internal(format!("the mail: {error}"));
        Weekly {
            key: weekly::key(document, to).map_err(|error| fault(&error))?,
            thread: weekly::thread(document, to).map_err(|error| fault(&error))?,
            to: to.clone(),
            at: self.clock.now(),
            zone: self.zone,
            contact: self.config.policy.owners.fallback.as_deref(),
            link: self.link.as_ref(),
            keep_tag: &self.config.policy.protect.tag,
            doc: document,
            reader: Reader::Digest,
        }
        .mail()
        .map_err(|error| fault(&error))
    }
}

fn address(text: &str) -> Result<Address, Failure> {
    text.trim().parse().map_err(|error| Failure::Usage(format!("{text:?}: {error}"), None))
}

fn view(mail: &Mail, delivery: Delivery) -> MailView {
    let (status, why) = match delivery {
        Delivery::Accepted { .. } => (MailStatus::Accepted, None),
        Delivery::PossiblySent { why } => (MailStatus::PossiblySent, Some(why)),
        Delivery::Rejected { permanent: true, why, .. } => (MailStatus::Rejected, Some(why)),
        Delivery::Rejected { permanent: false, why, .. } => (MailStatus::Deferred, Some(why)),
    };
    MailView {
        to: mail.to.to_string(),
        kind: MailKind::Report,
        subject: mail.subject.clone(),
        status,
        why,
        machines: Vec::new(),
        key: mail.key.to_string(),
    }
}
