//! `nvidia-smi`, run without a shell, for a bounded time and with a bounded output.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::reading::Gpus;
use crate::smi_xml;

/// More is not read. Eight cards with all of their clocks print less than half a megabyte.
const MOST: u64 = 8 * 1024 * 1024;

/// How long a killed process may take to go away.
const TO_DIE: Duration = Duration::from_secs(1);

/// The tool.
#[derive(Debug)]
pub struct Smi {
    path: PathBuf,
    limit: Duration,
    /// One that was killed and lives on, as it does while a driver holds it. No second one is begun.
    stuck: Option<Child>,
}

impl Smi {
    /// The tool at this path, or of this name in the search path; `limit` bounds one run.
    pub fn new(path: &Path, limit: Duration) -> Self {
        Self { path: path.to_owned(), limit, stuck: None }
    }

    /// Reads all accelerators.
    ///
    /// # Errors
    ///
    /// Nothing was read; why, without a full stop.
    pub async fn read(&mut self) -> Result<Gpus, String> {
        let name = self.path.display().to_string();
        if let Some(child) = &mut self.stuck {
            match child.try_wait() {
                Ok(Some(_)) => self.stuck = None,
                _ => return Err(format!("{name} hangs and cannot be killed: the driver holds it")),
            }
        }
        let mut command = Command::new(&self.path);
        command.args(["-q", "-x"]).env("LC_ALL", "C").kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|error| format!("{name} cannot be run: {error}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let run = async {
            let (printed, said) = tokio::join!(text(stdout), text(stderr));
            Ok::<_, std::io::Error>((printed?, said?, child.wait().await?))
        };
        match timeout(self.limit, run).await {
            Ok(Ok((printed, said, status))) => understood(&printed, &said, status.success())
                .map_err(|why| {
                    if why.is_empty() {
                        format!("{name} printed nothing ({status})")
                    } else {
                        format!("{name}: {why}")
                    }
                }),
            Ok(Err(error)) => {
                self.end(child).await;
                Err(format!("{name}: {error}"))
            }
            Err(_late) => {
                self.end(child).await;
                Err(format!("{name} gave no answer within {} s", self.limit.as_secs()))
            }
        }
    }

    async fn end(&mut self, mut child: Child) {
        // One that has ended by itself cannot be killed, and need not be.
        let _ = child.start_kill();
        if timeout(TO_DIE, child.wait()).await.is_err() {
            self.stuck = Some(child);
        }
    }
}

async fn text(from: Option<impl AsyncRead + Unpin>) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        from.take(MOST + 1).read_to_end(&mut bytes).await?;
    }
    if u64::try_from(bytes.len()).is_ok_and(|length| length > MOST) {
        return Err(std::io::Error::other("printed more than 8 MiB"));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What was printed, with what was said besides: warnings and Xid errors stand outside of the
/// document.
fn understood(printed: &str, said: &str, well: bool) -> Result<Gpus, String> {
    let mut gpus = smi_xml::read(printed)
        .map_err(|line| if line.is_empty() { smi_xml::first_line(said) } else { line })?;
    let begins = [printed.find("<?xml"), printed.find("<nvidia_smi_log")];
    let before = &printed[..begins.into_iter().flatten().min().unwrap_or(0)];
    let after = printed.rsplit_once("</nvidia_smi_log>").map_or("", |(_, after)| after);
    for aside in [before, after, said] {
        let line = smi_xml::first_line(aside);
        if !line.is_empty() {
            gpus.troubles.push(format!("nvidia-smi says: {line}"));
        }
    }
    if !well && gpus.troubles.is_empty() {
        gpus.troubles.push("nvidia-smi ended with a failure".to_owned());
    }
    Ok(gpus)
}

#[cfg(test)]
mod tests;
