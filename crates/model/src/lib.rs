//! The nouns of `reaper`: what is found, what is known about it, what it costs, and the document
//! that every output renders. No clock, no IO, nothing of ours below it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`fact`] | [`Fact`]: known, absent, or unknown and why |
//! | [`ident`] | provider, account, location, [`InstanceId`] |
//! | [`money`] | [`Money`], [`Currency`], [`Totals`], dated [`Rate`]s |
//! | [`calendar`] | dates and times as written, read strictly |
//! | [`duration`] | durations as people write them: `2h`, `7d12h` |
//! | [`tags`] | [`Tags`]: pairs and bare words, folded keys, conflicts |
//! | [`instance`] | [`Instance`] and its state, meter, purchase, controller, guards, stop offer |
//! | [`inventory`] | [`Listing`], [`Scope`] |
//! | [`measure`] | [`Series`] of samples: what was measured of a machine |
//! | [`samples`] | [`Samples`]: what `reaper probe` writes into the state store |
//! | [`asset`] | [`Asset`]: what costs money beside machines |
//! | [`case`] | [`Case`]: a finding on its way to an action, and how an action ends |
//! | [`fingerprint`] | [`Fingerprint`]: what must not have changed before an action |
//! | [`mod@plan`] | [`Plan`] and its [`Step`]s |
//! | [`price`] | [`Price`]: what an hour or a month costs, since when, says who |
//! | [`budget`] | [`BudgetSpec`]: limits as the configuration says them |
//! | [`spend`] | [`Reading`]: what one look says of a bill; [`Charge`]: what came of it in a day |
//! | [`bill`] | [`Bill`]: what a provider itself says that an account has cost |
//! | [`outcome`] | outcome classes and the exit codes |
//! | [`document`] | [`AuditDocument`], the one view model |

pub mod asset;
pub mod bill;
pub mod budget;
pub mod calendar;
pub mod case;
pub mod document;
pub mod duration;
pub mod fact;
pub mod fingerprint;
pub mod ident;
pub mod instance;
pub mod inventory;
pub mod measure;
pub mod money;
pub mod outcome;
pub mod plan;
pub mod price;
pub mod samples;
pub mod spend;
pub mod tags;

pub use asset::{Asset, AssetKind, Assets, User};
pub use bill::{Bill, BillKind, BillLine};
pub use budget::{BudgetScope, BudgetSpec, OnLimit};
pub use case::{About, ActionResult, Case, Looks, NoticeStep, Phase, Verb};
pub use document::AuditDocument;
pub use duration::Span;
pub use fact::{Fact, Ignorance, Source, Unknown};
pub use fingerprint::Fingerprint;
pub use ident::{AccountName, InstanceId, Location, MachineType, ProviderAccount, ProviderName};
pub use instance::{
    Attachment, Gpu, Guard, Instance, LocalStorage, Loss, Manager, Meter, Purchase, State,
    StopKind, StopOffer,
};
pub use inventory::{Listing, Scope};
pub use measure::{Gauge, Measured, Sample, Series, Statistic, Window};
pub use money::{Currency, Money, Rate, Totals};
pub use outcome::{Class, Outcome};
pub use plan::{Brake, Inputs, PLAN_SCHEMA, Plan, Step};
pub use price::{Offer, Price, PriceOverride, PriceSource, Unit};
pub use samples::{SampleSeries, SampledGpu, Samples, SamplesError, samples_key};
pub use spend::{Billed, Charge, Noted, Reading};
pub use tags::{Tag, Tags};
