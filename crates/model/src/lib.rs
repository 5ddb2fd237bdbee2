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
//! | [`price`] | [`Price`]: what an hour or a month costs, since when, says who |
//! | [`outcome`] | outcome classes and the exit codes |
//! | [`document`] | [`AuditDocument`], the one view model |

pub mod calendar;
pub mod document;
pub mod duration;
pub mod fact;
pub mod ident;
pub mod instance;
pub mod inventory;
pub mod money;
pub mod outcome;
pub mod price;
pub mod tags;

pub use document::AuditDocument;
pub use duration::Span;
pub use fact::{Fact, Ignorance, Source, Unknown};
pub use ident::{AccountName, InstanceId, Location, MachineType, ProviderAccount, ProviderName};
pub use instance::{
    Attachment, Gpu, Guard, Instance, LocalStorage, Loss, Manager, Meter, Purchase, State,
    StopKind, StopOffer,
};
pub use inventory::{Listing, Scope};
pub use money::{Currency, Money, Rate, Totals};
pub use outcome::{Class, Outcome};
pub use price::{Price, PriceOverride, PriceSource, Unit};
pub use tags::{Tag, Tags};
