//! Commits in order, each checked against the one before.

use futures::{Stream, StreamExt, stream};

use crate::commit::{self, Commit, Head};
use crate::error::Error;
use crate::store::Store;

/// Commits that are fetched at the same time.
const AHEAD: usize = 16;

/// A commit and its place in the chain.
pub(crate) type Link = (Commit, Head);

/// The commits after `from`, up to the last that a listing shows. After an error nothing that
/// follows means anything.
pub(crate) async fn after(
    store: &Store,
    from: Head,
) -> Result<impl Stream<Item = Result<Link, Error>>, Error> {
    let listed = store.numbers(commit::FOLDER, ".json", from.number).await?;
    // A listing beside a writer may lack a commit that is there, so each is asked for by number.
    let numbers = from.number + 1..=listed.last().copied().unwrap_or(from.number);
    let mut previous = from;
    Ok(stream::iter(numbers).map(move |number| fetch(store, number)).buffered(AHEAD).map(
        move |fetched| {
            let link = follow(previous, fetched?)?;
            previous = link.1;
            Ok(link)
        },
    ))
}

/// The commit directly after `head`, if there is one.
pub(crate) async fn next(store: &Store, head: Head) -> Result<Option<Link>, Error> {
    let number = head.number + 1;
    match store.get(&commit::name(number)).await? {
        Some(bytes) => follow(head, located(number, &bytes)?).map(Some),
        None => Ok(None),
    }
}

/// Whether the commit of `head` is there and is the one that `head` speaks of.
pub(crate) async fn anchored(store: &Store, head: Head) -> Result<(), Error> {
    let (_, found) = fetch(store, head.number).await?;
    if found == head { Ok(()) } else { Err(Error::SnapshotDiffers(head.number)) }
}

async fn fetch(store: &Store, number: u64) -> Result<Link, Error> {
    match store.get(&commit::name(number)).await? {
        Some(bytes) => located(number, &bytes),
        None => Err(Error::MissingCommit(number)),
    }
}

fn located(number: u64, bytes: &[u8]) -> Result<Link, Error> {
    let (commit, digest) = Commit::decode(number, bytes)?;
    Ok((commit, Head { number, digest }))
}

fn follow(previous: Head, link: Link) -> Result<Link, Error> {
    if link.0.header.previous == previous.digest {
        Ok(link)
    } else {
        Err(Error::BrokenChain { number: link.1.number, previous: previous.number })
    }
}
