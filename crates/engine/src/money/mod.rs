//! Money over time: what machines are read to cost, what was spent, budgets and their alerts.
//!
//! | module | holds |
//! | --- | --- |
//! | `readings` | machines as the meters record them |
//! | `bills` | what the providers have billed |
//! | `books` | [`Books`](books::Books): everything that budgets stand on, and how they stand |
//! | `alerts` | alerts on their way |
//! | `accounts` | [`Accounts`](accounts::Accounts): what a run has to say of money |
//! | `view` | budgets, spending and bills in the document |

pub(crate) mod accounts;
pub(crate) mod alerts;
pub(crate) mod bills;
pub(crate) mod books;
pub(crate) mod readings;
pub(crate) mod view;
