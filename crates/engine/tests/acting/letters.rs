//! A mail server that answers as the test says, and keeps what it got.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use reaper_ledger::{Store, View, state};
use reaper_notify::{Delivery, Mail, Post, Refused};
use tokio::task::yield_now;

/// One mail as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Letter {
    pub(crate) to: String,
    pub(crate) key: String,
    pub(crate) subject: String,
    pub(crate) text: String,
    /// What it alerts of, if it does.
    pub(crate) alert: Option<String>,
    /// Whether the ledger held its intent at that moment.
    pub(crate) intended: bool,
}

/// What the server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Says {
    Yes,
    /// 451: not now.
    Later,
    /// 550: no such recipient.
    Nobody,
    /// We cannot log in, and never will.
    NotYou,
    /// The whole mail was sent, and the connection broke.
    Perhaps,
    /// Nothing, for ever.
    Nothing,
}

#[derive(Default)]
struct Inner {
    says: BTreeMap<String, VecDeque<Says>>,
    got: Vec<Letter>,
}

pub(crate) struct Letters {
    inner: Mutex<Inner>,
    store: Store,
}

impl Letters {
    pub(crate) fn new(store: Store) -> Self {
        Self { inner: Mutex::default(), store }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no test thread has panicked")
    }

    /// The next answers to mails for an address; afterwards they are taken.
    pub(crate) fn says(&self, to: &str, says: impl IntoIterator<Item = Says>) {
        self.inner().says.entry(to.to_owned()).or_default().extend(says);
    }

    pub(crate) fn got(&self) -> Vec<Letter> {
        self.inner().got.clone()
    }

    /// To whom, in order.
    pub(crate) fn to(&self) -> Vec<String> {
        self.got().into_iter().map(|letter| letter.to).collect()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.got().into_iter().map(|letter| letter.key).collect()
    }
}

#[async_trait]
impl Post for Letters {
    async fn post(&self, mail: &Mail) -> Delivery {
        yield_now().await;
        let key = mail.key.to_string();
        let intended = match View::read(&self.store).await {
            Ok(view) => {
                let state = view.state();
                let notice = state.notice(&key).map(|notice| &notice.step);
                let mut alerts = state.alerts().filter(|(key, _)| key.to == mail.to.to_string());
                let mut reports = state.reports().filter(|(key, _)| key.to == mail.to.to_string());
                match mail.alert {
                    None if key.starts_with("report-") => {
                        reports.any(|(_, report)| report.step == state::Step::Intended)
                    }
                    None => notice == Some(&state::Step::Intended),
                    Some(_) => alerts.any(|(_, alert)| alert.step == state::Step::Intended),
                }
            }
            Err(_) => false,
        };
        let to = mail.to.to_string();
        let says = self.inner().says.get_mut(&to).and_then(VecDeque::pop_front);
        let letter = Letter {
            to,
            key,
            subject: mail.subject.clone(),
            text: mail.text.clone(),
            alert: mail.alert.clone(),
            intended,
        };
        self.inner().got.push(letter);
        yield_now().await;
        let rejected = |what, permanent| {
            let why = "as told".to_owned();
            Delivery::Rejected { what, permanent, why }
        };
        match says.unwrap_or(Says::Yes) {
            Says::Yes => Delivery::Accepted { reply: "250 taken".to_owned() },
            Says::Later => rejected(Refused::Recipient, false),
            Says::Nobody => rejected(Refused::Recipient, true),
            Says::NotYou => rejected(Refused::Server, true),
            Says::Perhaps => Delivery::PossiblySent { why: "the connection broke".to_owned() },
            Says::Nothing => std::future::pending().await,
        }
    }

    async fn end(&self) {}
}
