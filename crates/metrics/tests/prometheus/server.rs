//! A real Prometheus in a process of its own, with a past: its blocks are made of an exposition with
//! times, so that nobody waits for six hours of scrapes.

use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// `reaper` and `hunter2-secret`, for `--web.config.file`.
const LOGIN: &str = "basic_auth_users:\n  reaper: \
                     $2b$04$Vruy96jPDrNsMV3wh/HOeuT8R9zMnh9d75CI.QWxLLIxG1SAbye/O\n";
/// How often it is asked whether it is up, twenty times a second.
const LOOKS: u32 = 600;

/// A running server; ends with this value.
#[derive(Debug)]
pub(crate) struct RealPrometheus {
    child: Child,
    folder: TempDir,
    address: SocketAddr,
}

/// Series with times, as `promtool` reads them.
#[derive(Debug, Default)]
pub(crate) struct Past(String);

impl Past {
    /// A series of a metric: labels as written, and values at times in seconds.
    pub(crate) fn series(
        &mut self,
        name: &str,
        labels: &str,
        values: impl Iterator<Item = (i64, f64)>,
    ) -> &mut Self {
        for (at, value) in values {
            let value = if value.is_nan() { "NaN".to_owned() } else { value.to_string() };
            writeln!(self.0, "{name}{{{labels}}} {value} {at}").expect("a text");
        }
        self
    }

    /// Makes the blocks. Families need no header; counters are untyped here, which `rate` allows.
    fn write(&self, data: &Path) {
        let text = data.with_extension("om");
        std::fs::write(&text, format!("{}# EOF\n", self.0)).expect("written");
        let made = Command::new("promtool")
            .args(["tsdb", "create-blocks-from", "openmetrics"])
            .args([&text, data])
            .output()
            .expect("promtool is there: on Debian, apt-get install prometheus");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

impl RealPrometheus {
    /// Starts it on a free port and returns when it is ready. With `login` it wants one.
    pub(crate) fn start(past: &Past, login: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        past.write(&data);
        let (config, web) = (folder.path().join("prometheus.yml"), folder.path().join("web.yml"));
        std::fs::write(&config, "scrape_configs: []\n").expect("written");
        std::fs::write(&web, if login { LOGIN } else { "" }).expect("written");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        drop(listener);
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.tsdb.path={}", data.display()))
            .arg("--storage.tsdb.retention.time=100y")
            .arg(format!("--web.config.file={}", web.display()))
            .arg(format!("--web.listen-address={address}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path().join("log")).expect("a log"))
            .spawn()
            .expect("prometheus is there: on Debian, apt-get install prometheus");
        let mut server = Self { child, folder, address };
        server.wait();
        server
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn wait(&mut self) {
        for _ in 0..LOOKS {
            if let Some(status) = self.child.try_wait().expect("a child") {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                panic!("prometheus ended: {status}\n{}", log.unwrap_or_default());
            }
            if self.says_ready().unwrap_or(false) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("prometheus is not up after {LOOKS} looks");
    }

    /// With a login wanted, being asked for it is being up.
    fn says_ready(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.write_all(b"GET /-/ready HTTP/1.0\r\nHost: localhost\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer.starts_with("HTTP/1.0 200") || answer.starts_with("HTTP/1.0 401"))
    }
}

impl Drop for RealPrometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
