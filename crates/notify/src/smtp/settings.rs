//! How the mail server is reached, and what of it is refused before the first connection.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::transport::smtp::client::{Certificate, TlsParameters};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use secrecy::{ExposeSecret as _, SecretString};

use crate::address::Address;

/// How the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tls {
    /// A plain greeting, then STARTTLS; a server that does not offer it is left.
    #[default]
    StartTls,
    /// TLS from the first byte.
    Implicit,
    /// None. Refused together with a password, unless the server is on this machine.
    None,
}

/// A login at the mail server.
#[derive(Debug, Clone)]
pub struct Login {
    /// The user.
    pub user: String,
    /// The password.
    pub password: SecretString,
}

/// The mail server, and whom our mail comes from.
#[derive(Debug, Clone)]
pub struct Smtp {
    /// Host name or IP address; its certificate must name it.
    pub host: String,
    /// Port: usually 587 for [`Tls::StartTls`], 465 for [`Tls::Implicit`].
    pub port: u16,
    /// Encryption.
    pub tls: Tls,
    /// Login, where the server wants one.
    pub login: Option<Login>,
    /// A PEM file of authorities that are trusted besides the system's.
    pub ca_bundle: Option<PathBuf>,
    /// For the whole exchange about one mail, connecting included.
    pub timeout: Duration,
    /// Bytes that a mail may have at most; the server may want fewer.
    pub max_size: Option<u64>,
    /// The sender, also of the envelope.
    pub from: Address,
    /// The sender's display name.
    pub from_name: Option<String>,
    /// Where answers go, if not to the sender.
    pub reply_to: Option<Address>,
}

/// Why mail cannot be sent with these settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A password without encryption.
    #[error(
        "tls = \"none\" would send the mail password readable over the network to `{0}`: use \"starttls\" or \"implicit\""
    )]
    PasswordInClear(String),
    /// A password with a line break or the like in it.
    #[error("the mail password holds a line break or another control character: check its source")]
    Password,
    /// Only servers with SMTPUTF8 would take any of our mail.
    #[error("`{0}` is not in ASCII before the `@`: many servers would refuse every mail of it")]
    Sender(Address),
    /// The bundle cannot be used.
    #[error("ca_bundle `{}`: {why}", path.display())]
    CaBundle {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// TLS cannot be set up.
    #[error("cannot set up TLS for `{host}`: {why}")]
    Tls {
        /// The host.
        host: String,
        /// Why.
        why: String,
    },
}

impl Smtp {
    /// Refuses what could never work or would give a secret away.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        for address in [Some(&self.from), self.reply_to.as_ref()].into_iter().flatten() {
            if address.needs_utf8() {
                return Err(SetupError::Sender(address.clone()));
            }
        }
        let Some(login) = &self.login else { return Ok(()) };
        if self.tls == Tls::None && !is_loopback(&self.host) {
            return Err(SetupError::PasswordInClear(self.host.clone()));
        }
        if login.password.expose_secret().chars().any(char::is_control) {
            return Err(SetupError::Password);
        }
        Ok(())
    }

    /// What TLS connections trust: the system's authorities and those of the bundle. Reads files.
    pub(super) fn trust(&self) -> Result<TlsParameters, SetupError> {
        let problem = |error: lettre::transport::smtp::Error| SetupError::Tls {
            host: self.host.clone(),
            why: error.to_string(),
        };
        let mut parameters = TlsParameters::builder(self.host.clone());
        if let Some(path) = &self.ca_bundle {
            for certificate in read_bundle(path)? {
                let certificate = Certificate::from_der(certificate.to_vec()).map_err(problem)?;
                parameters = parameters.add_root_certificate(certificate);
            }
        }
        parameters.build().map_err(problem)
    }
}

/// The certificates of a PEM file, each checked to be one.
fn read_bundle(path: &Path) -> Result<Vec<CertificateDer<'static>>, SetupError> {
    let problem = |why: String| SetupError::CaBundle { path: path.to_owned(), why };
    let bundle = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| problem(error.to_string()))?;
    if bundle.is_empty() {
        return Err(problem("no certificate in it".to_owned()));
    }
    let mut store = RootCertStore::empty();
    for certificate in &bundle {
        store.add(certificate.clone()).map_err(|error| problem(error.to_string()))?;
    }
    Ok(bundle)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(host: &str, tls: Tls, password: &str) -> Smtp {
        Smtp {
            host: host.to_owned(),
            port: 587,
            tls,
            login: Some(Login { user: "reaper".to_owned(), password: password.into() }),
            ca_bundle: None,
            timeout: Duration::from_mins(1),
            max_size: None,
            from: "reaper@example.org".parse().expect("an address"),
            from_name: None,
            reply_to: None,
        }
    }

    #[test]
    fn fl_142_a_password_in_clear_leaves_this_machine_never() {
        for host in ["smtp.example.org", "10.0.0.1", "localhost.example.org", "0.0.0.0"] {
            let checked = settings(host, Tls::None, "geheim").check();
            assert!(matches!(checked, Err(SetupError::PasswordInClear(_))), "{host}");
            assert!(settings(host, Tls::StartTls, "geheim").check().is_ok(), "{host}");
            let without = Smtp { login: None, ..settings(host, Tls::None, "") };
            assert!(without.check().is_ok(), "{host}");
        }
        for host in ["localhost", "127.0.0.1", "127.9.9.9", "::1"] {
            assert!(settings(host, Tls::None, "geheim").check().is_ok(), "{host}");
        }
    }

    #[test]
    fn fl_082_a_password_with_a_line_end_is_refused_and_not_shown() {
        for password in ["hunter2-geheim\n", "hunter2-geheim\r", "hunter2\u{0}-geheim"] {
            let settings = settings("smtp.example.org", Tls::StartTls, password);
            let error = settings.check().expect_err("refused");
            assert!(matches!(error, SetupError::Password));
            assert!(!format!("{error} {error:?} {settings:?}").contains("hunter2"));
        }
    }

    #[test]
    fn a_bundle_without_a_certificate_is_refused_with_its_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("empty.pem");
        std::fs::write(&path, "nothing\n").expect("written");
        let settings = Smtp { ca_bundle: Some(path), ..settings("localhost", Tls::StartTls, "x") };
        let error = settings.trust().err().expect("refused").to_string();
        assert!(error.contains("empty.pem") && error.contains("no certificate"), "{error}");
    }

    #[test]
    fn fl_145_our_own_address_must_be_readable_for_every_server() {
        let from = "jürgen@example.org".parse().expect("an address");
        let settings = Smtp { from, ..settings("localhost", Tls::StartTls, "x") };
        assert!(matches!(settings.check(), Err(SetupError::Sender(_))));
    }
}
