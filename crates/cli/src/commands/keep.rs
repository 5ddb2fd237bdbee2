//! `reaper keep` and `reaper unkeep`: a machine exempted until a date, or no longer.

use std::io::Write as _;
use std::process::ExitCode;

use chrono::{DateTime, Days, NaiveTime, Utc};
use chrono_tz::Tz;
use reaper_engine::{Account, Clock, Inventory};
use reaper_ledger::{Decision, Entry, Opening};
use reaper_model::document::{KEEP_SCHEMA, KeepDocument, TagResult};
use reaper_model::{Class, InstanceId, Outcome, calendar};
use reaper_provider::{CallContext, ErrorKind, Pinned, RequestCounter};

use crate::args::{Format, Global};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::printer::{self, Printer, written};
use crate::run::{self, Setting, VERSION};
use crate::{loopback, open, signals, state};

/// What is asked of a machine.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wish<'a> {
    /// Keep it until a date, for a reason.
    Keep { until: &'a str, reason: &'a str },
    /// Keep it no longer.
    Unkeep,
}

pub(crate) async fn keep(
    global: &Global,
    environment: &Environment,
    printer: &Printer,
    id: &str,
    wish: Wish<'_>,
) -> Result<ExitCode, Failure> {
    let config = open::config(global, environment)?;
    let clock = run::clock(global, environment)?;
    if matches!(clock, Clock::Fixed(_)) {
        loopback::required(&config, "a tag cannot be set")?;
    }
    let term = match wish {
        Wish::Keep { until, reason } => Some(Term::read(until, reason, config.timezone, clock)?),
        Wish::Unkeep => None,
    };
    let accounts = open::accounts(&config, global, environment, open::SURROUNDINGS)?;
    let setting = Setting::new(config, accounts, global, clock, signals::heed());
    let mut out = printer.output()?;
    let progress = run::progress(printer);
    let inventory = setting.collect(&progress).await?;
    drop(progress);
    let (id, account) = find(&inventory, &setting.accounts, id.trim())?;
    let by = environment.user.clone().unwrap_or_else(|| "somebody".to_owned());
    record(&setting, environment, &id, term.as_ref(), &by).await?;
    let (tag, tag_why) = set_tag(&setting, &inventory, account, &id, term.as_ref()).await;
    let classes = if tag == TagResult::Failed { vec![Class::ActionFailed] } else { Vec::new() };
    let document = KeepDocument {
        schema: KEEP_SCHEMA.to_owned(),
        version: VERSION.to_owned(),
        id: id.to_string(),
        kept_until: term
            .as_ref()
            .map(|term| term.end.with_timezone(&setting.config.timezone).fixed_offset()),
        reason: term.as_ref().map(|term| term.reason.clone()),
        by,
        tag,
        tag_why,
        outcome: Outcome::new(classes, false),
    };
    if printer.format() == Format::Json {
        printer::json(&document, out)?;
    } else {
        let text = words(&document);
        let text = reaper_report::clean(&text);
        written(writeln!(out, "{text}").and_then(|()| out.finish()))?;
    }
    Ok(ExitCode::from(document.outcome.exit_code))
}

/// Until when, and why.
struct Term {
    /// Exclusive (UTC).
    end: DateTime<Utc>,
    /// As a tag's value.
    value: String,
    reason: String,
}

impl Term {
    /// A date holds to its end in the configured zone.
    fn read(until: &str, reason: &str, zone: Tz, clock: Clock) -> Result<Self, Failure> {
        let until = until.trim();
        let end = match calendar::date(until) {
            Some(date) => date.checked_add_days(Days::new(1)).and_then(|next| {
                let midnight = next.and_time(NaiveTime::MIN).and_local_timezone(zone);
                midnight.latest().or_else(|| {
                    // A midnight that the zone skips: the day ends with the hour after it.
                    let later = next.and_hms_opt(1, 0, 0)?.and_local_timezone(zone);
                    later.latest()
                })
            }),
            None => calendar::timestamp(until).map(|time| time.with_timezone(&zone)),
        };
        let Some(end) = end.map(|end| end.to_utc()) else {
            return Err(Failure::usage(
                format!("--until {until:?} is neither a date nor a time with an offset"),
                "write for example 2026-12-18 or 2026-12-18T17:00:00Z",
            ));
        };
        if end <= clock.now() {
            return Err(Failure::usage(
                format!("--until {until} has passed"),
                "an exemption ends in the future",
            ));
        }
        let reason = reason.trim();
        if reason.is_empty() {
            return Err(Failure::usage("--reason is empty", "say why the machine is needed"));
        }
        Ok(Self { end, value: until.to_owned(), reason: reason.to_owned() })
    }
}

/// The one machine that the text names.
fn find<'a>(
    inventory: &Inventory,
    accounts: &'a [Account],
    wanted: &str,
) -> Result<(InstanceId, &'a Account), Failure> {
    let mut found = Vec::new();
    let mut seen = 0_usize;
    for read in &inventory.scopes {
        for machine in read.listing.got() {
            seen += 1;
            if machine.id.native == wanted || machine.id.to_string() == wanted {
                found.push((machine.id.clone(), read.scope.account.clone()));
            }
        }
    }
    match found.as_slice() {
        [(id, account)] => accounts
            .iter()
            .find(|known| known.name == *account)
            .map(|account| (id.clone(), account))
            .ok_or_else(|| Failure::internal(format!("{id} was listed by no known account"))),
        [] => {
            let unread = if inventory.is_whole() { "" } else { "; not everything could be read" };
            Err(Failure::usage(
                format!("unknown id {wanted:?}: none of {seen} machines has it{unread}"),
                "`reaper audit --format json` lists all ids",
            ))
        }
        several => {
            let ids: Vec<String> = several.iter().map(|(id, _)| id.to_string()).collect();
            Err(Failure::usage(
                format!("{wanted:?} names {} machines", ids.len()),
                format!("use the full id: {}", ids.join(" or ")),
            ))
        }
    }
}

/// The state first: from then on the machine is exempt for every runner that shares it.
async fn record(
    setting: &Setting,
    environment: &Environment,
    id: &InstanceId,
    term: Option<&Term>,
    by: &str,
) -> Result<(), Failure> {
    let store = state::store(&setting.config, environment)?;
    let mut ledger = state::ledger(store, setting.writer(), Opening::OrNew).await?;
    let entry = match term {
        Some(term) => Entry::Exempted {
            id: id.clone(),
            until: term.end,
            reason: term.reason.clone(),
            by: by.to_owned(),
        },
        None => Entry::ExemptionEnded { id: id.clone(), by: by.to_owned() },
    };
    let recorded = ledger.append(setting.now(), |state| {
        let known = state.exemptions().any(|(kept, _)| kept == id);
        if term.is_some() || known {
            Decision::Write(vec![entry.clone()], ())
        } else {
            Decision::Leave(())
        }
    });
    recorded.await.map_err(|error| state::untrusted(&error))
}

async fn set_tag(
    setting: &Setting,
    inventory: &Inventory,
    account: &Account,
    id: &InstanceId,
    term: Option<&Term>,
) -> (TagResult, Option<String>) {
    let provider = account.provider.as_ref();
    if provider.tag_call().is_none() {
        let why = format!("machines of {} take no tags", provider.name());
        return (TagResult::NotOffered, Some(why));
    }
    let key = &setting.config.policy.protect.tag;
    let permit = inventory
        .identities
        .get(&account.name)
        .ok_or_else(|| "its account did not log in".to_owned())
        .and_then(|identity| {
            let pin = account.expect_account.as_deref();
            Pinned::compare(&account.name, &provider.name(), pin, identity)
                .and_then(|pinned| pinned.tag(id, key, term.map(|term| term.value.as_str())))
                .map_err(|refusal| refusal.to_string())
        });
    let permit = match permit {
        Ok(permit) => permit,
        Err(why) => return (TagResult::NotAllowed, Some(why)),
    };
    let cx = CallContext { now: setting.now(), requests: RequestCounter::default() };
    match provider.tag(&cx, permit).await {
        Ok(()) if term.is_some() => (TagResult::Set, None),
        Ok(()) => (TagResult::Removed, None),
        Err(error) if term.is_none() && error.kind == ErrorKind::NotFound => {
            (TagResult::Removed, None)
        }
        Err(error) => (TagResult::Failed, Some(error.to_string())),
    }
}

fn words(document: &KeepDocument) -> String {
    let KeepDocument { id, kept_until, tag, tag_why, .. } = document;
    let kept = match kept_until {
        Some(until) => {
            format!("{id} is kept until {}", until.format("%Y-%m-%d %H:%M %:z"))
        }
        None => format!("{id} is no longer kept"),
    };
    let why = tag_why.as_deref().unwrap_or("no reason given");
    match tag {
        // A dated tag protects until that day is over everywhere, which may be half a day more.
        TagResult::Set => format!("{kept} in the state, and by its tag at least as long"),
        TagResult::Removed => format!("{kept}: neither by its tag nor in the state"),
        TagResult::NotOffered | TagResult::NotAllowed => {
            format!("{kept}, in the state alone: {why}")
        }
        TagResult::Failed => {
            format!("{kept}, in the state; its tag could not be changed: {why}")
        }
    }
}
