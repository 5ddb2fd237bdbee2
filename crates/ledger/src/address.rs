//! The state's URL: `file:folder`, `s3://bucket/prefix`, `gs://bucket/prefix`,
//! `az://container/prefix`, `memory:`.

use std::fmt;
use std::path::{Path, PathBuf};

use object_store::path::Path as Prefix;

use crate::error::Error;

/// Where a ledger lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A folder of this machine; made with the first commit.
    Folder(PathBuf),
    /// Below a prefix in a bucket.
    Bucket {
        /// Whose.
        cloud: Cloud,
        /// Bucket or container.
        bucket: String,
        /// Below what; empty for all of the bucket.
        prefix: Prefix,
    },
    /// Nowhere: gone with the process. For tests and demonstrations.
    Memory,
}

/// Whose bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cloud {
    /// Amazon S3 and everything that speaks it: OVHcloud, Scaleway, R2, `MinIO`.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

impl Cloud {
    const ALL: [Self; 3] = [Self::S3, Self::Google, Self::Azure];

    const fn scheme(self) -> &'static str {
        match self {
            Self::S3 => "s3://",
            Self::Google => "gs://",
            Self::Azure => "az://",
        }
    }
}

impl Address {
    /// Reads the state's URL. A relative folder is relative to `base`.
    pub fn parse(text: &str, base: &Path) -> Result<Self, Error> {
        let refuse = |why: &str| Error::Address { text: text.to_owned(), why: why.to_owned() };
        if text == "memory:" {
            return Ok(Self::Memory);
        }
        if let Some(path) = text.strip_prefix("file:") {
            let path = match path.strip_prefix("//") {
                Some(rest) if rest.starts_with('/') => rest,
                Some(_) => return Err(refuse("a folder on another host can not be opened")),
                None => path,
            };
            return match path {
                "" => Err(refuse("the folder is missing, write for example file:reaper-state")),
                path => Ok(Self::Folder(base.join(path))),
            };
        }
        let known = |cloud: Cloud| Some((cloud, text.strip_prefix(cloud.scheme())?));
        let Some((cloud, rest)) = Cloud::ALL.into_iter().find_map(known) else {
            return Err(refuse("expected file:…, s3://…, gs://… or az://…"));
        };
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() || bucket.contains(['@', '?', '#', ':']) {
            return Err(refuse("expected the name of a bucket after //, without credentials"));
        }
        let prefix = Prefix::parse(prefix).map_err(|error| refuse(&error.to_string()))?;
        Ok(Self::Bucket { cloud, bucket: bucket.to_owned(), prefix })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => write!(f, "file:{}", path.display()),
            Self::Bucket { cloud, bucket, prefix } => {
                write!(f, "{}{bucket}/{prefix}", cloud.scheme())
            }
            Self::Memory => f.write_str("memory:"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Address, Error> {
        Address::parse(text, Path::new("/etc/reaper"))
    }

    #[test]
    fn a_folder_is_relative_to_the_configuration() {
        let folder = |path: &str| Address::Folder(PathBuf::from(path));
        assert_eq!(parse("file:state").expect("valid"), folder("/etc/reaper/state"));
        assert_eq!(parse("file:/var/lib/reaper").expect("valid"), folder("/var/lib/reaper"));
        assert_eq!(parse("file:///var/lib/reaper").expect("valid"), folder("/var/lib/reaper"));
    }

    #[test]
    fn a_bucket_reads_back_as_written() {
        for text in ["s3://bucket/a/b", "gs://bucket/", "az://container/x"] {
            assert_eq!(parse(text).expect("valid").to_string(), text);
        }
        assert_eq!(parse("s3://bucket").expect("valid").to_string(), "s3://bucket/");
    }

    #[test]
    fn what_is_no_place_is_refused() {
        let wrong = [
            "",
            "state",
            "file:",
            "file://host/x",
            "s3:bucket",
            "s3://",
            "s3://k:s@b/x",
            "ftp://b",
        ];
        for text in wrong {
            assert!(matches!(parse(text), Err(Error::Address { .. })), "{text}");
        }
    }
}
