//! The ledger's folder: the real one, each of its requests an effect of the run. They are carried
//! out on a thread of their own while the run stands still, because the order in which threads come
//! back is no part of a seed.

use std::fmt;
use std::path::Path as Folder;
use std::sync::Arc;
use std::thread;

use async_trait::async_trait;
use futures::executor::block_on;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
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

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        let whole = async {
            let GetResult { payload, meta, range, attributes, extensions } =
                self.files.get_opts(path, options).await?;
            let got = GetResult {
                payload,
                meta: meta.clone(),
                range: range.clone(),
                attributes: attributes.clone(),
                extensions: extensions.clone(),
            };
            let bytes = got.bytes().await?;
            let payload = GetResultPayload::Stream(stream::iter([Ok(bytes)]).boxed());
            Ok(GetResult { payload, meta, range, attributes, extensions })
        };
        self.diary.during(async { away(whole) }).await
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
        let Self { files, diary } = self.clone();
        self.listed(files, diary, prefix.cloned(), None)
    }

    fn list_with_offset(
        &self,
        prefix: Option<&Path>,
        offset: &Path,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let Self { files, diary } = self.clone();
        self.listed(files, diary, prefix.cloned(), Some(offset.clone()))
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.diary.during(async { away(self.files.list_with_delimiter(prefix)) }).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.diary.during(async { away(self.files.copy_opts(from, to, options)) }).await
    }
}

impl Disk {
    fn listed(
        &self,
        files: Arc<LocalFileSystem>,
        diary: Arc<Diary>,
        prefix: Option<Path>,
        offset: Option<Path>,
    ) -> BoxStream<'static, Result<ObjectMeta>> {
        let all = async move {
            let work = async {
                match &offset {
                    Some(offset) => files.list_with_offset(prefix.as_ref(), offset),
                    None => files.list(prefix.as_ref()),
                }
                .try_collect::<Vec<_>>()
                .await
            };
            match diary.during(async { away(work) }).await {
                Ok(found) => found.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            }
        };
        stream::once(all).map(stream::iter).flatten().boxed()
    }
}
