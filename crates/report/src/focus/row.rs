//! One row: a charge, its cost, and what the document knows of the machine and its type.

use std::collections::BTreeMap;

use chrono::{Datelike as _, Days, Months, NaiveDate, NaiveTime};
use chrono_tz::Tz;
use reaper_model::document::{GpuView, MachineView, PurchaseView};
use reaper_model::{AuditDocument, Charge, MachineType, Money, Noted, ProviderName, Unit};
use rust_decimal::Decimal;
use serde_json::{Map, Value};

use super::provider::Provider;

/// What rows are made from besides their charges.
pub(super) struct Rows<'a> {
    run: &'a str,
    zone: Tz,
    machines: BTreeMap<&'a str, &'a MachineView>,
    gpus: BTreeMap<(&'a ProviderName, &'a MachineType), &'a GpuView>,
}

impl<'a> Rows<'a> {
    /// The machines and types of a document.
    pub(super) fn of(doc: &'a AuditDocument) -> Self {
        let machines = doc.instances.iter();
        let gpu = |machine: &'a MachineView| {
            Some(((&machine.provider, &machine.machine_type), machine.gpu.as_ref()?))
        };
        Self {
            run: &doc.run_id,
            zone: doc.period.timezone.parse().unwrap_or(Tz::UTC),
            machines: machines.clone().map(|machine| (machine.id.as_str(), machine)).collect(),
            gpus: machines.filter_map(gpu).collect(),
        }
    }

    /// The row of a charge; `None` when its cost is not known.
    pub(super) fn row<'r>(&'r self, charge: &'r Charge) -> Option<Row<'r>> {
        let (money, price) = (charge.money?, charge.price?);
        let id = &charge.id;
        Some(Row {
            run: self.run,
            zone: self.zone,
            charge,
            money,
            price,
            provider: Provider::of(&id.provider),
            machine: self.machines.get(id.to_string().as_str()).copied(),
            gpu: self.gpus.get(&(&id.provider, &charge.machine_type)).copied(),
        })
    }
}

/// A charge of which the cost is known.
pub(super) struct Row<'a> {
    pub(super) run: &'a str,
    /// The zone whose months renew monthly plans.
    zone: Tz,
    pub(super) charge: &'a Charge,
    pub(super) money: Money,
    pub(super) price: Noted,
    pub(super) provider: Option<&'static Provider>,
    /// The machine as it is now; `None` when it is gone.
    pub(super) machine: Option<&'a MachineView>,
    /// What the type holds, where a machine of it is still there.
    pub(super) gpu: Option<&'a GpuView>,
}

impl Row<'_> {
    /// Whether nothing was used and nothing is charged.
    pub(super) fn is_nothing(&self) -> bool {
        self.money.amount.is_zero() && self.charge.hours.is_zero()
    }

    /// Whether it is the price of a month, used or not.
    pub(super) fn is_plan(&self) -> bool {
        self.price.unit == Unit::Month
    }

    /// The word for what the price is per.
    pub(super) fn unit(&self) -> &'static str {
        match self.price.unit {
            Unit::Hour => "Hours",
            Unit::Month => "Months",
        }
    }

    /// How many units of the price were charged.
    pub(super) fn quantity(&self) -> Option<Decimal> {
        match self.price.unit {
            Unit::Hour => Some(self.charge.hours),
            Unit::Month => self.money.amount.checked_div(self.price.money.amount),
        }
    }

    /// The provider's name.
    pub(super) fn provider_name(&self) -> &str {
        self.provider.map_or(self.charge.id.provider.as_str(), |provider| provider.name)
    }

    /// Region, and zone where the location is one.
    pub(super) fn place(&self) -> (&str, Option<&str>) {
        let location = self.charge.id.location.as_str();
        self.provider.map_or((location, None), |provider| provider.place(location))
    }

    /// The account that machines are in, where it is a part of the one that is billed.
    pub(super) fn sub_account(&self) -> Option<&str> {
        self.provider?.sub_accounts.then(|| self.charge.id.account.as_str())
    }

    /// The UTC day of use, or the month of a plan; the end is exclusive.
    pub(super) fn period(&self) -> (String, String) {
        if self.is_plan() {
            return self.month();
        }
        let day = self.charge.day;
        (midnight(day), midnight(day.checked_add_days(Days::new(1)).unwrap_or(day)))
    }

    /// The UTC month of the day; the end is exclusive. East of Greenwich the next month's plan is
    /// renewed on the last UTC day of this one, so the month of a plan is the local one in which
    /// its day ends.
    pub(super) fn month(&self) -> (String, String) {
        let last = NaiveTime::from_hms_opt(23, 59, 59).filter(|_| self.is_plan());
        let day = last.map_or(self.charge.day, |last| {
            self.charge.day.and_time(last).and_utc().with_timezone(&self.zone).date_naive()
        });
        let first = day.with_day(1).unwrap_or(day);
        (midnight(first), midnight(first.checked_add_months(Months::new(1)).unwrap_or(first)))
    }

    /// How the price came about. One of a machine that is gone counts as agreed: it is in a list.
    pub(super) fn pricing(&self) -> &'static str {
        match self.machine.map(|machine| machine.purchase) {
            Some(PurchaseView::Spot) => "Dynamic",
            Some(PurchaseView::Reserved) => "Other",
            Some(PurchaseView::OnDemand | PurchaseView::Monthly | PurchaseView::Unknown) | None => {
                "Standard"
            }
        }
    }

    /// The row in one sentence, which says that it is no invoice.
    pub(super) fn description(&self) -> String {
        let Charge { machine_type, hours, .. } = self.charge;
        let price = format!("{} {}", self.price.money.all_digits(), self.price.money.currency);
        let what = if self.is_plan() {
            format!("monthly plan of {machine_type} at {price} per month")
        } else {
            let hours = hours.round_dp(4).normalize();
            format!("{hours} h of {machine_type} at {price} per hour")
        };
        format!("Estimate at list price, not invoiced: {what}")
    }

    /// A name for the price that stays the same when the price changes.
    pub(super) fn price_id(&self) -> String {
        format!("{}/{}/{}", self.charge.machine_type, self.charge.id.location, self.unit())
    }

    /// What the price is for.
    pub(super) fn details(&self) -> Map<String, Value> {
        let mut details = Map::new();
        details.insert("InstanceType".to_owned(), self.charge.machine_type.as_str().into());
        if let Some(gpu) = self.gpu {
            details.insert("GpuCount".to_owned(), Value::Number(gpu.count.clone()));
            details.insert("x_GpuModel".to_owned(), gpu.model.clone().into());
        }
        details
    }

    /// The tags of that day. A tag that can have no value is `true`.
    pub(super) fn tags(&self) -> Map<String, Value> {
        let words = self.provider.is_some_and(|provider| provider.words);
        let tags = self.charge.tags.iter();
        tags.map(|(key, value)| match value.as_str() {
            "" if words => (key.clone(), Value::Bool(true)),
            value => (key.clone(), value.into()),
        })
        .collect()
    }

    /// The rules that say yes now.
    pub(super) fn rules(&self) -> Option<String> {
        let rules: Vec<&str> =
            self.machine?.findings.iter().map(|finding| finding.rule.as_str()).collect();
        (!rules.is_empty()).then(|| rules.join(", "))
    }
}

fn midnight(day: NaiveDate) -> String {
    format!("{day}T00:00:00Z")
}
