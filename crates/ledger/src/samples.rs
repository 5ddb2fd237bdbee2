//! What `reaper probe` measured, kept beside the log: one object per machine, replaced as a whole. No
//! commit speaks of them, and who may write here can write nothing else: a machine's credentials need
//! the right to put below `samples/`, and neither to list nor to read.

use reaper_model::samples::{SAMPLES_LIMIT, Samples, samples_key};

use crate::error::Error;
use crate::frame::unreadable;
use crate::store::Store;

/// Where they lie.
const FOLDER: &str = "samples";

impl Store {
    /// Puts what was measured of a machine into the place of what is there.
    ///
    /// # Errors
    ///
    /// The store failed, or no object can be called after such a machine.
    pub async fn put_samples(&self, samples: &Samples) -> Result<(), Error> {
        let object = samples_object(&samples.machine)?;
        let bytes = samples.write().map_err(|error| unreadable(&object, &error))?;
        self.replace(&object, bytes).await
    }

    /// What was measured of a machine, by its native id; `None` where nothing ever was.
    ///
    /// # Errors
    ///
    /// The store failed, or what lies there is too long, torn, of another machine or not ours.
    pub async fn samples(&self, machine: &str) -> Result<Option<Samples>, Error> {
        let object = samples_object(machine)?;
        let Some(bytes) = self.get_at_most(&object, SAMPLES_LIMIT).await? else { return Ok(None) };
        Samples::read(&bytes, machine).map(Some).map_err(|error| unreadable(&object, &error))
    }
}

/// The name of a machine's object, as policies of buckets speak of it.
///
/// # Errors
///
/// No object can be called after such a machine.
pub fn samples_object(machine: &str) -> Result<String, Error> {
    let key = samples_key(machine).map_err(|error| unreadable(FOLDER, &error))?;
    Ok(format!("{FOLDER}/{key}.json"))
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::*;

    fn now() -> DateTime<Utc> {
        "2026-11-30T09:03:07Z".parse().expect("a time")
    }

    #[tokio::test]
    async fn what_is_put_is_read_and_the_next_one_replaces_it() {
        let folder = tempfile::tempdir().expect("a folder");
        for store in [Store::memory(), Store::folder(folder.path()).expect("a store")] {
            assert_eq!(store.samples("i-1").await.expect("readable"), None);
            let mut samples = Samples::empty("i-1", "0.1.0", now());
            store.put_samples(&samples).await.expect("put");
            samples.troubles.push("GPU 3 is lost".to_owned());
            store.put_samples(&samples).await.expect("put again");
            assert_eq!(store.samples("i-1").await.expect("readable"), Some(samples));
            assert_eq!(store.samples("i-2").await.expect("readable"), None);
        }
        assert!(folder.path().join("samples/i-1.json").is_file());
    }

    #[tokio::test]
    async fn fl_101_what_is_odd_is_an_error_of_that_machine() {
        let store = Store::memory();
        let of = |machine: &str| Samples::empty(machine, "0.1.0", now()).write().expect("bytes");
        store.replace("samples/i-1.json", of("i-2")).await.expect("put");
        let error = store.samples("i-1").await.expect_err("another machine's");
        assert_eq!(error.to_string(), "samples/i-1.json: it says that it is of the machine `i-2`");
        store.replace("samples/i-3.json", b"{}".to_vec()).await.expect("put");
        store.samples("i-3").await.expect_err("no samples");
        let long = usize::try_from(SAMPLES_LIMIT).expect("small") + 1;
        store.replace("samples/i-4.json", vec![b' '; long]).await.expect("put");
        let error = store.samples("i-4").await.expect_err("too long");
        assert!(error.to_string().contains("more than the 8388608"), "{error}");
        store.samples("").await.expect_err("no id");
    }
}
