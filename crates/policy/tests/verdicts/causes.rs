//! Why accelerators idle, and the strongest action that each cause carries.

use reaper_model::document::{Cause, Verdict, WantedAction};
use reaper_model::{Gauge, Series};
use reaper_policy::{Answer, IdleSpec};

use crate::build::{machine, now};
use crate::meters::{
    all_at, by, flat, gpus_at, idle_rule, judge_measured, judged, measured, says, series, summary,
};

/// Eight idle GPUs, and something more.
fn idle_with(more: impl IntoIterator<Item = Series>) -> reaper_policy::Idleness {
    judged(&machine(&[]), &measured(all_at(0.0).into_iter().chain(more)))
}

#[test]
fn empty_held_and_starved_are_told_apart() {
    let empty = idle_with([]);
    assert_eq!(empty.cause, Some(Cause::Empty));
    assert!(summary(&empty).ends_with("; empty: up to 0.4 GiB of a GPU's memory in use"));
    let held = idle_with([flat(Gauge::GpuMemory, 4, 36.24)]);
    assert_eq!(held.cause, Some(Cause::Held));
    assert!(summary(&held).ends_with("; held: up to 36.2 GiB of a GPU's memory in use"));
    let process = idle_with([flat(Gauge::GpuProcesses, 4, 1.0)]);
    assert_eq!(process.cause, Some(Cause::Held), "a process without memory holds as well");
    for host in [
        flat(Gauge::Cpu, None, 5.0),
        series(Gauge::Cpu, None, |n| Some(if n == 3 { 25.0 } else { 0.0 })),
        flat(Gauge::Network, None, 5_000_000.0),
        flat(Gauge::Disk, None, 9_000_000.0),
    ] {
        let starved = idle_with([host, flat(Gauge::GpuMemory, 4, 30.0)]);
        assert_eq!(starved.cause, Some(Cause::Starved), "{starved:?}");
        assert!(summary(&starved).contains("; starved: "), "{starved:?}");
    }
}

#[test]
fn a_peak_of_memory_within_the_window_holds() {
    let before = series(Gauge::GpuMemory, 0, |n| Some(if n < 20 { 12.0 } else { 0.1 }));
    assert_eq!(idle_with([before]).cause, Some(Cause::Held));
    let resident = idle_with([flat(Gauge::GpuMemory, 0, 1.0)]);
    assert_eq!(resident.cause, Some(Cause::Empty), "a driver's own");
    assert_eq!(idle_with([flat(Gauge::GpuMemory, 0, 1.1)]).cause, Some(Cause::Held));
}

#[test]
fn what_nobody_measured_of_memory_is_unclear() {
    let work = || (0..8).map(|gpu| flat(Gauge::GpuUtilisation, gpu, 0.0));
    let calm = || [flat(Gauge::Cpu, None, 1.0)];
    let unclear = judged(&machine(&[]), &measured(work()));
    assert_eq!(unclear.cause, None);
    assert!(
        summary(&unclear)
            .ends_with("; nothing tells whether memory is held; its CPUs were not measured")
    );
    // Memory of seven GPUs, or of a part of the window, does not speak for all.
    let seven = (0..7).map(|gpu| flat(Gauge::GpuMemory, gpu, 0.1));
    assert_eq!(judged(&machine(&[]), &measured(work().chain(seven).chain(calm()))).cause, None);
    let half = (0..8).map(|gpu| series(Gauge::GpuMemory, gpu, |n| (n > 40).then_some(0.1)));
    assert_eq!(judged(&machine(&[]), &measured(work().chain(half).chain(calm()))).cause, None);
    let no_process = (0..8).map(|gpu| flat(Gauge::GpuProcesses, gpu, 0.0));
    let no_process = judged(&machine(&[]), &measured(work().chain(no_process).chain(calm())));
    assert_eq!(no_process.cause, None);
    assert!(summary(&no_process).ends_with(", which does not tell whether memory is held"));
}

#[test]
fn empty_is_only_what_is_known_to_be_calm() {
    let with = |host: &[Series]| {
        let all = gpus_at(0.0).into_iter().chain(host.iter().cloned());
        let idle = judged(&machine(&[]), &measured(all));
        (idle.cause, summary(&idle).rsplit_once("; ").expect("two parts").1.to_owned())
    };
    let cpu = |value| flat(Gauge::Cpu, None, value);
    let unclear = |words: &str| (None, words.to_owned());
    assert_eq!(with(&[]), unclear("its CPUs were not measured"));
    let calm_network = flat(Gauge::Network, None, 900.0);
    assert_eq!(with(std::slice::from_ref(&calm_network)), unclear("its CPUs were not measured"));
    let half = series(Gauge::Cpu, None, |number| (number > 40).then_some(1.0));
    assert_eq!(with(&[half]), unclear("its CPUs were not measured all the time"));
    let old = series(Gauge::Cpu, None, |number| (number < 66).then_some(1.0));
    assert_eq!(with(&[old]), unclear("its CPUs were not measured all the time"));
    // Between calm and work nothing is clear: one busy core of 32.
    assert_eq!(with(&[cpu(3.1)]), unclear("CPU 3.1 % on average and 3.1 % at most is not calm"));
    assert_eq!(with(&[cpu(2.0)]).0, None);
    let network = flat(Gauge::Network, None, 2_000_000.0);
    assert_eq!(
        with(&[cpu(1.0), network]),
        unclear("network traffic 2 MB/s on average is not calm")
    );
    // Of two sources neither may see more.
    let other = by("CloudWatch", cpu(3.1));
    assert_eq!(with(&[cpu(1.0), other]).0, None);
    assert_eq!(with(&[cpu(1.9), calm_network]).0, Some(Cause::Empty));
    let burst = |value| series(Gauge::Cpu, None, move |n| Some(if n == 3 { value } else { 0.5 }));
    assert_eq!(with(&[burst(24.0)]).0, Some(Cause::Empty));
    assert_eq!(with(&[burst(25.0)]).0, Some(Cause::Starved));
    // What is not clear is reported by default.
    let policy = idle_rule(IdleSpec::default());
    let judgement = judge_measured(policy, &machine(&[]), Some(&measured(gpus_at(0.0))), now());
    assert_eq!(judgement.wanted, Some(WantedAction::Report));
    assert_eq!(judgement.rules[0].reason, "idle");
}

/// What the rule comes to with this on top of eight idle GPUs.
fn asked(spec: IdleSpec, action: WantedAction, more: &[Series]) -> (WantedAction, String) {
    let mut policy = idle_rule(spec);
    policy.rules[0].action = action;
    let all = measured(all_at(0.0).into_iter().chain(more.iter().cloned()));
    let judgement = judge_measured(policy, &machine(&[]), Some(&all), now());
    assert_eq!(judgement.verdict, Verdict::Orphan, "{}", judgement.why);
    let (answer, action, _) = says(&judgement, "idle").expect("was asked");
    assert_eq!((answer, judgement.wanted), (Answer::Yes, Some(action)));
    (action, judgement.rules[0].reason.clone())
}

#[test]
fn each_cause_has_its_own_strongest_action() {
    use WantedAction::{Report, Stop, Terminate};
    let usual = IdleSpec::default();
    let held = [flat(Gauge::GpuMemory, 0, 30.0)];
    let starved = [flat(Gauge::Cpu, None, 40.0)];
    assert_eq!(asked(usual, Stop, &[]), (Stop, "idle-empty".to_owned()));
    assert_eq!(asked(usual, Terminate, &[]), (Stop, "idle-empty".to_owned()), "capped");
    assert_eq!(asked(usual, Report, &[]).0, Report, "never more than the rule asks for");
    assert_eq!(asked(usual, Stop, &held), (Report, "idle-held".to_owned()));
    assert_eq!(asked(usual, Stop, &starved), (Report, "idle-starved".to_owned()));
    let strict = IdleSpec { held: Stop, starved: Stop, ..usual };
    assert_eq!(asked(strict, Stop, &held).0, Stop);
    assert_eq!(asked(strict, Stop, &starved).0, Stop);
    // What waits and holds memory is both.
    let waiting = IdleSpec { starved: Stop, ..usual };
    let both = [held[0].clone(), starved[0].clone()];
    assert_eq!(asked(waiting, Stop, &both).0, Report);
}

#[test]
fn an_exception_of_idleness_needs_the_same_proof() {
    let mut spec = crate::build::ownerless();
    spec.rules[0].except = Some(reaper_policy::Conditions {
        idle: Some(IdleSpec::default()),
        ..reaper_policy::Conditions::default()
    });
    let judge = |measured: Option<&reaper_model::Measured>| {
        judge_measured(spec.clone(), &machine(&[]), measured, now()).verdict
    };
    assert_eq!(judge(Some(&measured(all_at(0.0)))), Verdict::Ok, "excepted");
    assert_eq!(judge(Some(&measured(all_at(40.0)))), Verdict::Orphan);
    assert_eq!(judge(None), Verdict::Unjudged, "it cannot be told");
}
