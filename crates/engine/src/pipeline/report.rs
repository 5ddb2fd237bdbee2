//! The weekly report of a run, and what channels are told of its stops.

use reaper_budget::Piece;
use reaper_ledger::Error;
use reaper_model::document::{KeptView, MailStatus, MailView};
use reaper_model::{AuditDocument, Class};

use super::Runner;
use super::found::Found;
use crate::error::chain;
use crate::journal::Journal;
use crate::money::books::Books;
use crate::overlay;
use crate::weekly::changes::Sources;
use crate::weekly::kept::kept;
use crate::weekly::period::{Period, period};
use crate::weekly::send;

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
        let period = period(&reports.timetable, journal.state(), self.clock.now())?;
        let places = (&self.settings.exchange, self.settings.zone);
        let since = period.from;
        let kept = kept(&found.machines, &found.policy, journal.state(), since, places);
        Some(Due { period, kept })
    }

    fn reports_whole(&self, found: &Found) -> bool {
        self.orders.tells.reports
            && !found.refused()
            && found.books.is_some()
            && self.settings.all_accounts
    }

    /// Puts the weekly part into the document and sends it; tells channels of stops. What fails
    /// here undoes nothing: the document says so.
    pub(super) async fn tell_of_the_week(
        &self,
        due: Option<Due>,
        books: Option<&Books>,
        document: &mut AuditDocument,
        journal: &mut Journal,
    ) {
        if self.orders.tells.is_nothing() {
            return;
        }
        let told = self.send_report(due, books, document, journal).await;
        match told {
            Ok(mails) => {
                let undelivered = |mail: &MailView| {
                    !matches!(mail.status, MailStatus::Accepted | MailStatus::Due)
                };
                if mails.iter().any(undelivered) {
                    overlay::add_class(document, Class::Undelivered);
                }
                document.mails.extend(mails);
            }
            Err(error) => {
                let text = format!("what was sent could not be recorded: {}", chain(&error));
                overlay::warn(document, "state-unwritten", text);
                overlay::add_class(document, Class::Refused);
            }
        }
    }

    async fn send_report(
        &self,
        due: Option<Due>,
        books: Option<&Books>,
        document: &mut AuditDocument,
        journal: &mut Journal,
    ) -> Result<Vec<MailView>, Error> {
        let courier = self.courier();
        let state = journal.state().clone();
        let pieces: Vec<Piece<'_>> = books.map(|books| books.pieces(&state)).unwrap_or_default();
        let sources = Sources {
            state: &state,
            pieces: &pieces,
            exchange: &self.settings.exchange,
            zone: self.settings.zone,
        };
        let now = self.clock.now();
        let topics = &self.settings.channels;
        let view = |stop: &_| sources.stop(stop, now);
        let mut mails = send::stops(&courier, &topics.stops, view, journal).await?;
        let (Some(Due { period, kept }), Some(reports)) = (due, &self.settings.reports) else {
            return Ok(mails);
        };
        document.report = Some(sources.report(&period, kept));
        self.archive(document, journal).await;
        let desk = send::Desk {
            courier,
            reports,
            topics,
            routing: &self.settings.routing,
            keep_tag: &self.settings.policy.protect.tag,
            zone: self.settings.zone,
        };
        mails.extend(send::report(&desk, &period, document, journal).await?);
        Ok(mails)
    }

    /// Keeps the document before anything of it is sent, so that a mail server that is silent
    /// loses nothing.
    async fn archive(&self, document: &mut AuditDocument, journal: &Journal) {
        let mut json = Vec::new();
        let kept = match reaper_report::json(document, &mut json) {
            Ok(()) => journal.archive(self.clock.now(), &json).await.map_err(|error| chain(&error)),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = kept {
            let text = format!("the report could not be kept for `reaper report`: {why}");
            overlay::warn(document, "report-unkept", text);
        }
    }
}
