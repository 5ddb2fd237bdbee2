//! moto, as the tests of the whole product start it.

#[path = "../product/support/moto_server.rs"]
mod moto_server;

pub(crate) use moto_server::Moto;

/// A variable that `tests/run` sets.
#[expect(clippy::disallowed_methods, reason = "tests/run hands over what it prepared")]
fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set: run the tests with tests/run"))
}
