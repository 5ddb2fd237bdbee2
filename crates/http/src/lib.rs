//! REST kit of the adapters: everything that calling a JSON API over HTTPS needs and that is the
//! same at every provider. What differs (signing, the meaning of refusals) an adapter hands in as
//! a [`Dialect`]. The README beside this crate shows an adapter's use of it.
//!
//! | module | holds |
//! | --- | --- |
//! | [`call`] | [`Call`]: one request as an adapter words it; [`Request`]: prepared for one attempt |
//! | [`client`] | [`Client`]: pace, deadline, repetition and decoding around a transport |
//! | [`dialect`] | [`Dialect`]: how one provider is spoken to; [`Signer`], [`Refusal`] |
//! | [`answer`] | [`Answer`]: status, headers and a bounded body; excerpts without HTML |
//! | [`paging`] | page numbers with a total, and cursors |
//! | [`lenient`] | fields and lists that spoil only themselves when they cannot be read |
//! | [`pace`] | [`Pace`]: requests per second and in flight |
//! | [`retry`] | how often and how long to wait; `Retry-After` |
//! | [`secret`] | cleaning of credentials, and keeping them out of texts |
//! | [`base`] | [`Base`]: a checked base address |
//! | [`transport`] | [`Transport`]: the seam below; [`reqwest_transport`] the real one |

pub mod answer;
pub mod base;
pub mod call;
pub mod client;
pub mod dialect;
pub mod lenient;
pub mod pace;
pub mod paging;
pub mod reqwest_transport;
pub mod retry;
pub mod secret;
pub mod transport;

pub use answer::Answer;
pub use base::Base;
pub use call::{Call, Request};
pub use client::Client;
pub use dialect::{Dialect, Refusal, Signer};
pub use lenient::{Amount, Lenient};
pub use pace::Pace;
pub use paging::{CursorPages, NumberedPages};
pub use reqwest_transport::ReqwestTransport;
pub use retry::{Retry, retry_after};
pub use transport::{Response, Transport, TransportError};

// What whoever uses a transport by itself meets in its errors.
pub use reaper_provider::{Delivery, ErrorKind};

// What an adapter names in its signatures, so that it needs no dependency of its own.
pub use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
pub use url::Url;
