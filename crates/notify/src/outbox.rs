//! Mail that goes into a folder instead of to a server: what would be sent, to be looked at with any
//! mail program.

use std::path::PathBuf;

use async_trait::async_trait;

use crate::address::Address;
use crate::delivery::{Delivery, Post, Refused};
use crate::mail::{Mail, Sender};

/// A folder of `.eml` files, each named by the key of its mail: the same mail is the same file.
pub struct Outbox {
    folder: PathBuf,
    sender: Sender,
}

impl Outbox {
    /// An outbox in a folder that exists.
    pub fn new(folder: PathBuf, from: Address) -> Self {
        Self { folder, sender: Sender { from, name: None, reply_to: None } }
    }
}

#[async_trait]
impl Post for Outbox {
    async fn post(&self, mail: &Mail) -> Delivery {
        let written = match mail.compose(&self.sender) {
            Ok(bytes) => {
                let path = self.folder.join(format!("{}.eml", mail.key));
                tokio::fs::write(&path, bytes)
                    .await
                    .map_err(|error| format!("{} cannot be written: {error}", path.display()))
            }
            Err(error) => Err(error.to_string()),
        };
        match written {
            Ok(()) => Delivery::Accepted { reply: "written".to_owned() },
            Err(why) => Delivery::Rejected { what: Refused::Mail, permanent: false, why },
        }
    }

    async fn end(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_mail_becomes_a_file_and_a_folder_that_is_gone_an_answer() {
        let folder = tempfile::tempdir().expect("a folder");
        let from: Address = "reaper@example.org".parse().expect("an address");
        let mail = Mail {
            key: "case-1".parse().expect("a key"),
            to: "alice@example.org".parse().expect("an address"),
            at: chrono::DateTime::UNIX_EPOCH,
            subject: "reaper".to_owned(),
            text: "Hello.\n".to_owned(),
            html: "<p>Hello.</p>".to_owned(),
            references: None,
            alert: None,
            list: None,
            images: Vec::new(),
            attachment: None,
            reduced: None,
        };
        let outbox = Outbox::new(folder.path().to_path_buf(), from.clone());
        assert!(matches!(outbox.post(&mail).await, Delivery::Accepted { .. }));
        let text = std::fs::read_to_string(folder.path().join("case-1.eml")).expect("a file");
        assert!(text.contains("\r\nTo: alice@example.org\r\n"), "{text}");
        let nowhere = Outbox::new(folder.path().join("nowhere"), from);
        assert!(matches!(nowhere.post(&mail).await, Delivery::Rejected { permanent: false, .. }));
    }
}
