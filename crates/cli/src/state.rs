//! The state that the configuration names: opened for reading or for writing.

use std::path::Path;
use std::time::Duration;

use reaper_config::Config;
use reaper_engine::error::chain;
use reaper_ledger::{Access, Address, Error, Ledger, Opening, Store, View, Writer};

use crate::environment::{Environment, variable};
use crate::failure::Failure;

/// Time limit of one call to a store that no configuration names.
const CALL: Duration = Duration::from_secs(30);

/// The place of the state. Reads nothing yet.
pub(crate) fn store(config: &Config, environment: &Environment) -> Result<Store, Failure> {
    let bundle = config.ca_bundle.as_deref().or(environment.ca_bundle.as_deref());
    let timeout = config.timeouts.call.std();
    let client =
        || reaper_http::reqwest_transport::library_client(bundle, timeout).map_err(Into::into);
    let access = Access { setting: &variable, client: &client };
    let address =
        Address::parse(&config.state.url, &config.state.base).map_err(|error| untrusted(&error))?;
    Store::at(&address, &access).map_err(|error| untrusted(&error))
}

/// The place of a state that no configuration names; a folder is relative to the one that this runs in.
/// Reads nothing yet.
pub(crate) fn store_at(url: &str, environment: &Environment) -> Result<Store, Failure> {
    const HELP: &str = "write for example --state s3://bucket/prefix";
    let bundle = environment.ca_bundle.as_deref();
    let client =
        || reaper_http::reqwest_transport::library_client(bundle, CALL).map_err(Into::into);
    let access = Access { setting: &variable, client: &client };
    Address::parse(url.trim(), Path::new(""))
        .and_then(|address| Store::at(&address, &access))
        .map_err(|error| Failure::usage(chain(&error), HELP))
}

/// What is recorded; `None` where nothing ever was.
pub(crate) async fn view(store: &Store) -> Result<Option<View>, Failure> {
    match View::read(store).await {
        Ok(view) => Ok(Some(view)),
        Err(Error::Missing(_)) => Ok(None),
        Err(error) => Err(untrusted(&error)),
    }
}

/// The ledger, open for writing.
pub(crate) async fn ledger(
    store: Store,
    writer: Writer,
    opening: Opening,
) -> Result<Ledger, Failure> {
    Ledger::open(store, writer, opening).await.map_err(|error| untrusted(&error))
}

/// A state that cannot be read, trusted or written: nothing is done on such ground.
pub(crate) fn untrusted(error: &Error) -> Failure {
    Failure::State(chain(error))
}
