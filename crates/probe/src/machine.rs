//! Which machine this is, as its cloud knows it.

use std::fs;
use std::path::Path;

/// Where cloud-init keeps the id that it got from the cloud: that of this start first.
const FILES: [&str; 2] = ["run/cloud-init/.instance-id", "var/lib/cloud/data/instance-id"];

/// What cloud-init writes where no cloud told it an id.
const NOBODY: [&str; 4] = ["iid-datasource-none", "nocloud", "none", "no_previous_instance_id"];

/// A machine's id and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The id.
    pub id: String,
    /// Where it comes from, for people.
    pub source: String,
    /// Whether the cloud said it, so that it is the id by which the cloud lists the machine.
    pub by_the_cloud: bool,
}

/// The id that the cloud gave, as cloud-init keeps it; else the host's name.
pub fn identify(root: &Path) -> Option<Identity> {
    let line = |path: &str| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        let line = text.trim().to_owned();
        (!line.is_empty()).then_some(line)
    };
    for path in FILES {
        if let Some(id) = line(path).filter(|id| !NOBODY.contains(&&*id.to_ascii_lowercase())) {
            let source = format!("cloud-init (/{path})");
            return Some(Identity { id, source, by_the_cloud: true });
        }
    }
    let id = line("proc/sys/kernel/hostname")?;
    Some(Identity { id, source: "the host's name".to_owned(), by_the_cloud: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
        }
        root
    }

    #[test]
    fn the_cloud_s_own_id_comes_first() {
        let (run, data) = (FILES[0], FILES[1]);
        let name = ("proc/sys/kernel/hostname", "gpu-1\n");
        let id = |files: &[(&str, &str)]| identify(root(files).path()).map(|found| found.id);
        assert_eq!(id(&[(run, "i-now\n"), (data, "i-then\n"), name]).as_deref(), Some("i-now"));
        assert_eq!(id(&[(data, "i-then\n"), name]).as_deref(), Some("i-then"));
        assert_eq!(id(&[(data, "iid-datasource-none\n"), name]).as_deref(), Some("gpu-1"));
        assert_eq!(id(&[(run, "\n"), name]).as_deref(), Some("gpu-1"));
        assert_eq!(id(&[]), None);
    }

    #[test]
    fn a_host_s_name_is_said_to_be_one() {
        let root = root(&[("proc/sys/kernel/hostname", "gpu-1\n")]);
        let found = identify(root.path()).expect("a name");
        assert!(!found.by_the_cloud);
        assert_eq!(found.source, "the host's name");
    }
}
