//! The body of an answer as the network delivers it: whole, in small pieces, or broken off.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use crate::log::Open;

/// How a body is delivered.
#[derive(Debug)]
pub(crate) enum Delivery {
    Whole,
    /// Half of it, then the connection breaks.
    Cut,
    /// `bytes` at a time, one piece per interval.
    Trickle {
        bytes: usize,
        every: Duration,
    },
}

/// A body on its way. It keeps its request counted as in flight until it has been sent.
#[derive(Debug)]
pub(crate) struct ReplyBody {
    rest: Bytes,
    promised: u64,
    state: State,
    _open: Open,
}

#[derive(Debug)]
enum State {
    Whole,
    Cut { flushed: bool },
    Trickle { bytes: usize, every: Duration, timer: Pin<Box<Sleep>> },
}

impl ReplyBody {
    pub(crate) fn new(body: Bytes, delivery: &Delivery, open: Open) -> Self {
        let promised = body.len() as u64;
        let (rest, state) = match *delivery {
            Delivery::Whole => (body, State::Whole),
            Delivery::Cut => (body.slice(..body.len() / 2), State::Cut { flushed: false }),
            Delivery::Trickle { bytes, every } => {
                let timer = Box::pin(tokio::time::sleep(every));
                (body, State::Trickle { bytes: bytes.max(1), every, timer })
            }
        };
        Self { rest, promised, state, _open: open }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = &mut *self;
        let len = this.rest.len();
        let take = match &mut this.state {
            State::Cut { flushed } if len == 0 => {
                if *flushed {
                    return Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())));
                }
                // hyper throws away what it has not flushed when a body fails, so it gets a turn
                // to flush first.
                *flushed = true;
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            State::Whole | State::Cut { .. } => len,
            State::Trickle { .. } if len == 0 => 0,
            State::Trickle { bytes, every, timer } => {
                ready!(timer.as_mut().poll(cx));
                let next = timer.deadline() + *every;
                timer.as_mut().reset(next);
                len.min(*bytes)
            }
        };
        if take == 0 {
            return Poll::Ready(None);
        }
        Poll::Ready(Some(Ok(Frame::data(this.rest.split_to(take)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && !matches!(self.state, State::Cut { .. })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.promised)
    }
}
