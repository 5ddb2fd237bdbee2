//! The memory of `reaper`: an append-only log of numbered commits in a folder or a bucket, and the
//! state that follows from it. Nothing here knows a rule, a provider or a clock: times are handed
//! in, and all of them are UTC.
//!
//! ```text
//! commits/00000000000000000001.json        one document per commit, written once, never changed
//! commits/00000000000000000002.json        each names the digest of the one before
//! snapshots/00000000000000000050.json.gz   the state after commit 50, to read less
//! reports/00000000001796018400.json.gz     the document of a weekly report, by its due time
//! samples/i-0abc.json                      what `reaper probe` measured on a machine, by its id
//! probe/…                                  for a moment, while a ledger is opened for writing
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | [`address`] | [`Address`]: the state's URL, read |
//! | [`store`] | [`Store`]: create-only objects in a folder, a bucket or memory |
//! | [`remote`] | how a bucket is reached: settings and the HTTP client, both handed in |
//! | [`frame`] | one document with its format version and digest |
//! | [`commit`] | [`Commit`], [`Head`]: the links of the chain |
//! | [`entry`] | [`Entry`]: what can be recorded |
//! | [`state`] | [`State`]: what is known after a commit, and the questions one asks of it |
//! | [`fold`] | commits → state, and [`Contradiction`]: what can not follow |
//! | [`mod@part`] | whether a commit can follow, without touching the state |
//! | [`meter`] | [`Meter`]: what the looks at a machine said of its bill |
//! | [`rates`] | exchange rates, as a period first used them |
//! | [`sighting`] | listings → deltas: first seen, last seen, absent, gone |
//! | [`chain`] | commits in order, each checked against the one before |
//! | [`view`] | [`View`]: the state as read, without the right to write |
//! | [`ledger`] | [`Ledger`]: append, claim, release |
//! | [`mod@archive`] | the documents of weekly reports, beside the log |
//! | [`mod@samples`] | what `reaper probe` measured, beside the log |
//! | [`compact`] | snapshots and the end of old commits |
//! | [`mod@verify`] | the whole log, checked |
//!
//! Reading never writes, so that a dry run leaves the place byte for byte as it was. Whatever can
//! not be read is an error and never an empty state.

pub mod address;
pub mod archive;
pub mod chain;
pub mod commit;
pub mod compact;
pub mod entry;
pub mod error;
pub mod fold;
pub mod frame;
pub mod ledger;
pub mod meter;
pub mod part;
pub mod rates;
pub mod remote;
pub mod samples;
pub mod sighting;
pub mod state;
pub mod store;
pub mod verify;
pub mod view;

mod codec;
mod snapshot;

pub use address::Address;
pub use commit::{Commit, Head, Header, Writer};
pub use compact::{Compacted, Policy};
pub use entry::{
    Account, ActionStep, AlertIntent, AlertKey, Entry, NoticeIntent, Place, ReportIntent,
    ReportKey, Sending, StopKey,
};
pub use error::Error;
pub use fold::Contradiction;
pub use frame::{Digest, FORMAT};
pub use ledger::{Claimed, Decision, Held, Ledger, Opening};
pub use meter::{Meter, Metered};
pub use reaper_model::{About, ActionResult, Case, Looks, NoticeStep, Phase, Verb};
pub use remote::Access;
pub use state::{Intent, Machine, Message, OpenAction, PastAction, State, Stopped};
pub use store::Store;
pub use verify::{Verified, verify};
pub use view::View;
