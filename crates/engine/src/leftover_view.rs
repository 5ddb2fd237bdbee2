//! One leftover in the document: age, owner, price, what it belonged to.

use std::collections::BTreeSet;

use reaper_budget::Exchange;
use reaper_model::document::LeftoverView;
use reaper_model::{AccountName, Asset, Fact, User};
use reaper_policy::Policy;

use crate::machine_view::{Layout, hours, local, number, owner, why};

/// What leftovers need besides a layout.
pub(crate) struct Ground<'a> {
    pub(crate) policy: &'a Policy,
    /// Native ids of machines that this tool has stopped or ended.
    pub(crate) stopped: &'a BTreeSet<String>,
}

impl Layout<'_> {
    /// The leftover as the document shows it.
    pub(crate) fn leftover(
        &self,
        (account, asset): (&AccountName, &Asset),
        ground: &Ground<'_>,
    ) -> LeftoverView {
        let since = asset.detached_at.value().or(asset.created_at.value());
        let age_why = match (&asset.detached_at, &asset.created_at) {
            (Fact::Known { .. }, _) => None,
            (_, Fact::Known { .. }) => {
                Some("counted from its creation: since when nobody uses it is not told".to_owned())
            }
            (_, created) => why(created),
        };
        let of = match &asset.user {
            User::Nobody { of } => of.clone(),
            User::Machine(_) | User::Other(_) | User::Unknown(_) => None,
        };
        LeftoverView {
            id: asset.id.to_string(),
            native_id: asset.id.native.clone(),
            kind: asset.kind,
            name: asset.name.value().cloned(),
            provider: asset.id.provider.clone(),
            account: account.clone(),
            location: asset.id.location.clone(),
            size_gib: asset.size_gib.map(number),
            unused_since: asset.detached_at.value().map(|time| local(*time, self.zone)),
            age_hours: since.map(|time| hours(self.now - *time)),
            age_why,
            owner: owner(ground.policy.owner_of(asset, account)),
            per_month: asset.per_month.value().map(|money| self.exchange.convert(*money).rounded()),
            price_why: why(&asset.per_month),
            of_our_stop: of.as_ref().is_some_and(|of| ground.stopped.contains(of)),
            of,
        }
    }
}

/// Dearest first, of one price the oldest; what has no price comes last.
pub(crate) fn sort(leftovers: &mut [LeftoverView], exchange: &Exchange) {
    let currency = exchange.currency();
    let price = |view: &LeftoverView| {
        view.per_month.map(|money| (money.currency == currency, money.amount))
    };
    leftovers.sort_by(|a, b| {
        let by_age = || {
            let age = |view: &LeftoverView| {
                view.age_hours
                    .as_ref()
                    .and_then(|hours| hours.parse::<rust_decimal::Decimal>().ok())
            };
            age(b).cmp(&age(a))
        };
        price(b).cmp(&price(a)).then_with(by_age).then_with(|| a.id.cmp(&b.id))
    });
}
