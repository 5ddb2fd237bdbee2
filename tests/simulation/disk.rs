//! The ledger's folder: a real one, each request an effect of the run. What is written goes through
//! the real store, on a thread of its own while the run stands still, because the order in which
//! threads come back is no part of a seed. What is read is read at once.

use std::fmt;
use std::path::Path as Folder;
use std::sync::Arc;
use std::thread;

use async_trait::async_trait;
use chrono::DateTime;
use futures::StreamExt as _;
use futures::executor::block_on;
use futures::stream::{self, BoxStream};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Extensions, GetOptions, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use reaper_ledger::{Commit, Store};
use serde::Deserialize;

use crate::diary::{Diary, Event};

/// The folder as one run sees it.
#[derive(Clone)]
pub(crate) struct Disk {
    files: Arc<LocalFileSystem>,
    diary: Arc<Diary>,
}

impl Disk {
    pub(crate) fn store(folder: &Folder, diary: &Arc<Diary>) -> Store {
        let files = Arc::new(LocalFileSystem::new().with_fsync(true));
        let prefix = Path::from_absolute_path(folder).expect("an absolute folder");
        Store::over(Arc::new(Self { files, diary: Arc::clone(diary) }), prefix, "the folder")
    }

    /// A put that came to its end is noted before anybody hears of it: the run may die between.
    fn note(&self, path: &Path, payload: &PutPayload) {
        #[derive(Deserialize)]
        struct Frame {
            body: Commit,
        }
        if path.as_ref().contains("/commits/") {
            let bytes: Vec<u8> = payload.iter().flat_map(|part| part.to_vec()).collect();
            let Frame { body } = serde_json::from_slice(&bytes).expect("a commit");
            self.diary.note(Event::Put(Box::new(body)));
        }
    }
}

impl fmt::Debug for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Disk")
    }
}

/// On a thread without a runtime, where files are read and written at once.
fn away<T: Send>(work: impl Future<Output = T> + Send) -> T {
    thread::scope(|scope| scope.spawn(|| block_on(work)).join()).expect("a thread that returns")
}

#[async_trait]
impl ObjectStore for Disk {
    async fn put_opts(
        &self,
        path: &Path,
        payload: PutPayload,
        options: PutOptions,
    ) -> Result<PutResult> {
        self.diary
            .during(async {
                let put = away(self.files.put_opts(path, payload.clone(), options))?;
                self.note(path, &payload);
                Ok(put)
            })
            .await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.files.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, _options: GetOptions) -> Result<GetResult> {
        self.diary
            .during(async {
                let file = self.files.path_to_filesystem(path)?;
                let bytes = std::fs::read(file).map_err(|error| unread(path, error))?;
                let size = bytes.len() as u64;
                let payload = stream::iter([Ok(bytes.into())]).boxed();
                Ok(GetResult {
                    payload: GetResultPayload::Stream(payload),
                    meta: meta(path.clone(), size),
                    range: 0..size,
                    attributes: Attributes::default(),
                    extensions: Extensions::default(),
                })
            })
            .await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        let Self { files, diary } = self.clone();
        let deleted = async move {
            let paths: Vec<_> = paths.collect().await;
            let work = async { files.delete_stream(stream::iter(paths).boxed()).collect().await };
            let deleted: Vec<_> = diary.during(async { away(work) }).await;
            stream::iter(deleted)
        };
        stream::once(deleted).flatten().boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let prefix = prefix.cloned().unwrap_or_default();
        let Self { files, diary } = self.clone();
        let all = async move {
            let listed = diary.during(async { list(&files, &prefix) }).await;
            listed.unwrap_or_else(|error| vec![Err(error)])
        };
        stream::once(all).map(stream::iter).flatten().boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.diary.during(async { away(self.files.list_with_delimiter(prefix)) }).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.diary.during(async { away(self.files.copy_opts(from, to, options)) }).await
    }
}

/// The objects in one folder, but for those that are being written.
fn list(files: &LocalFileSystem, prefix: &Path) -> Result<Vec<Result<ObjectMeta>>> {
    let folder = files.path_to_filesystem(prefix)?;
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| unread(prefix, error))? {
        let name = entry.map_err(|error| unread(prefix, error))?.file_name();
        let name = name.to_string_lossy();
        if !name.contains('#') {
            found.push(Ok(meta(prefix.clone().join(name.as_ref()), 0)));
        }
    }
    Ok(found)
}

fn meta(location: Path, size: u64) -> ObjectMeta {
    ObjectMeta { location, last_modified: DateTime::UNIX_EPOCH, size, e_tag: None, version: None }
}

fn unread(path: &Path, error: std::io::Error) -> object_store::Error {
    let (path, missing) = (path.to_string(), error.kind() == std::io::ErrorKind::NotFound);
    if missing {
        return object_store::Error::NotFound { path, source: error.into() };
    }
    object_store::Error::Generic { store: "Disk", source: error.into() }
}
