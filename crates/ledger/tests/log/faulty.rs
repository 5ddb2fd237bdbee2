//! An object store that fails when it is told to: before a request, after it (the work done, the
//! answer lost), or by overwriting what was to be created.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

/// What happens to one put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// The request never arrives.
    Before,
    /// It is done, and the answer is an error.
    After,
    /// It is done, and repeated by the client because the answer was lost: "exists already".
    Repeated,
    /// The store asks to try again, as S3 does beside another request: nothing was done.
    Conflict,
}

#[derive(Debug)]
pub(crate) struct Faulty {
    memory: InMemory,
    faults: Mutex<VecDeque<Fault>>,
    overwrites: bool,
}

impl Faulty {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { memory: InMemory::new(), faults: Mutex::default(), overwrites: false })
    }

    /// A store that knows nothing of create-only puts.
    pub(crate) fn overwriting() -> Arc<Self> {
        Arc::new(Self { memory: InMemory::new(), faults: Mutex::default(), overwrites: true })
    }

    /// What happens to the next puts, one after the other.
    pub(crate) fn script(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).extend(faults);
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

fn broken() -> object_store::Error {
    object_store::Error::Generic { store: "Faulty", source: "no space left on device".into() }
}

fn exists(path: &Path) -> object_store::Error {
    object_store::Error::AlreadyExists { path: path.to_string(), source: "as told".into() }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        mut options: PutOptions,
    ) -> Result<PutResult> {
        let fault = self.faults.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if self.overwrites {
            options.mode = PutMode::Overwrite;
        }
        match fault.unwrap_or(Fault::None) {
            Fault::None => self.memory.put_opts(path, payload, options).await,
            Fault::Before => Err(broken()),
            Fault::After => {
                self.memory.put_opts(path, payload, options).await?;
                Err(broken())
            }
            Fault::Repeated => {
                self.memory.put_opts(path, payload, options).await?;
                Err(exists(path))
            }
            Fault::Conflict => Err(exists(path)),
        }
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.memory.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
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
