//! What a run tells people: notices to owners, alerts of budgets.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_ledger::Error;
use reaper_model::InstanceId;
use reaper_model::document::MailView;
use reaper_plan::Decisions;

use super::Runner;
use super::found::Found;
use crate::assess::Assessed;
use crate::candidates;
use crate::courier::Courier;
use crate::journal::Journal;
use crate::machine_view::Layout;
use crate::money::accounts::Accounts;
use crate::money::alerts::{self, Sent};
use crate::money::books::{self, Hastened};
use crate::notices::{self, Desk};

impl Runner<'_> {
    /// What messages are carried by from now on: half of the time that is left is theirs.
    pub(super) fn courier(&self) -> Courier<'_> {
        Courier {
            post: self.post,
            channels: self.channels,
            clock: self.clock,
            interrupt: self.watch.interrupt(),
            grace: self.settings.act.grace / 2,
            until: self.watch.half_of_the_rest(),
        }
    }

    /// Sends what is due, until nothing new is: a recipient who is refused for good is replaced by
    /// the fallback in the same run. With the decisions after the last answer, if there was one.
    pub(super) async fn tell(
        &self,
        found: &Found,
        first: &Decisions,
        hastened: &Hastened,
        journal: &mut Journal,
    ) -> Result<(Vec<MailView>, Option<Decisions>), Error> {
        let machines: BTreeMap<InstanceId, &Assessed> =
            found.machines.iter().map(|machine| (machine.instance.id.clone(), machine)).collect();
        let candidates = candidates::candidates(
            &found.machines,
            self.accounts,
            &found.rights,
            &found.prices,
            &found.observed,
        );
        let ways = candidates
            .iter()
            .filter_map(|candidate| {
                let way = candidate.ways.of(candidate.judgement.wanted?)?;
                let way = way.as_ref().map(|way| way.verb).map_err(Clone::clone);
                Some((candidate.instance.id.clone(), way))
            })
            .collect();
        let desk = Desk {
            courier: self.courier(),
            machines: &machines,
            ways: &ways,
            titles: &self.settings.titles,
            layout: Layout {
                zone: self.settings.zone,
                exchange: &self.settings.exchange,
                now: self.clock.now(),
            },
            contact: self.settings.routing.fallback.as_deref(),
            keep_tag: &self.settings.policy.protect.tag,
            zone: self.settings.zone,
        };
        let mut mails = Vec::new();
        let mut tried = BTreeSet::new();
        let mut again: Option<Decisions> = None;
        loop {
            let decisions = again.as_ref().unwrap_or(first);
            let due: Vec<_> = decisions
                .notices
                .iter()
                .filter(|notice| tried.insert(notice.key.clone()))
                .cloned()
                .collect();
            if due.is_empty() {
                return Ok((mails, again));
            }
            mails.extend(notices::send(&desk, &due, journal).await?);
            if desk.courier.post.is_none() {
                return Ok((mails, again));
            }
            again = Some(self.decide(found, hastened, journal).await?);
        }
    }

    /// How the budgets stand; and their alerts, sent or shown.
    pub(super) async fn alert(
        &self,
        found: &Found,
        decided: &Decisions,
        last_complete: Option<DateTime<Utc>>,
        journal: &mut Journal,
    ) -> Result<Accounts, Error> {
        let Some(books) = &found.books else { return Ok(Accounts::default()) };
        let candidates = candidates::candidates(
            &found.machines,
            self.accounts,
            &found.rights,
            &found.prices,
            &found.observed,
        );
        let now = self.clock.now();
        let proposed = books::proposed(decided, &candidates, found.policy.rules(), now);
        let standings = books.stand(journal.state(), &proposed);
        let charged = self.orders.charges;
        let mut accounts = Accounts::of(books, &standings, journal.state(), charged);
        if self.orders.tells.alerts && !found.refused() {
            let machines: BTreeMap<InstanceId, &Assessed> = found
                .machines
                .iter()
                .map(|machine| (machine.instance.id.clone(), machine))
                .collect();
            let no_alerts = journal.state().alerts().next().is_none();
            let desk = alerts::Desk {
                courier: self.courier(),
                channels: &self.settings.channels.alerts,
                books,
                machines: &machines,
                proposed: &proposed,
                bills: &accounts.bills,
                fallback: self.settings.routing.fallback.as_deref(),
                no_history: last_complete.is_none() && no_alerts,
            };
            let previous = books.previous(journal.state());
            let late = match &previous {
                None => Sent::default(),
                Some(books) => {
                    let standings = books.stand(journal.state(), &BTreeMap::new());
                    let desk = alerts::Desk { books, bills: &[], ..desk };
                    alerts::send(&desk, &standings, journal).await?
                }
            };
            let sent = alerts::send(&desk, &standings, journal).await?;
            accounts.add(books, &standings, [late, sent]);
        }
        Ok(accounts)
    }
}
