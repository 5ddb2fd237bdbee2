//! What a checked configuration is made of. Built by [`crate::load`] and [`crate::parse`] alone.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono_tz::Tz;
use reaper_model::{
    AccountName, BudgetSpec, Currency, Location, Money, PriceOverride, ProviderName, Rate, Span,
};
use reaper_policy::PolicySpec;
use reaper_timetable::Timetable;
use secrecy::SecretString;

use crate::units::{Percent, Size};

/// A configuration in which everything was understood and nothing was left open.
#[derive(Debug, Clone)]
pub struct Config {
    /// The file; `None` for an embedded text.
    pub path: Option<PathBuf>,
    /// `sha256:` and the hexadecimal digest of the file's bytes.
    pub digest: String,
    /// The zone of months, weeks and dates.
    pub timezone: Tz,
    /// The currency of the report.
    pub currency: Currency,
    /// Dated rates to [`Config::currency`], at most one per foreign currency.
    pub rates: Vec<Rate>,
    /// Whether acting is allowed at all; `None` leaves it to the command line.
    pub mode: Option<Mode>,
    /// Whether what costs money beside machines is read, to report what nobody uses.
    pub leftovers: bool,
    /// Where the state lies.
    pub state: StateUrl,
    /// At least one; names are unique.
    pub accounts: Vec<Account>,
    /// Rules, owners, protection, exemptions.
    pub policy: PolicySpec,
    /// The brake.
    pub limits: Limits,
    /// Prices that override or fill the catalogue; one per provider, type, location.
    pub prices: Vec<PriceOverride>,
    /// Time limits.
    pub timeouts: Timeouts,
    /// Attempts per call, the first included.
    pub attempts: u32,
    /// Bounds by provider; one that is not here has its documented defaults.
    pub pace: BTreeMap<ProviderName, Pace>,
    /// PEM file with further certificate authorities to trust; it was there when this was read.
    pub ca_bundle: Option<PathBuf>,
    /// Where it is learnt what machines do.
    pub metrics: Metrics,
    /// Commands of the user's.
    pub hooks: Hooks,
    /// Limits per calendar month, in the order of the file; names are unique. Each can be told to
    /// somebody by its recipients or the fallback, and counts no currency that cannot be brought
    /// into the limit's, as far as the file says.
    pub budgets: Vec<BudgetSpec>,
    /// `[notify.email]`; `None` means that nobody is told anything.
    pub email: Option<Email>,
    /// The other channels of `[notify]`.
    pub channels: Channels,
    /// What runs when, in the order of the file. One of them is [`Job::Report`]'s, the default last.
    pub schedules: Vec<Schedule>,
    /// What was accepted and should be looked at.
    pub warnings: Vec<ConfigWarning>,
    pub(crate) effective: Vec<Setting>,
}

impl Config {
    /// Every setting that has a default or is a duration, with its value as it is in force, in the
    /// order of the documentation, for `reaper check`.
    pub fn effective(&self) -> &[Setting] {
        &self.effective
    }

    /// When the weekly report is due.
    pub fn report_times(&self) -> Option<&Timetable> {
        let report = self.schedules.iter().find(|schedule| schedule.job == Job::Report);
        report.map(|schedule| &schedule.timetable)
    }

    /// What the file is called in messages.
    pub(crate) fn file(&self) -> String {
        let path = self.path.as_ref();
        path.map_or_else(|| crate::document::EMBEDDED.to_owned(), |path| path.display().to_string())
    }

    /// The bounds of a provider's calls.
    pub fn pace_of(&self, provider: &ProviderName) -> Pace {
        self.pace.get(provider).copied().unwrap_or_default()
    }
}

/// A setting in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its path: `timeouts.call`, `rule.ownerless.notice`.
    pub key: String,
    /// Its value as it would be written, without quotes.
    pub value: String,
    /// Whether the file does not say it.
    pub is_default: bool,
}

/// Whether acting is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Never, whatever the command line says.
    Report,
    /// If the command line asks for it.
    Enforce,
}

/// One `[[account]]`: a set of credentials at one provider.
#[derive(Debug, Clone)]
pub struct Account {
    /// Its unique name.
    pub name: AccountName,
    /// The provider, one of those handed in by [`crate::Environment`].
    pub provider: ProviderName,
    /// The pin: the identity that the provider must confirm.
    pub expect_account: Option<String>,
    /// Regions or zones, none twice; empty means all.
    pub locations: Vec<Location>,
    /// Base address instead of the provider's own; HTTP or HTTPS, without login.
    pub endpoint_url: Option<String>,
    /// Consent to end machines for good, with the data on them.
    pub allow_terminate: bool,
    /// Consent to stop machines whose local disks a stop erases.
    pub allow_local_data_loss: bool,
    /// Further settings of this provider as text; `true` and `false` for yes and no.
    pub options: BTreeMap<String, String>,
    /// Further list settings of this provider.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Secrets, blanks around them removed.
    pub credentials: BTreeMap<String, SecretString>,
}

/// Time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// One attempt of one call.
    pub call: Span,
    /// Everything that is asked of one account at one location.
    pub scope: Span,
    /// The whole run; at least [`Timeouts::scope`].
    pub run: Span,
    /// Until an action must be seen to have ended the bill.
    pub confirm: Span,
    /// Between two looks at a machine that is being stopped; at most [`Timeouts::confirm`].
    pub poll: Span,
    /// Everything said to the mail server for one mail.
    pub mail: Span,
    /// To finish or hand over after SIGTERM or SIGINT.
    pub stop_grace: Span,
    /// How long a plan may be applied.
    pub plan: Span,
    /// How long a run keeps others off an account if it dies; at least [`Timeouts::run`].
    pub lease: Span,
}

/// Where the state lies. The scheme was checked and there is no login in it; the rest is for the
/// ledger to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateUrl {
    /// As written: `file:`, `s3://`, `gs://` or `az://` and more.
    pub url: String,
    /// The configuration's folder, absolute: what a relative `file:` is relative to.
    pub base: PathBuf,
}

/// The brake: if what is due is over any of these, nothing at all is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Machines acted upon in one run.
    pub max_actions: u32,
    /// Share of all machines that were read.
    pub max_share: Percent,
    /// What the machines acted upon cost in an hour. Its currency need not be
    /// [`Config::currency`].
    pub max_hourly_value: Money,
}

/// Commands of the user's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Runs before each stop; if it fails, the machine is left alone.
    pub before_stop: Option<Hook>,
}

/// A command, run without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// A file that was there when this was read, absolute; or a name to look for in `PATH`.
    pub program: PathBuf,
    /// What is handed to it.
    pub arguments: Vec<String>,
    /// Where it runs: the configuration's folder, absolute.
    pub folder: PathBuf,
    /// How long it may take.
    pub timeout: Span,
}

/// `[notify.email]`.
#[derive(Debug, Clone)]
pub struct Email {
    /// The sender's address.
    pub from: String,
    /// The sender's name; one line.
    pub from_name: Option<String>,
    /// Address for answers, if it is another.
    pub reply_to: Option<String>,
    /// The most that one mail may be.
    pub max_size: Size,
    /// The mail server.
    pub smtp: Smtp,
    /// Addresses that get the report, none twice.
    pub report_to: Vec<String>,
    /// Domains of owners who may be written to, in lower case, none twice; subdomains are not
    /// included. `owners.fallback` and [`Email::report_to`] are not bound by it.
    pub allowed_domains: Vec<String>,
    /// How long after a mail about a machine the next one may follow.
    pub remind_every: Span,
}

/// The mail server.
#[derive(Debug, Clone)]
pub struct Smtp {
    /// Name or address; IPv6 without brackets.
    pub host: String,
    /// Port.
    pub port: u16,
    /// How the connection is encrypted.
    pub tls: Tls,
    /// Name and password; never with [`Tls::None`] to another machine.
    pub login: Option<Login>,
    /// PEM file with further certificate authorities to trust; `tls.ca_bundle` if it has none of
    /// its own.
    pub ca_bundle: Option<PathBuf>,
}

/// A name and its password.
#[derive(Debug, Clone)]
pub struct Login {
    /// Name.
    pub user: String,
    /// Password, blanks around it removed.
    pub password: SecretString,
}

/// How the connection to a mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// It begins in the clear; nothing but the wish to encrypt is said there.
    StartTls,
    /// From its first byte.
    Implicit,
    /// Not at all.
    None,
}

/// `[metrics]`: where it is learnt what machines do.
#[derive(Debug, Clone)]
pub struct Metrics {
    /// Whether the clouds' own monitoring is read.
    pub clouds: bool,
    /// Whether samples are read that `reaper probe` put into the state.
    pub probe: bool,
    /// `[metrics.prometheus]`.
    pub prometheus: Option<PrometheusServer>,
}

/// A Prometheus, or a server that speaks like it.
#[derive(Debug, Clone)]
pub struct PrometheusServer {
    /// The part of its address before `/api/v1`: HTTPS, or HTTP where nothing secret is sent or it
    /// is on this machine; without a login.
    pub url: String,
    /// The label that names the machine; the name of one.
    pub label: String,
    /// How it is told who asks.
    pub auth: PrometheusAuth,
    /// One attempt of one query.
    pub timeout: Span,
}

/// How a Prometheus is told who asks.
#[derive(Debug, Clone)]
pub enum PrometheusAuth {
    /// Not at all.
    None,
    /// By name and password.
    Basic(Login),
    /// By a token.
    Bearer(SecretString),
    /// By signatures, as Amazon Managed Prometheus wants them.
    SigV4(SigV4Keys),
}

/// Keys of AWS, blanks around them removed.
#[derive(Debug, Clone)]
pub struct SigV4Keys {
    /// The region that they sign for.
    pub region: String,
    /// The id of the key.
    pub access_key_id: SecretString,
    /// The key.
    pub secret_access_key: SecretString,
    /// What temporary keys come with.
    pub session_token: Option<SecretString>,
}

/// Where else than by mail a run is heard of; `None` where the file has no such table.
///
/// Addresses are HTTPS, or HTTP to this machine, without a login; whoever knows one can write to
/// it, so each is a secret.
#[derive(Debug, Clone, Default)]
pub struct Channels {
    /// `[notify.slack]`.
    pub slack: Option<Slack>,
    /// `[notify.webhook]`.
    pub webhook: Option<Webhook>,
    /// `[notify.heartbeat]`.
    pub heartbeat: Option<Heartbeat>,
    /// `[notify.prometheus]`.
    pub prometheus: Option<Prometheus>,
}

impl Channels {
    /// Names of the channels that are told something.
    pub fn told(&self, what: Told) -> Vec<String> {
        let slack = self.slack.as_ref().map(|slack| ("slack", &slack.send));
        let webhook = self.webhook.as_ref().map(|webhook| ("webhook", &webhook.send));
        let all = slack.into_iter().chain(webhook);
        all.filter(|(_, send)| send.contains(&what)).map(|(name, _)| name.to_owned()).collect()
    }
}

/// `[notify.slack]`.
#[derive(Debug, Clone)]
pub struct Slack {
    /// The address of an incoming webhook.
    pub webhook: SecretString,
    /// What it is told; at least one, none twice.
    pub send: Vec<Told>,
    /// Everything said about one message, further attempts included.
    pub timeout: Span,
}

/// `[notify.webhook]`.
#[derive(Debug, Clone)]
pub struct Webhook {
    /// Where requests are sent.
    pub url: SecretString,
    /// What each request is signed with; at least one, blanks around them removed. Whether they
    /// are keys is not checked here.
    pub secrets: Vec<SecretString>,
    /// What it is told; at least one, none twice.
    pub send: Vec<Told>,
    /// Everything said about one message, further attempts included.
    pub timeout: Span,
}

/// `[notify.heartbeat]`.
#[derive(Debug, Clone)]
pub struct Heartbeat {
    /// The address that hears of a success; a start and a failure are told below it.
    pub url: SecretString,
    /// Everything said about one of them.
    pub timeout: Span,
}

/// `[notify.prometheus]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prometheus {
    /// The file that each run replaces: absolute, ending in `.prom`.
    pub textfile: PathBuf,
}

/// What a channel can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// The weekly report.
    Report,
    /// Budgets of which a threshold is reached.
    Alerts,
    /// Confirmed stops.
    Stops,
}

impl Told {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Report, Self::Alerts, Self::Stops];

    /// The word in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Alerts => "alerts",
            Self::Stops => "stops",
        }
    }
}

/// Bounds of the calls of each account at one provider; `None` is the provider's documented
/// default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pace {
    /// Requests per second.
    pub per_second: Option<u32>,
    /// Requests in flight.
    pub in_flight: Option<usize>,
    /// Entries per page.
    pub page_size: Option<u32>,
}

/// One `[[schedule]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// What runs.
    pub job: Job,
    /// When.
    pub timetable: Timetable,
    /// By how much it may begin later; at most a day.
    pub jitter: Span,
    /// Whether the file does not say it.
    pub is_default: bool,
}

/// What a schedule runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// A run that sends no notice and stops nothing, with the weekly report.
    Report,
    /// All of `reaper run`.
    Run,
    /// A run that sends no notice, no report, and stops nothing.
    Budget,
}

impl Job {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Report, Self::Run, Self::Budget];

    /// Its name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Run => "run",
            Self::Budget => "budget",
        }
    }
}

/// Something accepted that should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigWarning {
    /// Stable word for machines, such as `config-blanks-trimmed`.
    pub code: &'static str,
    /// For people; never holds a secret.
    pub text: String,
    /// What it is about: an account, a rule, a file and line.
    pub subject: String,
}
