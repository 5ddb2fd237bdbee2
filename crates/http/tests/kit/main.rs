//! The kit against a loopback server (real sockets, real time) and against a scripted transport
//! (waiting, on tokio's paused clock).

#![expect(clippy::expect_used, reason = "a test that cannot set itself up has failed")]

mod loopback;
mod paging;
mod proxy;
mod scripted;
mod server;
mod signing;
mod tls;
mod waiting;
