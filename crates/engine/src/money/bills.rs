//! What the providers have billed: asked once for each of their accounts, however many configured
//! accounts lead there, because an answer is for all of it and may cost money.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use reaper_budget::{AccountBill, Unbilled};
use reaper_provider::{CallContext, ErrorKind, Identity, RequestCounter};

use crate::collect::Account;
use crate::side_by_side::side_by_side;
use crate::watch::Watch;

/// The bills of the accounts that logged in. Where a provider has none, or nobody consented to the
/// question, there is nothing; what could not be read says why.
pub(crate) async fn ask(
    known: &[(Account, Identity)],
    watch: &Watch,
    now: DateTime<Utc>,
) -> Vec<AccountBill> {
    let place = |(account, identity): &(Account, Identity)| {
        (account.provider.name(), identity.account.clone())
    };
    let mut leading: BTreeMap<_, usize> = BTreeMap::new();
    for one in known {
        *leading.entry(place(one)).or_default() += 1;
    }
    let mut asked = BTreeSet::new();
    let jobs: Vec<_> = known
        .iter()
        .filter(|one| asked.insert(place(one)))
        .map(|one| (one.clone(), leading.get(&place(one)).is_some_and(|count| *count > 1)))
        .collect();
    let answers = side_by_side(jobs, watch.scopes_at_once(), |((account, identity), shared)| {
        let watch = watch.clone();
        async move {
            let cx = CallContext { now, requests: RequestCounter::default() };
            let asked = watch.within("bill", account.provider.bill(&cx, &identity)).await;
            let bill = match asked.and_then(|answer| answer) {
                Ok(None) => return None,
                Ok(Some(bill)) => Ok(bill),
                Err(error) => Err(Unbilled {
                    denied: matches!(error.kind, ErrorKind::Denied { .. } | ErrorKind::NotEnabled),
                    why: error.to_string(),
                }),
            };
            let provider = account.provider.name();
            Some(AccountBill { account: account.name, provider, shared, bill })
        }
    })
    .await;
    answers.into_iter().flatten().collect()
}
