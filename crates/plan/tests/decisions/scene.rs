//! A scene: machines, settings and a memory that is folded from run to run as the ledger would.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use reaper_budget::Exchange;
use reaper_model::{
    AccountName, ActionResult, Case, Currency, Gauge, Instance, InstanceId, Measured, Meter, Money,
    Phase, Plan, Rate, Sample, Series, Source, Span, State, StopKind, Verb,
};
use reaper_plan::{
    Candidate, Decision, Decisions, DueNotice, Frame, How, Limits, Memory, PastAct, Question,
    RecentStop, Remembered, Routing, Told, Way, Ways, decide, looks,
};
use reaper_policy::{Judgement, Policy, PolicySpec, Subject};

use crate::build::{forgotten, known, machine, monday, money, span};

/// What the mail server says to one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Takes,
    Later,
    Never,
    Silence,
}

#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) now: DateTime<Utc>,
    pub(crate) enforces: bool,
    pub(crate) machines: Vec<Instance>,
    pub(crate) policy: PolicySpec,
    pub(crate) memory: Memory,
    /// What was measured of every machine.
    pub(crate) measured: Option<Measured>,
    pub(crate) limits: Limits,
    pub(crate) routing: Routing,
    pub(crate) expect: Option<u64>,
    pub(crate) rates: Vec<Rate>,
    /// Machines whose place was not read whole.
    pub(crate) partial: BTreeSet<InstanceId>,
    /// Prices that are not 3.50 EUR.
    pub(crate) hourly: BTreeMap<InstanceId, Option<Money>>,
    pub(crate) bound: Option<Money>,
    /// Why nothing may be done, if so.
    pub(crate) forbidden: Option<&'static str>,
    pub(crate) allow_terminate: bool,
    /// What a stop comes to, instead of what the machine's own offer says.
    pub(crate) stop_way: Option<Way>,
    /// What mail servers say; everybody else's takes everything.
    pub(crate) answers: BTreeMap<String, Answer>,
    /// Machines whose periods budgets may end early, and those for which one is used up.
    pub(crate) may_hasten: BTreeMap<InstanceId, Vec<String>>,
    pub(crate) hastened: BTreeMap<InstanceId, Vec<String>>,
}

const NO_CONSENT: &str = "terminating needs allow_terminate";

pub(crate) fn stops() -> Way {
    Way { verb: Verb::Stop, call: "ec2:StopInstances", loses: Vec::new(), erases_disks: false }
}

pub(crate) fn terminates() -> Way {
    let loses = vec!["everything on its disks".to_owned()];
    Way { verb: Verb::Terminate, call: "ec2:TerminateInstances", loses, erases_disks: true }
}

/// What one run did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) before: Decisions,
    pub(crate) sent: Vec<DueNotice>,
    pub(crate) after: Decisions,
    pub(crate) acted: Vec<InstanceId>,
}

impl Scene {
    /// Enforcing, Monday 09:00, limits wide open, with these machines.
    pub(crate) fn new(machines: Vec<Instance>) -> Self {
        Self {
            now: monday(),
            enforces: true,
            machines,
            policy: forgotten(),
            memory: Memory::default(),
            measured: None,
            limits: Limits {
                max_actions: 100,
                max_share: 100.into(),
                max_hourly_value: money("10000 EUR"),
            },
            routing: Routing {
                fallback: Some("gpu-team@example.org".to_owned()),
                allowed_domains: vec!["example.org".to_owned()],
                remind_every: span("7d"),
                can_mail: true,
            },
            expect: None,
            rates: Vec::new(),
            partial: BTreeSet::new(),
            hourly: BTreeMap::new(),
            bound: None,
            forbidden: None,
            allow_terminate: false,
            stop_way: None,
            answers: BTreeMap::new(),
            may_hasten: BTreeMap::new(),
            hastened: BTreeMap::new(),
        }
    }

    /// Alice's one machine.
    pub(crate) fn of_alice() -> Self {
        Self::new(vec![machine("i-1", "alice")])
    }

    /// The same after all that is needed to act: told, and the period over.
    pub(crate) fn due(machines: Vec<Instance>) -> Self {
        let mut scene = Self::new(machines);
        scene.run();
        scene.wait("3d");
        scene
    }

    pub(crate) fn wait(&mut self, time: &str) {
        self.now += span(time).delta();
    }

    pub(crate) fn judge(&self, instance: &Instance) -> Judgement {
        self.judge_by(&Policy::new(self.policy.clone()), instance)
    }

    fn judge_by(&self, policy: &Policy, instance: &Instance) -> Judgement {
        let account = AccountName::new("research");
        let subject = Subject::new(instance, &account, self.now);
        policy.judge(&subject.with_measured(self.measured.as_ref()))
    }

    pub(crate) fn decide(&self) -> Decisions {
        self.decide_as(self.enforces)
    }

    pub(crate) fn decide_as(&self, enforces: bool) -> Decisions {
        let account = AccountName::new("research");
        let policy = Policy::new(self.policy.clone());
        let judgements: Vec<_> =
            self.machines.iter().map(|machine| self.judge_by(&policy, machine)).collect();
        let candidates: Vec<_> = self
            .machines
            .iter()
            .zip(&judgements)
            .map(|(instance, judgement)| Candidate {
                instance,
                account: &account,
                judgement,
                whole: !self.partial.contains(&instance.id),
                hourly: self.hourly.get(&instance.id).copied().unwrap_or(Some(money("3.50 EUR"))),
                hourly_bound: self.bound,
                saves_per_month: None,
                still_charged: Vec::new(),
                ways: self.ways(instance),
            })
            .collect();
        decide(&Question {
            may_hasten: &self.may_hasten,
            hastened: &self.hastened,
            now: self.now,
            enforces,
            candidates: &candidates,
            memory: &self.memory,
            rules: &self.policy.rules,
            exchange: &Exchange::new(Currency::EUR, self.rates.clone()),
            limits: &self.limits,
            expect: self.expect,
            routing: &self.routing,
            frame: &Frame {
                version: "0.1.0".to_owned(),
                config: "sha256:00".to_owned(),
                ledger: Some(7),
                lifetime: span("24h"),
            },
        })
    }

    fn ways(&self, instance: &Instance) -> Ways {
        if let Some(why) = self.forbidden {
            return Ways { stop: Err(why.to_owned()), terminate: Err(why.to_owned()) };
        }
        let terminate =
            if self.allow_terminate { Ok(terminates()) } else { Err(NO_CONSENT.to_owned()) };
        let stop = match instance.stop.kind {
            StopKind::Deallocate => Ok(stops()),
            StopKind::Terminate => terminate.clone(),
        };
        let stop = self.stop_way.clone().map_or(stop, Ok);
        // Without consent to more, a termination comes to the milder stop.
        Ways { terminate: terminate.or_else(|_| stop.clone()), stop }
    }

    /// One whole run, as the engine drives it.
    pub(crate) fn run(&mut self) -> Ran {
        let before = self.decide();
        self.record(&before);
        let sent = before.notices.clone();
        for notice in &sent {
            self.send(notice);
        }
        let after = self.decide();
        self.record(&after);
        let acted = if self.enforces { self.act(&after.plan) } else { Vec::new() };
        Ran { before, sent, after, acted }
    }

    pub(crate) fn record(&mut self, decisions: &Decisions) {
        for instance in &self.machines {
            let first = Remembered {
                first_seen: self.now,
                cases: BTreeMap::new(),
                acts: Vec::new(),
                open_action: None,
            };
            self.memory.machines.entry(instance.id.clone()).or_insert(first);
        }
        for change in &decisions.cases {
            let machine = self.memory.machines.get_mut(&change.id).expect("was seen");
            match change.case.clone() {
                Some(case) => machine.cases.insert(change.rule.clone(), case),
                None => machine.cases.remove(&change.rule),
            };
        }
    }

    pub(crate) fn send(&mut self, notice: &DueNotice) {
        let how = match self.answers.get(&notice.to).copied().unwrap_or(Answer::Takes) {
            Answer::Takes => How::Accepted(self.now),
            Answer::Later => How::Rejected { permanent: false, at: self.now },
            Answer::Never => How::Rejected { permanent: true, at: self.now },
            Answer::Silence => How::PossiblySent(self.now),
        };
        self.memory.notices.retain(|told| told.key != notice.key);
        self.memory.notices.push(Told {
            key: notice.key.clone(),
            to: notice.to.clone(),
            step: notice.step,
            about: notice.about(),
            how,
        });
    }

    /// Every step works, unless the brake holds.
    fn act(&mut self, plan: &Plan) -> Vec<InstanceId> {
        if plan.brake.holds() {
            return Vec::new();
        }
        for step in &plan.steps {
            let remembered = self.memory.machines.get_mut(&step.id).expect("was seen");
            remembered.acts.push(PastAct {
                verb: step.verb,
                rule: step.rule.clone(),
                at: self.now,
                result: ActionResult::Confirmed,
                ground: step.ground.clone(),
            });
            remembered.cases.get_mut(&step.rule).expect("has a case").phase = Phase::Acted;
            let instance = self.machine(&step.id.native);
            (instance.state, instance.meter) = (State::Stopped, Meter::StoppedFree);
            let looks = looks(instance);
            self.memory.stops.push(RecentStop { id: step.id.clone(), at: self.now, looks });
        }
        plan.steps.iter().map(|step| step.id.clone()).collect()
    }

    /// Somebody starts a machine.
    pub(crate) fn start(&mut self, native: &str) {
        let now = self.now;
        let instance = self.machine(native);
        (instance.state, instance.meter) = (State::Running, Meter::Running);
        instance.running_since = known(now);
    }

    /// The last action on a machine had this result.
    pub(crate) fn acted(&mut self, native: &str, result: ActionResult, ago: &str) {
        let at = self.now - span(ago).delta();
        let remembered = self.remembered(native);
        let ground =
            remembered.cases.values().next().map_or(String::new(), |case| case.ground.clone());
        let rule = "forgotten".to_owned();
        remembered.acts.push(PastAct { verb: Verb::Stop, rule, at, result, ground });
    }

    pub(crate) fn machine(&mut self, native: &str) -> &mut Instance {
        self.machines.iter_mut().find(|machine| machine.id.native == native).expect("is there")
    }

    pub(crate) fn remembered(&mut self, native: &str) -> &mut Remembered {
        self.memory
            .machines
            .iter_mut()
            .find(|(id, _)| id.native == native)
            .map(|(_, machine)| machine)
            .expect("is remembered")
    }

    pub(crate) fn case(&mut self, native: &str) -> Option<Case> {
        self.remembered(native).cases.values().next().cloned()
    }
}

impl Ran {
    pub(crate) fn decision(&self, native: &str) -> &Decision {
        self.after.decision(native)
    }

    /// `step to` of everything sent.
    pub(crate) fn mails(&self) -> Vec<String> {
        self.sent.iter().map(mail).collect()
    }
}

pub(crate) fn mail(notice: &DueNotice) -> String {
    format!("{} {}", notice.step.name(), notice.to)
}

/// The machines that a mail is about.
pub(crate) fn natives(notice: &DueNotice) -> Vec<&str> {
    notice.topics.iter().map(|topic| topic.about.id.native.as_str()).collect()
}

pub(crate) trait Look {
    fn decision(&self, native: &str) -> &Decision;
}

impl Look for Decisions {
    fn decision(&self, native: &str) -> &Decision {
        self.machines
            .iter()
            .find(|(id, _)| id.native == native)
            .map(|(_, decision)| decision)
            .expect("was decided about")
    }
}

pub(crate) fn minutes(minutes: i64) -> TimeDelta {
    TimeDelta::minutes(minutes)
}

pub(crate) const NEVER: Span = Span::from_secs(3_000 * 86_400);

/// Eight GPUs that did nothing for the twelve hours up to now, one sample for each `step`; `held`
/// GiB in use on each, and calm CPUs.
pub(crate) fn quiet(now: DateTime<Utc>, step: &str, held: f64) -> Measured {
    let step = span(step);
    let series = |gauge, gpu: Option<u32>, value| Series {
        gauge,
        gpu: gpu.map(|gpu| gpu.to_string()),
        slice: None,
        source: Source::new("DCGM"),
        step,
        samples: (1..=1_000)
            .map(|ago| Sample { at: now - step.delta() * ago, value })
            .take_while(|sample| sample.at >= now - TimeDelta::hours(12))
            .collect(),
    };
    let of = |gpu| {
        [(Gauge::GpuUtilisation, 0.2), (Gauge::GpuMemory, held)]
            .map(|(gauge, value)| series(gauge, Some(gpu), value))
    };
    let cpu = series(Gauge::Cpu, None, 1.0);
    Measured { series: (0..8).flat_map(of).chain([cpu]).collect(), gaps: Vec::new() }
}
