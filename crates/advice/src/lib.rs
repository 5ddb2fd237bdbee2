//! Advice worth money: what would do for less than a machine does, in plain words, with the evidence
//! and the figures. Pure, and about one machine at a time. Advice never acts, and what is not known
//! gives none.
//!
//! | module | holds |
//! | --- | --- |
//! | [`question`] | [`Question`]: all that is known of a machine; [`Advice`] |
//! | [`adviser`] | [`Adviser`]: which rules are asked, and about which machines |
//! | [`models`] | the dated table of GPU models, and which row a provider means |
//! | `week` | a week of measurements, card by card |
//! | `fit` | which of the location's offers a machine's work would fit on |
//! | `oversized`, `notebook`, `idle_cards`, `commitment`, `region`, `hours` | one rule each |

mod commitment;
mod fit;
mod hours;
mod idle_cards;
mod notebook;
mod oversized;
mod region;
mod spelling;
mod text;
mod week;
mod words;

pub mod adviser;
pub mod models;
pub mod question;

#[cfg(test)]
mod fixture;

pub use adviser::Adviser;
pub use models::{Models, TableError};
pub use question::{Advice, Question, Week};
