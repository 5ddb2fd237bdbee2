//! Work on many things at the same time, in bounded number, with results in order.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Runs `work` for every item at the same time, at most `at_once`, and gives the results in order.
pub(crate) async fn side_by_side<T, R, F>(
    items: Vec<T>,
    at_once: usize,
    work: impl Fn(T) -> F,
) -> Vec<R>
where
    R: Send + 'static,
    F: Future<Output = R> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(at_once.max(1)));
    let mut tasks = JoinSet::new();
    for (index, item) in items.into_iter().enumerate() {
        let (places, job) = (Arc::clone(&places), work(item));
        tasks.spawn(async move {
            // The semaphore is never closed; without a place the work is merely not bounded.
            let _place = places.acquire_owned().await;
            (index, job.await)
        });
    }
    let mut results = BTreeMap::new();
    while let Some(joined) = tasks.join_next().await {
        match joined {
            Ok((index, result)) => {
                results.insert(index, result);
            }
            // A panic in an adapter is a bug of ours and must not look like an unread scope.
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_cancelled) => {}
        }
    }
    results.into_values().collect()
}
