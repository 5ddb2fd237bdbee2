//! The world, the configuration, the mail server and the binary together, at a clock that is set.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use chrono::{DateTime, Utc};
use reaper_simcloud::{Change, SimCloud, World};
use serde_json::{Value, json};

use crate::support::{Cloud, LAMBDA, Mail, MailServer, OVHCLOUD, Ran, Reaper, SCALEWAY, variable};

/// AWS as the other clouds are.
pub(crate) const AWS: Cloud = Cloud {
    provider: "aws",
    world: "[aws]\nregions = [\"eu-west-1\"]\n[[aws.account]]\nid = \"111122223333\"\naccess_keys = [\"AKIACANARY000000001\"]\n",
    account: "name = \"research\"\nprovider = \"aws\"\nexpect_account = \"111122223333\"\n\
              regions = [\"eu-west-1\"]\n",
    keys: &[
        ("AWS_ACCESS_KEY_ID", "AKIACANARY000000001"),
        ("AWS_SECRET_ACCESS_KEY", "canarysecretofaws71c2"),
    ],
};

/// All of them.
pub(crate) const CLOUDS: [Cloud; 4] = [AWS, SCALEWAY, OVHCLOUD, LAMBDA];

/// Before everything else in a configuration: the state beside it, waits as short as they can be, and
/// a price that no catalogue outdates.
const HEAD: &str = "version = 1\nstate = { url = \"file:state\" }\n\
                    price = [{ provider = \"aws\", type = \"p3.2xlarge\", hourly = \"3 EUR\" }]\n\
                    timeouts = { confirm = \"2s\", poll = \"1s\", mail = \"20s\" }\n\
                    pace = { lambda = { per_second = 50 } }\n";

/// Nothing listens there.
const NOWHERE: u16 = 1;

/// How the mail server serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Post {
    Up,
    /// Nobody listens.
    Down,
    /// It takes mails and hangs up before it says so.
    Cut,
}

/// One world with one configuration and one state. Ends with everything that it started.
pub(crate) struct Stage {
    pub(crate) cloud: SimCloud,
    pub(crate) reaper: Reaper,
    now: String,
    server: Option<MailServer>,
    refusals: serde_json::Map<String, Value>,
    /// The port that the configuration names.
    port: u16,
    /// Every mail that was accepted, with the clock of then.
    told: Vec<(String, Mail)>,
    /// So many requests were looked at.
    requests: usize,
}

impl Stage {
    /// `${aws}` stands for the account in the world, and for its `[[account]]` in the configuration;
    /// `${mail}` for `[notify.email]`, `${prometheus}` for the address of the simulated Prometheus.
    pub(crate) async fn new(now: &str, world: &str, config: &str) -> Self {
        let mut text = format!("clock = {{ start = \"{now}\" }}\n{world}");
        for cloud in &CLOUDS {
            text = text.replace(&format!("${{{}}}", cloud.provider), cloud.world);
        }
        let text =
            text.replace("[[lambda.account]]", "[lambda]\nmin_interval_ms = 0\n[[lambda.account]]");
        let world = World::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let cloud = SimCloud::start(world).await.expect("a free port");
        let server = MailServer::start(&json!({}));
        let port = server.port;

        let mut text = format!("{HEAD}{config}");
        for one in &CLOUDS {
            let account = format!(
                "[[account]]\n{}endpoint_url = \"{}\"",
                one.account,
                cloud.base_url(one.provider)
            );
            text = text.replace(&format!("${{{}}}", one.provider), &account);
        }
        text = text.replace("${prometheus}", &cloud.base_url("prometheus"));
        // Stories about notices have no weekly report, unless they ask for one.
        let nobody = if text.contains("report_to") { "" } else { "report_to = []\n" };
        let mail =
            format!("[notify.email]\nfrom = \"reaper@example.org\"\n{nobody}smtp = {}", smtp(port));
        let text = text.replace("${mail}", &mail);
        let bin = variable("REAPER_BIN");
        let folder = Path::new(&bin).parent().expect("a folder").display();
        let reaper = Reaper::with_config(&text)
            .env("PATH", &format!("{folder}:/usr/bin:/bin"))
            .env("COLUMNS", "100")
            .env("USER", "alice");
        let keys = CLOUDS.iter().flat_map(|cloud| cloud.keys);
        let reaper = keys.fold(reaper, |reaper, (name, value)| reaper.env(name, value));
        Self {
            cloud,
            reaper,
            now: now.to_owned(),
            server: Some(server),
            refusals: serde_json::Map::new(),
            port,
            told: Vec::new(),
            requests: 0,
        }
    }

    /// Sets the clock of the world and of the commands to come.
    pub(crate) fn at(&mut self, now: &str) {
        let time =
            DateTime::parse_from_rfc3339(now).unwrap_or_else(|error| panic!("{now}: {error}"));
        self.cloud.set_now(time.to_utc());
        now.clone_into(&mut self.now);
    }

    /// The clock (UTC).
    pub(crate) fn now(&self) -> DateTime<Utc> {
        DateTime::parse_from_rfc3339(&self.now).expect("it was set").to_utc()
    }

    /// The mail server answers this recipient so from now on.
    pub(crate) fn refuse_mail(&mut self, to: &str, reply: &str) {
        self.refusals.insert(to.to_owned(), json!(reply));
        self.serve_mail(Post::Up);
    }

    /// From now on the mail server serves like this, on another port that its clients are told.
    pub(crate) fn serve_mail(&mut self, post: Post) {
        let cut = post == Post::Cut;
        let settings = json!({ "rcpt": self.refusals, "cut_after_dot": cut });
        self.server = (post != Post::Down).then(|| MailServer::start(&settings));
        let port = self.server.as_ref().map_or(NOWHERE, |server| server.port);
        let path = self.reaper.path().join("reaper.toml");
        let text = std::fs::read_to_string(&path).expect("a configuration");
        let text = text.replace(&smtp(self.port), &smtp(port));
        std::fs::write(path, text).expect("a configuration");
        self.port = port;
    }

    /// Where the configuration says that the mail server listens.
    pub(crate) fn mail_address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The command, not started. A shell's line.
    fn command(&self, line: &str) -> Command {
        let line =
            if line.contains(['|', ';', '&']) { line.to_owned() } else { format!("exec {line}") };
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &line])
            .current_dir(self.reaper.path())
            .env_clear()
            .env("HOME", self.reaper.path())
            .envs(self.reaper.environment())
            .env("REAPER_NOW", &self.now)
            .stdin(Stdio::null());
        command
    }

    /// Runs a line to its end. The cloud is served by the runtime's other threads meanwhile.
    pub(crate) fn run(&self, line: &str) -> Ran {
        let output = self.command(line).output().expect("a shell");
        ran(output)
    }

    /// Starts a line.
    pub(crate) fn spawn(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a shell")
    }

    /// The requests since the last time this was asked that would change something.
    pub(crate) fn calls(&mut self) -> Vec<Change> {
        let requests = self.cloud.requests();
        let new = requests.all().get(self.requests..).unwrap_or_default();
        let changing = new.iter().filter(|entry| entry.call.changes).count();
        self.requests = requests.len();
        let mut changes = requests.changes();
        changes.split_off(changes.len() - changing)
    }

    /// The mails accepted since the last time this was asked.
    pub(crate) fn mails(&mut self) -> Vec<Mail> {
        let new = self.server.as_mut().map(MailServer::mails).unwrap_or_default();
        self.told.extend(new.iter().map(|mail| (self.now.clone(), mail.clone())));
        new
    }

    /// The clocks at which a mail naming this machine was accepted.
    pub(crate) fn told_of(&self, native: &str) -> Vec<DateTime<Utc>> {
        let of = self.told.iter().filter(|(_, mail)| mail.text.contains(native));
        of.filter_map(|(at, _)| at.parse().ok()).collect()
    }

    /// Whether the owner has set a rule of their own for the machine, by its tags.
    pub(crate) fn has_own_rule(&self, native: &str) -> bool {
        let world = self.cloud.world();
        let mut instances = world.aws.instances();
        instances.any(|machine| machine.id == native && machine.tags.contains_key("idle-stop"))
    }

    /// Every file of the state with its bytes.
    pub(crate) fn state(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.reaper.path().join("state"), &mut files);
        files
    }
}

/// What a finished command did. One that a signal ended has the code -1.
pub(crate) fn ran(output: std::process::Output) -> Ran {
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

fn smtp(port: u16) -> String {
    format!("{{ host = \"127.0.0.1\", port = {port}, tls = \"none\" }}")
}

fn collect(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    // There is no folder before the first run.
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.insert(path.display().to_string(), std::fs::read(&path).expect("readable"));
        }
    }
}
