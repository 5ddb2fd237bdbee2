//! What every cloud adapter offers to the engine, and what it may say when something goes wrong.
//! An adapter translates one provider's wire into `reaper-model`'s nouns; it never sees a rule.
//!
//! | module | holds |
//! | --- | --- |
//! | [`adapter`] | the trait [`Provider`], [`Sink`], [`CallContext`], [`Coverage`] |
//! | [`metrics`] | the trait [`MetricsSource`]: who can be asked what was measured |
//! | [`permit`] | [`StopPermit`], [`TagPermit`]: rights that only checks can make |
//! | [`error`] | [`ProviderError`]: kind, delivery, request id; never branch on its text |
//! | [`account`] | what the configuration says of one account, secrets resolved |
//! | [`catalogue`] | dated price lists in CSV, embedded by the adapters |
//! | [`descriptor`] | what the command line must know of a provider before there is an account |

pub mod account;
pub mod adapter;
pub mod catalogue;
pub mod descriptor;
pub mod error;
pub mod metrics;
pub mod permit;

pub use account::AccountSettings;
pub use adapter::{
    CallContext, Capabilities, Coverage, Detail, Identity, Provider, RequestCounter, Sink,
    SkippedLocation,
};
pub use catalogue::{Catalogue, CatalogueError};
pub use descriptor::{CurrencyOf, Descriptor, OpenError, Surroundings};
pub use error::{Delivery, ErrorKind, ProviderError};
pub use metrics::{MetricsSource, Sight};
pub use permit::{
    Armed, Consents, Fresh, Pinned, Refusal, StopPermit, TagPermit, allowed, authorise,
};

/// A listing of machines as the engine collects it.
pub type InstanceListing = reaper_model::Listing<reaper_model::Instance, ProviderError>;
