//! One run from outside: what it did, in order, and where it is cut off. Every await of a run waits
//! for one of the effects that are noted here; before and after each of them lies a point at which
//! the process can die, people can change something, or a signal can come.
//!
//! Calls of adapters take turns. So a seed is a story that can be told twice.

use std::collections::BTreeMap;
use std::fmt;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use reaper_ledger::{ActionStep, Commit, Entry};

use crate::fleet::Truth;
use crate::office::Letter;

/// How often a run that waits for no effect is looked at again before time moves on.
const LOOKS: usize = 12;
/// How far it moves then; less than any time limit of a call.
const TICK: Duration = Duration::from_secs(1);

/// Something that a run did.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// A commit is in the ledger.
    Put(Box<Commit>),
    /// A listing ended.
    Listed { cloud: String, complete: bool },
    /// A machine was read alone; what was true when the provider answered.
    Read { native: String, truth: Option<Truth> },
    /// A call that ends a bill goes out.
    Act { native: String },
    /// Its answer came.
    Answered { native: String, taken: bool },
    /// A mail went out.
    Posted(Letter),
}

type Happening = Box<dyn FnOnce() + Send>;

/// When something happens: so many points after the start of a run, after the first commit that
/// records a listing, or after the first that records an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Start(usize),
    Seen(usize),
    Intent(usize),
}

#[derive(Default)]
struct Page {
    events: Vec<(usize, Event)>,
    points: usize,
    doing: usize,
    /// What waits for its point, and what waits for a commit to count from.
    happenings: BTreeMap<usize, Option<Happening>>,
    waiting: Vec<(Moment, Option<Happening>)>,
    over: bool,
    waker: Option<Waker>,
}

/// The diary of one run.
#[derive(Default)]
pub(crate) struct Diary {
    page: Mutex<Page>,
    turn: tokio::sync::Mutex<()>,
}

impl fmt::Debug for Diary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Diary").finish_non_exhaustive()
    }
}

/// An effect that is waited for.
struct Doing<'a>(&'a Diary);

impl Drop for Doing<'_> {
    fn drop(&mut self) {
        self.0.page().doing -= 1;
    }
}

impl Diary {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The process dies then.
    pub(crate) fn cut(&self, moment: Moment) {
        self.page().schedule(moment, None);
    }

    /// This happens then.
    pub(crate) fn at(&self, moment: Moment, happening: impl FnOnce() + Send + 'static) {
        self.page().schedule(moment, Some(Box::new(happening)));
    }

    pub(crate) fn note(&self, event: Event) {
        let mut page = self.page();
        page.begin_counting(&event);
        let point = page.points;
        page.events.push((point, event));
    }

    /// What was noted, in order, each with the last point before it.
    pub(crate) fn events(&self) -> Vec<(usize, Event)> {
        self.page().events.clone()
    }

    /// The points passed so far.
    pub(crate) fn points(&self) -> usize {
        self.page().points
    }

    /// An effect that takes its turn.
    pub(crate) async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        let _doing = self.doing();
        let _turn = self.turn.lock().await;
        self.point().await;
        let done = work.await;
        self.point().await;
        done
    }

    /// A point between two effects.
    pub(crate) async fn point(&self) {
        let (happening, over) = {
            let mut page = self.page();
            page.points += 1;
            let point = page.points;
            let happening = page.happenings.remove(&point);
            page.over |= matches!(happening, Some(None));
            if page.over
                && let Some(waker) = page.waker.take()
            {
                waker.wake();
            }
            (happening.flatten(), page.over)
        };
        if over {
            pending::<()>().await;
        }
        if let Some(happening) = happening {
            happening();
        }
    }

    fn doing(&self) -> Doing<'_> {
        self.page().doing += 1;
        Doing(self)
    }

    /// Carries a run to its end, or to the point where it is cut off: `None`. Time stands still as
    /// long as an effect is under way, and moves on when the run only waits for time to pass.
    pub(crate) async fn follow<T>(&self, run: impl Future<Output = T>) -> Option<T> {
        let mut run = pin!(run);
        let mut looks = 0;
        loop {
            let done = poll_fn(|cx| {
                self.page().waker = Some(cx.waker().clone());
                Poll::Ready(match run.as_mut().poll(cx) {
                    Poll::Ready(done) => Some(done),
                    Poll::Pending => None,
                })
            })
            .await;
            if done.is_some() {
                return done;
            }
            let (over, doing) = {
                let page = self.page();
                (page.over, page.doing > 0)
            };
            if over {
                return None;
            }
            if doing {
                looks = 0;
                woken().await;
            } else if looks < LOOKS {
                looks += 1;
                tokio::task::yield_now().await;
            } else {
                looks = 0;
                tokio::time::advance(TICK).await;
            }
        }
    }
}

impl Page {
    fn schedule(&mut self, moment: Moment, happening: Option<Happening>) {
        match moment {
            Moment::Start(points) => drop(self.happenings.insert(points.max(1), happening)),
            Moment::Seen(_) | Moment::Intent(_) => self.waiting.push((moment, happening)),
        }
    }

    /// What waited for such a commit has its point now.
    fn begin_counting(&mut self, event: &Event) {
        let Event::Put(commit) = event else { return };
        let has = |wanted: fn(&Entry) -> bool| commit.entries.iter().any(wanted);
        let seen = has(|entry| matches!(entry, Entry::Seen { .. }));
        let intent = has(is_intent);
        let next = self.points + 1;
        for (moment, happening) in std::mem::take(&mut self.waiting) {
            match moment {
                Moment::Seen(points) if seen => {
                    self.happenings.insert(next + points, happening);
                }
                Moment::Intent(points) if intent => {
                    self.happenings.insert(next + points, happening);
                }
                _ => self.waiting.push((moment, happening)),
            }
        }
    }
}

/// Whether a call to a provider is about to follow.
pub(crate) fn is_intent(entry: &Entry) -> bool {
    matches!(entry, Entry::Action { step: ActionStep::Intended { .. }, .. })
}

/// Until this task is woken by whatever it waits for.
async fn woken() {
    let mut waited = false;
    poll_fn(|_| if std::mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending })
        .await;
}
