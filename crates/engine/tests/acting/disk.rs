//! The object store under the ledger: memory that gives way before and after every request, so that
//! a run can be ended there, and that fails when it is told to.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use futures::TryStreamExt as _;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use reaper_ledger::Store;
use tokio::task::yield_now;
use tokio::time::sleep;

#[derive(Debug, Default)]
pub(crate) struct Disk {
    memory: InMemory,
    /// What no put may hold any more, and how often that is refused.
    refused: Mutex<Option<(&'static str, usize)>>,
    /// How long a put takes, in milliseconds.
    takes: AtomicU64,
}

impl Disk {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub(crate) fn store(self: &Arc<Self>) -> Store {
        let objects: Arc<dyn ObjectStore> = Arc::<Self>::clone(self);
        Store::over(objects, Path::default(), "disk:")
    }

    /// From now on every put takes this long.
    pub(crate) fn slow(&self, milliseconds: u64) {
        self.takes.store(milliseconds, Ordering::Relaxed);
    }

    /// The next `times` puts whose bytes hold `words` fail.
    pub(crate) fn refuse(&self, words: &'static str, times: usize) {
        *self.refused() = Some((words, times));
    }

    fn refused(&self) -> MutexGuard<'_, Option<(&'static str, usize)>> {
        self.refused.lock().expect("no test thread has panicked")
    }

    /// Every object with its bytes.
    pub(crate) async fn everything(&self) -> BTreeMap<String, Vec<u8>> {
        let found: Vec<ObjectMeta> = self.memory.list(None).try_collect().await.expect("lists");
        let mut all = BTreeMap::new();
        for object in found {
            let got = self.memory.get(&object.location).await.expect("is there");
            let bytes = got.bytes().await.expect("reads");
            all.insert(object.location.to_string(), bytes.to_vec());
        }
        all
    }

    fn takes(&self, payload: &PutPayload) -> bool {
        let mut refused = self.refused();
        let Some((words, left)) = refused.as_mut().filter(|(_, left)| *left > 0) else {
            return true;
        };
        let bytes: Vec<u8> = payload.iter().flatten().copied().collect();
        if !String::from_utf8_lossy(&bytes).contains(*words) {
            return true;
        }
        *left -= 1;
        false
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

#[async_trait]
impl ObjectStore for Disk {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        yield_now().await;
        let takes = self.takes.load(Ordering::Relaxed);
        if takes > 0 {
            sleep(Duration::from_millis(takes)).await;
        }
        if !self.takes(&payload) {
            let source = "no space left on device".into();
            return Err(object_store::Error::Generic { store: "Disk", source });
        }
        let put = self.memory.put_opts(path, payload, options).await;
        yield_now().await;
        put
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.memory.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        yield_now().await;
        self.memory.get_opts(path, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.memory.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.memory.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.memory.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.memory.copy_opts(from, to, options).await
    }
}
