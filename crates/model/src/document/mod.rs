//! The audit document, `reaper.audit/1`: the one view model that every output renders. Field names
//! are promises to other people's programs: extend them, never rename them.

mod budget;
mod check;
mod error;
mod explain;
mod finding;
mod history;
mod keep;
mod leftover;
mod machine;
mod mail;
mod plan;
mod report;
mod run;
mod totals;

pub use budget::{AlertStatus, Basis, BillStatus, BillView, BudgetStatus, BudgetView, SpendView};
pub use check::{
    AccountView, BudgetRuleView, CHECK_SCHEMA, CheckDocument, RuleCountView, ScheduleView,
    SettingView,
};
pub use error::{ERROR_SCHEMA, ErrorDocument, ErrorView};
pub use explain::{Answer, EXPLAIN_SCHEMA, ExplainDocument, RuleView};
pub use finding::{
    ActionView, CaseView, Finding, PlannedAction, StillCharged, Verdict, WantedAction,
};
pub use history::{HISTORY_SCHEMA, HistoryDocument, RecordView, VerifiedView};
pub use keep::{KEEP_SCHEMA, KeepDocument, TagResult};
pub use leftover::{AdviceKind, AdviceView, Confidence, LeftoverView};
pub use machine::{
    Billing, Cause, CostBasis, CostView, GpuView, IdleVerdict, MachineView, OwnerStatus, OwnerView,
    PriceView, PurchaseView, UtilisationView,
};
pub use mail::{MailKind, MailStatus, MailView};
pub use plan::PlanView;
pub use report::{ChangeView, KeptView, ReportView, StoppedView, WeekView};
pub use run::{
    AuditDocument, ConfigView, Mode, PeriodView, RateView, SCHEMA, ScopeStatus, ScopeView, Warning,
};
pub use totals::TotalsView;
