//! Objects in a folder, a bucket or memory: created once, but for those that say of themselves that
//! they are replaced. The only module that touches storage.
//!
//! In a folder an object is written beside its place, flushed to the disk, hard-linked to its name
//! (which fails where the name exists) and the folder is flushed too. What a killed process leaves
//! behind is a file whose name ends in `#` and a number, which no listing shows.

use std::fmt;
use std::path::Path as Folder;
use std::sync::Arc;

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode};

use crate::address::Address;
use crate::commit::Writer;
use crate::error::Error;
use crate::frame::unreadable;
use crate::remote::Access;

/// Where the commits of one ledger lie.
#[derive(Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    prefix: Path,
    name: String,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Store({})", self.name)
    }
}

impl fmt::Display for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Store {
    /// The store at an address. Sends nothing and makes nothing.
    pub fn at(address: &Address, access: &Access<'_>) -> Result<Self, Error> {
        match address {
            Address::Folder(folder) => Self::folder(folder),
            Address::Bucket { cloud, bucket, prefix } => {
                let place = address.to_string();
                let objects = access
                    .bucket(*cloud, bucket)
                    .map_err(|source| Error::Access { place: place.clone(), source })?;
                Ok(Self::over(objects, prefix.clone(), place))
            }
            Address::Memory => Ok(Self::memory()),
        }
    }

    /// A folder, which need not exist yet.
    pub fn folder(folder: &Folder) -> Result<Self, Error> {
        let name = format!("file:{}", folder.display());
        let absolute = std::path::absolute(folder)
            .map_err(|error| Error::Access { place: name.clone(), source: error.into() })?;
        let prefix = Path::from_absolute_path(absolute)
            .map_err(|error| Error::Access { place: name.clone(), source: error.into() })?;
        let objects = LocalFileSystem::new().with_fsync(true);
        Ok(Self::over(Arc::new(objects), prefix, name))
    }

    /// Memory of this process; clones share it.
    pub fn memory() -> Self {
        Self::over(Arc::new(InMemory::new()), Path::default(), "memory:")
    }

    /// Any object store, below a prefix, called `name` in messages.
    pub fn over(objects: Arc<dyn ObjectStore>, prefix: Path, name: impl Into<String>) -> Self {
        Self { objects, prefix, name: name.into() }
    }

    /// Creates an object. `false`: the store says that it exists, or that somebody else is
    /// creating it right now.
    pub(crate) async fn create(&self, object: &str, bytes: Vec<u8>) -> Result<bool, Error> {
        let path = self.path(object);
        match self.objects.put_opts(&path, bytes.into(), PutMode::Create.into()).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(source) => Err(self.failed(format!("create {object}"), source)),
        }
    }

    /// An object's bytes, if it exists.
    pub(crate) async fn get(&self, object: &str) -> Result<Option<Bytes>, Error> {
        let failed = |source| self.failed(format!("read {object}"), source);
        match self.objects.get(&self.path(object)).await {
            Ok(found) => found.bytes().await.map(Some).map_err(failed),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(failed(source)),
        }
    }

    /// Writes an object over the one that may be there. Needs no right but that to write.
    pub(crate) async fn replace(&self, object: &str, bytes: Vec<u8>) -> Result<(), Error> {
        match self.objects.put(&self.path(object), bytes.into()).await {
            Ok(_) => Ok(()),
            Err(source) => Err(self.failed(format!("write {object}"), source)),
        }
    }

    /// An object's bytes, if it exists and is not longer than `most`.
    pub(crate) async fn get_at_most(
        &self,
        object: &str,
        most: u64,
    ) -> Result<Option<Bytes>, Error> {
        let failed = |source| self.failed(format!("read {object}"), source);
        match self.objects.get(&self.path(object)).await {
            Ok(found) if found.meta.size > most => Err(unreadable(
                object,
                &format!("{} bytes, more than the {most} that it may have", found.meta.size),
            )),
            Ok(found) => found.bytes().await.map(Some).map_err(failed),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(failed(source)),
        }
    }

    /// Deletes an object; one that is gone already is no error.
    pub(crate) async fn delete(&self, object: &str) -> Result<(), Error> {
        match self.objects.delete(&self.path(object)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(source) => Err(self.failed(format!("delete {object}"), source)),
        }
    }

    /// The numbers of the objects in `folder` that are called `{number:020}{suffix}` and lie after
    /// `after`, sorted. Other names are not ours and are left alone.
    pub(crate) async fn numbers(
        &self,
        folder: &str,
        suffix: &str,
        after: u64,
    ) -> Result<Vec<u64>, Error> {
        let prefix = self.path(folder);
        let offset = self.path(&format!("{folder}/{after:020}{suffix}"));
        let mut numbers: Vec<u64> = self
            .objects
            .list_with_offset(Some(&prefix), &offset)
            .map_ok(|found| found.location.filename().and_then(|name| number(name, suffix)))
            .try_filter_map(|number| async move { Ok(number) })
            .boxed()
            .try_collect()
            .await
            .map_err(|source| self.failed(format!("list {folder}"), source))?;
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Finds out whether the store really creates an object only once, and leaves nothing behind.
    pub(crate) async fn probe(&self, writer: &Writer) -> Result<(), Error> {
        let object = format!("probe/{}", Path::from(writer.as_str()).as_ref().replace('/', "-"));
        self.create(&object, b"first".to_vec()).await?;
        let twice = self.create(&object, b"second".to_vec()).await;
        self.delete(&object).await?;
        if twice? { Err(Error::IgnoresCreateOnly(self.name.clone())) } else { Ok(()) }
    }

    fn path(&self, object: &str) -> Path {
        object.split('/').fold(self.prefix.clone(), Path::join)
    }

    fn failed(&self, doing: String, source: object_store::Error) -> Error {
        Error::Store { place: self.name.clone(), doing, source }
    }
}

fn number(name: &str, suffix: &str) -> Option<u64> {
    let digits = name.strip_suffix(suffix)?;
    (digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
}
