//! The weekly report of a run, and what channels are told of its stops.

use reaper_budget::Piece;
use reaper_ledger::{Error, State};
use reaper_model::document::{KeptView, MailStatus, MailView};
use reaper_model::{AuditDocument, Class};
use reaper_policy::Policy;

use super::Runner;
use super::found::Found;
use crate::error::chain;
use crate::journal::Journal;
use crate::money::books::Books;
use crate::overlay;
use crate::weekly::changes::Sources;
use crate::weekly::kept::kept;
use crate::weekly::period::{Period, is_due_to, period, period_of};
use crate::weekly::send::{self, To};

/// A report that is due, with what is only known before the document is made.
pub(super) struct Due {
    period: Period,
    kept: Vec<KeptView>,
}

impl Runner<'_> {
    /// Whether a report is due. Never in a run that says nothing to anybody, that was refused, or
    /// that looked at some accounts alone: those are no report of everything.
    pub(super) fn due_report(&self, found: &Found, journal: &Journal) -> Option<Due> {
        let reports = self.settings.reports.as_ref().filter(|_| self.reports_whole(found))?;
        let to = reports.to.iter().chain(&self.settings.channels.reports);
        let whole: Vec<&str> = to.map(String::as_str).collect();
        let period = period(&reports.timetable, journal.state(), &whole, self.clock.now())?;
        let places = (&self.settings.exchange, self.settings.zone);
        let since = period.from;
        let kept = kept(&found.machines, &found.policy, journal.state(), since, places);
        Some(Due { period, kept })
    }

    /// Whether a report is due that this run, of some accounts alone, can not be.
    fn waits_for_all_accounts(&self, state: &State) -> bool {
        let reports = self.settings.reports.as_ref();
        let reports = reports.filter(|_| self.orders.tells.reports && !self.settings.all_accounts);
        reports.is_some_and(|reports| {
            let last = reports.timetable.last_at_or_before(self.clock.now());
            last.is_some_and(|last| !state.is_report_made(last))
        })
    }

    fn reports_whole(&self, found: &Found) -> bool {
        self.orders.tells.reports
            && !found.refused()
            && found.books.is_some()
            && self.settings.all_accounts
    }

    /// Puts the weekly part into the document and sends it; tells channels of stops. What fails
    /// here undoes nothing, and what was sent before it is said: so is the failure.
    pub(super) async fn tell_of_the_week(
        &self,
        due: Option<Due>,
        (books, policy): (Option<&Books>, &Policy),
        document: &mut AuditDocument,
        journal: &mut Journal,
    ) {
        let state = journal.state().clone();
        let pieces: Vec<Piece<'_>> = books.map(|books| books.pieces(&state)).unwrap_or_default();
        let sources = Sources {
            state: &state,
            pieces: &pieces,
            exchange: &self.settings.exchange,
            zone: self.settings.zone,
        };
        if self.waits_for_all_accounts(&state) {
            let text = "the weekly report is due, and waits for a run over all accounts".to_owned();
            overlay::warn(document, "report-waits", text);
        }
        let mut mails = Vec::new();
        let stops = self.tell_of_stops(&sources, &mut mails, journal).await;
        let report = match due {
            Some(due) => {
                let told = (due, &sources, policy);
                self.send_report(told, document, &mut mails, journal).await
            }
            None => Ok(()),
        };
        let undelivered =
            |mail: &MailView| !matches!(mail.status, MailStatus::Accepted | MailStatus::Due);
        if mails.iter().any(undelivered) {
            overlay::add_class(document, Class::Undelivered);
        }
        document.mails.extend(mails);
        for error in [stops, report].into_iter().filter_map(Result::err) {
            let text = format!("what was sent could not be recorded: {}", chain(&error));
            overlay::warn(document, "state-unwritten", text);
            overlay::add_class(document, Class::Refused);
        }
    }

    async fn tell_of_stops(
        &self,
        sources: &Sources<'_>,
        mails: &mut Vec<MailView>,
        journal: &mut Journal,
    ) -> Result<(), Error> {
        if !self.orders.tells.stops {
            return Ok(());
        }
        let courier = self.courier();
        for name in &self.settings.channels.stops {
            for stop in sources.state.stops() {
                let shown = sources.stop(stop, self.clock.now());
                mails.extend(send::stop(&courier, name, stop, &shown, journal).await?);
            }
        }
        Ok(())
    }

    async fn send_report(
        &self,
        (Due { period, kept }, sources, policy): (Due, &Sources<'_>, &Policy),
        document: &mut AuditDocument,
        mails: &mut Vec<MailView>,
        journal: &mut Journal,
    ) -> Result<(), Error> {
        let Some(reports) = &self.settings.reports else { return Ok(()) };
        document.report = Some(sources.report(&period, kept.clone()));
        let desk = send::Desk {
            courier: self.courier(),
            reports,
            topics: &self.settings.channels,
            routing: &self.settings.routing,
            policy,
            state: sources.state,
            until: period.until,
            keep_tag: &self.settings.policy.protect.tag,
            zone: self.settings.zone,
        };
        let recipients = desk.recipients(document);
        let is_due = |to: &&To| is_due_to(sources.state, period.due, &to.name());
        let due: Vec<To> = recipients.iter().filter(is_due).cloned().collect();
        if due.is_empty() && sources.state.is_report_made(period.due) {
            // Whoever was still waited for gets none any more.
            document.report = None;
            return Ok(());
        }
        self.archive(&period, document, journal).await;
        for to in &due {
            let own = period_of(&reports.timetable, sources.state, &period, &to.name());
            let mail = if to.is_whole() && own != period {
                let report = Some(sources.report(&own, kept.clone()));
                let own_document = AuditDocument { report, ..document.clone() };
                desk.send(to, &own, &own_document, journal).await?
            } else {
                desk.send(to, &period, document, journal).await?
            };
            mails.extend(mail);
        }
        send::close(&desk, &period, &recipients, journal).await?;
        if !due.is_empty() {
            desk.courier.end().await;
        }
        Ok(())
    }

    /// Keeps the document before anything of it is sent, so that a mail server that is silent
    /// loses nothing.
    async fn archive(&self, period: &Period, document: &mut AuditDocument, journal: &Journal) {
        let mut json = Vec::new();
        let kept = match reaper_report::json(document, &mut json) {
            Ok(()) => journal.archive(period.due, &json).await.map_err(|error| chain(&error)),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = kept {
            let text = format!("the report could not be kept for `reaper report`: {why}");
            overlay::warn(document, "report-unkept", text);
        }
    }
}
