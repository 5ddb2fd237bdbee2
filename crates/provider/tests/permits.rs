//! Permits: who gets one, and everything that keeps it from being given.

#![allow(clippy::expect_used, reason = "a test that cannot go on has failed")]

use chrono::{DateTime, TimeDelta, Utc};
use reaper_model::document::Verdict;
use reaper_model::{
    Fact, Fingerprint, Guard, Instance, InstanceId, Loss, Meter, Purchase, Source, State, Step,
    StopKind, StopOffer, Tags, Verb,
};
use reaper_provider::{Armed, Consents, Fresh, Identity, Pinned, Refusal, allowed, authorise};

const NONE: Consents = Consents { terminate: false, local_data_loss: false };
const ALL: Consents = Consents { terminate: true, local_data_loss: true };

fn now() -> DateTime<Utc> {
    DateTime::parse_from_rfc3339("2026-12-04T09:00:00Z").expect("a time").to_utc()
}

fn machine() -> Instance {
    let source = Source::new("test");
    Instance {
        id: "aws/111122223333/eu-west-1/i-1".parse().expect("an id"),
        name: Fact::absent(&source),
        state: State::Running,
        provider_state: "running".to_owned(),
        meter: Meter::Running,
        machine_type: "g5.2xlarge".into(),
        gpu: Fact::absent(&source),
        purchase: Purchase::OnDemand,
        created_at: Fact::known(now() - TimeDelta::days(9), &source, now()),
        running_since: Fact::known(now() - TimeDelta::days(9), &source, now()),
        stopped_at: Fact::absent(&source),
        tags: Fact::absent(&source),
        manager: Fact::absent(&source),
        guards: Fact::absent(&source),
        local_storage: Fact::absent(&source),
        stop: StopOffer {
            kind: StopKind::Deallocate,
            saves: true,
            loses: Vec::new(),
            objections: Vec::new(),
        },
        attached: Vec::new(),
        unreadable: Vec::new(),
    }
}

fn identity() -> Identity {
    Identity { account: "111122223333".into(), login: "tester".to_owned() }
}

fn pinned() -> Pinned {
    Pinned::compare(&"research".into(), &"aws".into(), Some("111122223333"), &identity())
        .expect("the pin fits")
}

fn armed(consents: Consents) -> Armed {
    Armed::new(pinned(), consents, true).expect("enforcing")
}

fn step(machine: &Instance) -> Step {
    Step {
        hastened_by: Vec::new(),
        id: machine.id.clone(),
        account: "research".into(),
        name: None,
        verb: Verb::Stop,
        call: "ec2:StopInstances".to_owned(),
        rule: "ownerless".to_owned(),
        reasons: Vec::new(),
        notice: "stop-1".to_owned(),
        noticed_at: now() - TimeDelta::days(3),
        due_at: now(),
        fingerprint: Fingerprint::of(machine, ""),
        ground: String::new(),
        hourly: None,
        value: None,
        saves_per_month: None,
        still_charged: Vec::new(),
        loses: Vec::new(),
    }
}

fn ask(step: &Step, machine: &Instance, verdict: Verdict) -> Result<InstanceId, Refusal> {
    let fingerprint = Fingerprint::of(machine, "");
    let fresh = Fresh {
        instance: machine,
        fingerprint: &fingerprint,
        asked: true,
        verdict,
        why: "because",
    };
    authorise(&armed(NONE), step, &fresh, now()).map(|permit| permit.id().clone())
}

#[test]
fn an_unchanged_orphan_that_is_due_gets_its_permit() {
    let machine = machine();
    assert_eq!(ask(&step(&machine), &machine, Verdict::Orphan), Ok(machine.id.clone()));
}

type Change = fn(&mut Instance, &Source);

#[test]
fn fresh_read_before_action_every_change_refuses() {
    let source = Source::new("test");
    let changes: [(&str, Change); 9] = [
        ("name", |machine, source| {
            machine.name = Fact::known("keep-1".to_owned(), source, now());
        }),
        ("can no longer be read", |machine, _| {
            machine.running_since =
                Fact::unknown(reaper_model::Ignorance::ReadFailed, "the audit trail failed");
        }),
        ("state", |machine, _| machine.provider_state = "rebooting".to_owned()),
        ("type", |machine, _| machine.machine_type = "g5.xlarge".into()),
        ("tags", |machine, source| {
            machine.tags = Fact::known(Tags::default(), source, now());
        }),
        ("protection", |machine, source| {
            machine.guards = Fact::known(vec![Guard::Stop], source, now());
        }),
        ("controller", |machine, _| {
            machine.manager = Fact::unknown(reaper_model::Ignorance::ReadFailed, "denied");
        }),
        ("purchase option", |machine, _| machine.purchase = Purchase::Monthly),
        ("started again", |machine, source| {
            machine.running_since = Fact::known(now(), source, now());
        }),
    ];
    let before = machine();
    for (what, change) in changes {
        let mut after = machine();
        change(&mut after, &source);
        let refusal = ask(&step(&before), &after, Verdict::Orphan).expect_err(what);
        assert!(matches!(&refusal, Refusal::Changed(_)), "{what}: {refusal}");
        assert!(refusal.to_string().contains(what), "{what}: {refusal}");
    }
}

#[test]
fn fresh_read_before_action_another_rule_is_no_ground() {
    let machine = machine();
    let fingerprint = Fingerprint::of(&machine, "");
    let fresh = Fresh {
        instance: &machine,
        fingerprint: &fingerprint,
        asked: false,
        verdict: Verdict::Orphan,
        why: "an orphan by another rule",
    };
    let refusal = authorise(&armed(NONE), &step(&machine), &fresh, now()).expect_err("not asked");
    assert!(refusal.to_string().contains("rule ownerless asks for no action"), "{refusal}");
}

#[test]
fn fl_003_a_machine_that_is_judged_otherwise_now_is_left_alone() {
    let machine = machine();
    for verdict in
        [Verdict::Ok, Verdict::Exempt, Verdict::Protected, Verdict::Managed, Verdict::Unjudged]
    {
        let refusal = ask(&step(&machine), &machine, verdict).expect_err("no orphan any more");
        assert!(refusal.to_string().contains(verdict.name()), "{refusal}");
    }
}

#[test]
fn no_action_before_notice_has_run_out() {
    let machine = machine();
    let early = Step { due_at: now() + TimeDelta::seconds(1), ..step(&machine) };
    let refusal = ask(&early, &machine, Verdict::Orphan).expect_err("a second early");
    assert_eq!(refusal, Refusal::NotDue(early.due_at));
    let backwards = Step { noticed_at: now() + TimeDelta::hours(1), ..step(&machine) };
    let refusal = ask(&backwards, &machine, Verdict::Orphan).expect_err("noticed after due");
    assert!(matches!(refusal, Refusal::NotDue(_)), "{refusal}");
}

#[test]
fn unknown_never_acts_on_a_state_or_meter_that_is_not_understood() {
    for (state, meter) in [
        (State::Unknown, Meter::Running),
        (State::Running, Meter::Unknown),
        (State::Pending, Meter::Running),
        (State::Restarting, Meter::Running),
        (State::Stopping, Meter::Running),
        (State::Ending, Meter::Running),
        (State::Stopped, Meter::StoppedFree),
    ] {
        let machine = Instance { state, meter, ..machine() };
        let refusal = ask(&step(&machine), &machine, Verdict::Orphan).expect_err("not understood");
        assert!(matches!(refusal, Refusal::State(_)), "{state} {meter:?}: {refusal}");
    }
}

#[test]
fn pinned_accounts_only_get_arms() {
    let name = "research".into();
    let aws = "aws".into();
    let refusal = Pinned::compare(&name, &aws, None, &identity()).expect_err("no pin");
    assert!(matches!(refusal, Refusal::NotPinned { .. }), "{refusal}");
    let other = Some("444455556666");
    let refusal = Pinned::compare(&name, &aws, other, &identity()).expect_err("another pin");
    assert!(refusal.to_string().contains("111122223333"), "{refusal}");
    assert!(refusal.to_string().contains("444455556666"), "{refusal}");
    assert_eq!(Armed::new(pinned(), ALL, false), Err(Refusal::NotEnforcing));
}

#[test]
fn pinned_accounts_only_own_their_machines() {
    let foreign =
        Instance { id: "aws/444455556666/eu-west-1/i-1".parse().expect("an id"), ..machine() };
    let refusal = ask(&step(&foreign), &foreign, Verdict::Orphan).expect_err("another account");
    assert!(matches!(refusal, Refusal::WrongMachine { .. }), "{refusal}");
    assert!(pinned().tag(&foreign.id, "reaper-keep", None).is_err());
    let swapped = machine();
    let mut plan = step(&swapped);
    plan.id.native = "i-2".to_owned();
    assert!(ask(&plan, &swapped, Verdict::Orphan).is_err(), "a read of another machine");
}

#[test]
fn fl_053_disks_that_a_stop_erases_need_consent() {
    let mut machine = machine();
    machine.stop.loses.push(Loss::LocalDisks);
    assert_eq!(allowed(&machine, Verb::Stop, NONE), Err(Refusal::LocalDataLossNotAllowed));
    let consent = Consents { local_data_loss: true, ..NONE };
    assert_eq!(allowed(&machine, Verb::Stop, consent), Ok(()));
}

#[test]
fn fl_051_a_machine_that_can_only_be_terminated_needs_consent() {
    let mut machine = machine();
    machine.stop.kind = StopKind::Terminate;
    machine.stop.loses.push(Loss::LocalDisks);
    assert_eq!(allowed(&machine, Verb::Terminate, NONE), Err(Refusal::TerminateNotAllowed));
    let consent = Consents { terminate: true, ..NONE };
    assert_eq!(allowed(&machine, Verb::Terminate, consent), Ok(()));
    let refusal = allowed(&machine, Verb::Stop, ALL).expect_err("there is no stop");
    assert!(matches!(refusal, Refusal::NoCall { .. }), "{refusal}");
}

#[test]
fn a_persistent_spot_request_would_launch_another_machine() {
    let persistent = Fact::known(true, &Source::new("test"), now());
    let machine = Instance { purchase: Purchase::Spot { persistent }, ..machine() };
    assert!(matches!(allowed(&machine, Verb::Terminate, ALL), Err(Refusal::Objected(_))));
    assert_eq!(allowed(&machine, Verb::Stop, NONE), Ok(()));
}

#[test]
fn fl_052_what_saves_nothing_and_what_is_objected_to_is_never_done() {
    let mut prepaid = machine();
    prepaid.stop.saves = false;
    assert_eq!(allowed(&prepaid, Verb::Stop, ALL), Err(Refusal::SavesNothing));
    let mut objected = machine();
    objected.stop.objections.push("somebody is repairing it".to_owned());
    assert!(matches!(allowed(&objected, Verb::Stop, ALL), Err(Refusal::Objected(_))));
}
