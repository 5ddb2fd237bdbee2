//! Laws that hold in every history: random worlds, random schedules, random mail servers.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use reaper_model::document::{OwnerStatus, Verdict, WantedAction};
use reaper_model::{Instance, InstanceId, Manager, Meter, NoticeStep, Plan, State};
use reaper_plan::{How, Planned, Topic, lint};
use reaper_policy::spec::IDLE_STOP;

use crate::build::{
    absent, known, machine, money, older_than, ownerless, policy, rule, tags, unread,
};
use crate::scene::{Answer, Scene, minutes, quiet};

const MACHINES: usize = 4;
const OWNERS: [&str; 4] = ["alice", "bob", "", "carol@example.net"];
const PEOPLE: [&str; 3] = ["alice@example.org", "bob@example.org", "gpu-team@example.org"];

/// Something that happens between two runs.
#[derive(Debug, Clone)]
enum Event {
    Nothing,
    Owner(usize, usize),
    Keep(usize),
    TagsUnread(usize),
    StartUnread(usize),
    Managed(usize),
    /// Its owner has it stopped once it idles.
    IdleStop(usize),
    /// Whether every machine is measured, and idle.
    Measured(bool),
    Partial(usize),
    Well(usize),
    Stopped(usize),
    /// So many minutes before the run that sees it, and after the run before.
    Started(usize, i64),
    Unpriced(usize),
    Mail(usize, Answer),
    Enforces(bool),
    Tight(bool),
    /// Whether machines may be terminated.
    Consent(bool),
}

fn event() -> impl Strategy<Value = Event> {
    let which = 0..MACHINES;
    prop_oneof![
        6 => Just(Event::Nothing),
        1 => (which.clone(), 0..OWNERS.len()).prop_map(|(at, owner)| Event::Owner(at, owner)),
        1 => which.clone().prop_map(Event::Keep),
        1 => which.clone().prop_map(Event::TagsUnread),
        1 => which.clone().prop_map(Event::StartUnread),
        1 => which.clone().prop_map(Event::Managed),
        1 => which.clone().prop_map(Event::IdleStop),
        1 => any::<bool>().prop_map(Event::Measured),
        1 => which.clone().prop_map(Event::Partial),
        3 => which.clone().prop_map(Event::Well),
        1 => which.clone().prop_map(Event::Stopped),
        2 => (which.clone(), 0_i64..600).prop_map(|(at, ago)| Event::Started(at, ago)),
        1 => which.prop_map(Event::Unpriced),
        2 => (0..PEOPLE.len(), prop::sample::select(vec![
            Answer::Takes, Answer::Takes, Answer::Later, Answer::Never, Answer::Silence,
        ])).prop_map(|(who, answer)| Event::Mail(who, answer)),
        1 => any::<bool>().prop_map(Event::Enforces),
        1 => any::<bool>().prop_map(Event::Tight),
        1 => any::<bool>().prop_map(Event::Consent),
    ]
}

/// Runs: what happens before each and how many minutes go by.
fn history() -> impl Strategy<Value = Vec<(Event, i64)>> {
    prop::collection::vec((event(), 0_i64..4_000), 1..40)
}

fn world() -> Scene {
    let machines = (0..MACHINES).map(|at| machine(&format!("i-{at}"), OWNERS[at % OWNERS.len()]));
    let mut scene = Scene::new(machines.collect());
    scene.policy = policy(vec![
        rule("forgotten", older_than("2h"), WantedAction::Stop, "3d"),
        ownerless(),
        rule("very-old", older_than("30d"), WantedAction::Terminate, "7d"),
    ]);
    scene.allow_terminate = true;
    scene
}

fn happen(scene: &mut Scene, event: &Event, last: DateTime<Utc>) {
    let now = scene.now;
    let place = |scene: &Scene, at: usize| scene.machines[at].id.clone();
    match *event {
        Event::Nothing => {}
        Event::Owner(at, owner) => scene.machines[at].tags = tags(&[("owner", OWNERS[owner])]),
        Event::Keep(at) => scene.machines[at].tags = tags(&[("reaper-keep", "true")]),
        Event::TagsUnread(at) => scene.machines[at].tags = unread(),
        Event::StartUnread(at) => scene.machines[at].running_since = unread(),
        Event::Managed(at) => {
            scene.machines[at].manager = known(Manager {
                kind: "autoscaling-group".to_owned(),
                name: "workers".to_owned(),
                advice: "lower its desired capacity".to_owned(),
            });
        }
        Event::IdleStop(at) => {
            let owner = OWNERS[at % OWNERS.len()];
            scene.machines[at].tags = tags(&[("owner", owner), ("idle-stop", "6h")]);
        }
        Event::Measured(measured) => scene.measured = measured.then(|| quiet(now, "1h", 0.3)),
        Event::Partial(at) => {
            let id = place(scene, at);
            scene.partial.insert(id);
        }
        Event::Well(at) => {
            let id = place(scene, at);
            scene.partial.remove(&id);
            let instance = &mut scene.machines[at];
            instance.manager = absent();
            instance.tags = tags(&[("owner", OWNERS[at % OWNERS.len()])]);
            if instance.running_since.gap().is_some() {
                instance.running_since = instance.created_at.clone();
            }
        }
        Event::Stopped(at) => {
            let instance = &mut scene.machines[at];
            (instance.state, instance.meter) = (State::Stopped, Meter::StoppedFree);
        }
        Event::Started(at, ago) => {
            let instance = &mut scene.machines[at];
            (instance.state, instance.meter) = (State::Running, Meter::Running);
            instance.running_since = known(last.max(now - minutes(ago)));
        }
        Event::Unpriced(at) => {
            let id = place(scene, at);
            scene.hourly.insert(id, None);
        }
        Event::Mail(who, answer) => {
            scene.answers.insert(PEOPLE[who].to_owned(), answer);
        }
        Event::Enforces(enforces) => scene.enforces = enforces,
        Event::Consent(consent) => scene.allow_terminate = consent,
        Event::Tight(tight) => {
            scene.limits.max_actions = if tight { 1 } else { 100 };
            scene.limits.max_hourly_value = money(if tight { "5 EUR" } else { "10000 EUR" });
        }
    }
}

/// What a witness noted, without looking into any case: when each machine was last seen to be fine,
/// started or acted upon. A notice from before that promises nothing.
#[derive(Default)]
struct Witness {
    fine: BTreeMap<InstanceId, DateTime<Utc>>,
}

impl Witness {
    fn look(&mut self, scene: &Scene) {
        for instance in &scene.machines {
            let fine =
                !matches!(scene.judge(instance).verdict, Verdict::Orphan | Verdict::Unjudged);
            let started = instance.running_since.value().copied();
            let known = self.fine.entry(instance.id.clone()).or_insert(DateTime::<Utc>::MIN_UTC);
            if fine && !scene.partial.contains(&instance.id) {
                *known = scene.now;
            }
            *known = started.map_or(*known, |started| started.max(*known));
        }
    }
}

/// No step without notices that everybody responsible today accepted at least a whole period ago,
/// since the machine was last seen to be fine.
fn told_in_time(scene: &Scene, witness: &Witness, plan: &Plan) -> Result<(), TestCaseError> {
    for step in &plan.steps {
        let instance = find(scene, &step.id);
        if step.rule == IDLE_STOP {
            // Its owner's tag, as it is there now, is the notice.
            let said = instance.tags.value().and_then(|tags| tags.exact("idle-stop"));
            prop_assert_eq!(said, Some("6h"));
            prop_assert_eq!(&step.notice, "tag idle-stop=\"6h\"");
            prop_assert_eq!(scene.judge(instance).owner.status, OwnerStatus::Known);
            continue;
        }
        let rule = scene.policy.rules.iter().find(|rule| rule.name == step.rule).expect("a rule");
        let told: Vec<_> = scene
            .memory
            .notices
            .iter()
            .filter(|told| told.step == NoticeStep::Stop)
            .filter_map(|told| {
                let about = told
                    .about
                    .iter()
                    .find(|about| about.id == step.id && about.rule == step.rule)
                    .filter(|about| about.verb >= Some(step.verb))?;
                match told.how {
                    How::Accepted(at) => Some((told.to.clone(), at, about.due_at)),
                    _ => None,
                }
            })
            .filter(|(_, at, announced)| {
                *at >= witness.fine[&step.id]
                    && *at + rule.notice.delta() <= scene.now
                    && announced.is_some_and(|announced| announced <= scene.now)
            })
            .map(|(to, ..)| to)
            .collect();
        let owner = scene.judge(instance).owner;
        let responsible: Vec<_> =
            owner.emails.iter().filter(|email| email.ends_with("@example.org")).collect();
        let refused = scene.memory.notices.iter().any(|told| {
            matches!(told.how, How::Rejected { permanent: true, .. })
                && responsible.contains(&&told.to)
        });
        let all = if responsible.is_empty() || refused {
            !told.is_empty()
        } else {
            responsible.iter().all(|email| told.contains(email))
        };
        prop_assert!(all, "{step:?} without notice, told {told:?} of {responsible:?}");
    }
    Ok(())
}

fn find<'a>(scene: &'a Scene, id: &InstanceId) -> &'a Instance {
    scene.machines.iter().find(|machine| machine.id == *id).expect("is there")
}

/// Runs a history and asks `check` after every run, before its actions are folded in.
fn through(
    history: &[(Event, i64)],
    check: impl Fn(&Scene, &Witness, &Plan) -> Result<(), TestCaseError>,
) -> Result<usize, TestCaseError> {
    let mut acted = 0;
    let mut scene = world();
    let mut witness = Witness::default();
    let mut last = scene.now;
    for (event, gap) in history {
        happen(&mut scene, event, last);
        scene.measured = scene.measured.map(|_| quiet(scene.now, "1h", 0.3));
        witness.look(&scene);
        let first = scene.decide();
        scene.record(&first);
        first.notices.iter().for_each(|notice| scene.send(notice));
        let second = scene.decide();
        scene.record(&second);
        check(&scene, &witness, &second.plan)?;
        let ran = scene.run();
        acted += ran.acted.len();
        for id in &ran.acted {
            witness.fine.insert(id.clone(), scene.now);
        }
        last = scene.now;
        scene.now += minutes(*gap);
    }
    Ok(acted)
}

/// The laws below would hold of histories in which nothing is ever done.
#[test]
fn the_histories_lead_to_actions() {
    let mut runner = TestRunner::deterministic();
    let mut acted = 0;
    let own = std::cell::Cell::new(0);
    for _ in 0..24 {
        let history = history().new_tree(&mut runner).expect("a history").current();
        let count = |_: &Scene, _: &Witness, plan: &Plan| {
            own.set(own.get() + plan.steps.iter().filter(|step| step.rule == IDLE_STOP).count());
            Ok(())
        };
        acted += through(&history, count).expect("nothing is checked");
    }
    assert!(acted > 24, "{acted} actions");
    assert!(own.get() > 4, "{} by owners' own rules", own.get());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Invariant 2.
    #[test]
    fn no_action_before_notice(history in history()) {
        through(&history, told_in_time)?;
    }

    /// Invariant 1: what is not read, judged or priced is in no plan.
    #[test]
    fn unknown_never_acts(history in history()) {
        through(&history, |scene, _, plan| {
            for step in &plan.steps {
                let instance = find(scene, &step.id);
                prop_assert_eq!(scene.judge(instance).verdict, Verdict::Orphan);
                prop_assert!(!scene.partial.contains(&step.id));
                prop_assert!(instance.tags.gap().is_none());
                prop_assert!(instance.running_since.gap().is_none());
                prop_assert!(step.hourly.is_some());
                prop_assert!(step.rule != IDLE_STOP || scene.measured.is_some());
            }
            Ok(())
        })?;
    }

    #[test]
    fn nobody_is_told_of_one_case_twice_in_one_run(history in history()) {
        through(&history, |scene, _, _| {
            let mut told = BTreeSet::new();
            for notice in scene.decide().notices {
                prop_assert!(!notice.topics.is_empty());
                for Topic { about, .. } in notice.topics {
                    prop_assert!(about.rule != IDLE_STOP || about.verb.is_none(), "{about:?}");
                    let about = (notice.to.to_lowercase(), about.id, about.rule, about.since);
                    prop_assert!(told.insert(about.clone()), "{about:?}");
                }
            }
            Ok(())
        })?;
    }

    /// Invariant 14.
    #[test]
    fn managed_left_alone(history in history()) {
        through(&history, |scene, _, plan| {
            let managed: BTreeSet<_> = scene
                .machines
                .iter()
                .filter(|machine| machine.manager.value().is_some())
                .map(|machine| &machine.id)
                .collect();
            prop_assert!(plan.steps.iter().all(|step| !managed.contains(&step.id)));
            let decisions = scene.decide();
            for id in managed {
                prop_assert_eq!(decisions.machines[id].planned, Planned::None);
            }
            Ok(())
        })?;
    }

    /// Invariant 6: over a bound the plan says so, at it not; and it is all or nothing.
    #[test]
    fn brake_stops_everything(
        due in 1..6_usize,
        others in 0..12_usize,
        max_actions in 0_u64..6,
        share in 1_u32..100,
        cents in 0_i64..2_500,
        expect in prop::option::of(0_u64..6),
    ) {
        let machines = (0..due).map(|at| machine(&format!("i-{at}"), "alice")).collect();
        let mut scene = Scene::due(machines);
        for at in 0..others {
            let mut other = machine(&format!("j-{at}"), "bob");
            other.running_since = known(scene.now);
            scene.machines.push(other);
        }
        scene.limits.max_actions = max_actions;
        scene.limits.max_share = share.into();
        scene.limits.max_hourly_value.amount = rust_decimal::Decimal::new(cents, 2);
        scene.expect = expect;
        let actions = due as u64;
        let over = actions > max_actions
            || due * 100 > share as usize * (due + others)
            || i64::try_from(due).expect("few") * 350 > cents;
        let held = over && expect != Some(actions);
        let ran = scene.run();
        prop_assert_eq!(ran.after.plan.brake.holds(), held);
        prop_assert_eq!(ran.acted.len(), if held { 0 } else { due });
        prop_assert_eq!(ran.after.plan.steps.len(), due, "all of it is listed");
    }

    /// Invariant 7: whether a run enforces changes who is told, not what is planned; and asking
    /// twice changes no case.
    #[test]
    fn dry_is_dry(history in history()) {
        through(&history, |scene, _, plan| {
            prop_assert_eq!(&scene.decide_as(true).plan, plan);
            prop_assert_eq!(&scene.decide_as(false).plan, plan);
            prop_assert_eq!(scene.decide().cases, vec![]);
            Ok(())
        })?;
    }

    #[test]
    fn every_plan_is_without_flaw(history in history()) {
        through(&history, |scene, _, plan| {
            prop_assert_eq!(lint(plan, Some(scene.now)), vec![]);
            let decisions = scene.decide();
            for step in &plan.steps {
                prop_assert_eq!(decisions.machines[&step.id].planned, Planned::from(step.verb));
            }
            Ok(())
        })?;
    }

    /// Weekly, daily, doubled, late and skipped runs: the clock decides. The machine is acted upon
    /// by the first run after the period that the first run began, and one mail is sent.
    #[test]
    fn fl_132_the_clock_decides_and_not_the_number_of_runs(
        gaps in prop::collection::vec((0_i64..12_000, 1..4_usize), 1..20),
    ) {
        let mut scene = Scene::of_alice();
        scene.routing.remind_every = crate::scene::NEVER;
        let due = scene.now + TimeDelta::days(3);
        let (mut mails, mut acted) = (0, None);
        let mut expected = None;
        for (gap, times) in gaps {
            if scene.now >= due {
                expected = expected.or(Some(scene.now));
            }
            for _ in 0..times {
                let ran = scene.run();
                mails += ran.sent.len();
                prop_assert!(ran.acted.is_empty() || acted.is_none(), "one stop");
                if !ran.acted.is_empty() {
                    acted = Some(scene.now);
                }
            }
            scene.now += minutes(gap);
        }
        prop_assert_eq!(mails, 1);
        prop_assert_eq!(acted, expected);
    }
}
