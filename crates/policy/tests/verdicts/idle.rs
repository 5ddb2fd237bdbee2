//! Idleness: what proves it, what speaks against it, and what leaves it open.

use chrono::TimeDelta;
use reaper_model::document::{IdleVerdict, Verdict, WantedAction};
use reaper_model::{Fact, Gauge, Ignorance, Measured, Sample, Series, Span, Unknown};
use reaper_policy::{Answer, IdleSpec, idleness};
use rust_decimal::Decimal;

use crate::build::{hours, known, machine, now, unread};
use crate::meters::{
    SAMPLES, all_at, at, by, flat, gap, idle_rule, judge_measured, judged, measured, says, series,
    summary,
};

#[test]
fn eight_quiet_gpus_are_idle_and_the_evidence_says_so() {
    let quiet = |gpu| {
        series(Gauge::GpuUtilisation, gpu, |number| {
            (number != 30).then_some(if number == 7 { 1.96 } else { 0.3 })
        })
    };
    let idle = judged(&machine(&[]), &measured((0..8).map(quiet)));
    assert_eq!(idle.verdict, IdleVerdict::Idle);
    assert_eq!(idle.peak, Some(Decimal::TWO), "rounded up, and below the threshold");
    assert_eq!(idle.idle_gpus, Some((8, 8)));
    assert_eq!(idle.source.as_deref(), Some("DCGM"));
    assert!(
        summary(&idle).starts_with(
            "8 of 8 GPUs never above 2 % in the last 6h, 98 % of samples present, source DCGM"
        ),
        "{idle:?}"
    );
    assert!(idle.gap.is_none() && idle.notes.is_empty());
}

#[test]
fn fl_012_new_work_at_the_end_of_the_window_resets_the_clock() {
    // 5 h 50 min at 0 %, the last 10 min at 92 %.
    let mut now_busy = all_at(0.0);
    now_busy[0] =
        series(Gauge::GpuUtilisation, 0, |n| Some(if n < SAMPLES - 2 { 0.0 } else { 92.0 }));
    let busy = judged(&machine(&[]), &measured(now_busy));
    assert_eq!(busy.verdict, IdleVerdict::Busy);
    assert_eq!(busy.peak, Some(Decimal::from(92)));
    // The window ends now: what ended an hour ago does not speak for this hour.
    let broken_off =
        (0..8).map(|gpu| series(Gauge::GpuUtilisation, gpu, |n| (n < 60).then_some(0.0)));
    let old = judged(&machine(&[]), &measured(broken_off));
    assert_eq!(gap(&old), "no samples since 08:00 UTC (DCGM)");
}

#[test]
fn fl_012_a_machine_that_was_started_just_now_is_not_idle() {
    let mut instance = machine(&[]);
    instance.running_since = known(now() - TimeDelta::minutes(20));
    let zeros = measured(all_at(0.0));
    let idle = judged(&instance, &zeros);
    assert_eq!(idle.verdict, IdleVerdict::Unknown);
    assert_eq!(idle.newborn, Some(Span::from_secs(1_200)));
    let judgement = judge_measured(idle_rule(IdleSpec::default()), &instance, Some(&zeros), now());
    let (answer, _, text) = says(&judgement, "idle").expect("was asked");
    assert_eq!((answer, text.as_str()), (Answer::No, "not idle: up for 20m (rule: 6h)"));
    assert_eq!(judgement.verdict, Verdict::Ok);
    // Where nobody knows since when it runs, the whole window is the proof.
    instance.running_since = Fact::unknown(Ignorance::NotOffered, "no start is shown");
    instance.created_at = Fact::absent(&crate::build::source());
    assert_eq!(judged(&instance, &zeros).verdict, IdleVerdict::Idle);
}

#[test]
fn fl_094_sentinels_are_dropped_said_and_never_shown() {
    let sentinels =
        [9_223_372_036_854_775_794.0, 140_737_488_355_328.0, f64::NAN, f64::INFINITY, -1.0];
    let value = |n: i64| match usize::try_from(n - 10).ok().and_then(|n| sentinels.get(n)) {
        Some(sentinel) => *sentinel,
        None => 1.0,
    };
    let with = |gpu| series(Gauge::GpuUtilisation, gpu, |n| Some(value(n)));
    let idle = judged(&machine(&[]), &measured((0..8).map(with)));
    assert_eq!(idle.verdict, IdleVerdict::Idle, "67 of 72 are left: {idle:?}");
    assert_eq!(idle.peak, Some(Decimal::ONE));
    assert_eq!(idle.notes, ["40 impossible samples of GPU utilisation left out (DCGM)"]);
    let text = format!("{idle:?}");
    assert!(!text.contains("922337") && !text.contains("140737") && !text.contains("-1"), "{text}");
    // With fewer left than asked for it is unknown.
    let mostly =
        |gpu| series(Gauge::GpuUtilisation, gpu, |n| Some(if n % 2 == 0 { -1.0 } else { 0.0 }));
    let open = judged(&machine(&[]), &measured((0..8).map(mostly)));
    assert!(gap(&open).starts_with("not enough data (50 % of the samples"), "{open:?}");
}

#[test]
fn fl_094_sentinels_of_memory_and_processes_hold_nothing_and_prove_nothing() {
    let mut series = all_at(0.0);
    series.push(flat(Gauge::GpuMemory, 0, 9_223_372_036_854_775_794.0));
    series.push(flat(Gauge::GpuProcesses, 0, 4_294_967_295.0));
    let idle = judged(&machine(&[]), &measured(series));
    assert_eq!((idle.verdict, idle.cause), (IdleVerdict::Idle, None), "{idle:?}");
    assert_eq!(idle.notes.len(), 2);
}

#[test]
fn fl_095_one_impossible_sample_flips_no_verdict() {
    let outlier = |usual: f64| move |n: i64| Some(if n == 40 { 808_334_905.0 } else { usual });
    let mut quiet = all_at(0.0);
    quiet[0] = series(Gauge::GpuUtilisation, 0, outlier(0.0));
    let idle = judged(&machine(&[]), &measured(quiet));
    assert_eq!(idle.verdict, IdleVerdict::Idle);
    assert_eq!(idle.notes, ["1 impossible sample of GPU utilisation left out (DCGM)"]);
    let at_work = (0..8).map(|gpu| series(Gauge::GpuUtilisation, gpu, outlier(60.0)));
    let busy = judged(&machine(&[]), &measured(at_work));
    assert_eq!(busy.verdict, IdleVerdict::Busy);
    assert!(summary(&busy).contains("up to 60 % (mean 60 %)"), "{busy:?}");
}

#[test]
fn fl_096_a_counter_that_contradicts_another_proves_nothing() {
    let frozen = (0..8).map(|gpu| flat(Gauge::GpuEngine, gpu, 0.0));
    let at_work = (0..8).map(|gpu| flat(Gauge::GpuUtilisation, gpu, 99.0));
    let open = judged(&machine(&[]), &measured(frozen.chain(at_work)));
    let why = gap(&open);
    assert!(why.starts_with("metrics contradict: "), "{why}");
    assert!(why.contains("engine activity of GPU 7 at most 0 % (DCGM)"), "{why}");
    assert!(why.contains("GPU utilisation of GPU 7 at most 99 % (DCGM)"), "{why}");
    // The same between sources that name GPUs in their own ways.
    let other = flat(Gauge::GpuUtilisation, None, 70.0);
    let open =
        judged(&machine(&[]), &measured(all_at(0.0).into_iter().chain([by("probe", other)])));
    assert!(gap(&open).contains("70 % (probe)"), "{open:?}");
    // Values that are near each other do not contradict: the higher counts.
    let near = measured(all_at(0.0).into_iter().chain([flat(Gauge::GpuEngine, 0, 20.0)]));
    assert_eq!(judged(&machine(&[]), &near).verdict, IdleVerdict::Busy);
}

#[test]
fn power_weighs_less_than_work() {
    let power = |value| (0..8).map(move |gpu| by("CloudWatch", flat(Gauge::GpuPower, gpu, value)));
    let alone = judged(&machine(&[]), &measured(power(3.0)));
    assert_eq!(alone.verdict, IdleVerdict::Idle);
    assert!(summary(&alone).contains("never above 3 % of their power"), "{alone:?}");
    assert_eq!(judged(&machine(&[]), &measured(power(14.0))).verdict, IdleVerdict::Busy);
    // A board draws some power without work, not any.
    let both =
        |value| judged(&machine(&[]), &measured(all_at(0.0).into_iter().chain(power(value))));
    assert_eq!(both(14.0).verdict, IdleVerdict::Idle);
    assert!(gap(&both(60.0)).contains("GPU power of GPU 7 at most 60 % (CloudWatch)"));
    let working = all_at(80.0).into_iter().chain(power(3.0));
    assert_eq!(judged(&machine(&[]), &measured(working)).verdict, IdleVerdict::Unknown);
}

#[test]
fn fl_097_no_data_is_not_no_load() {
    let nothing = judged(&machine(&[]), &Measured::default());
    assert_eq!(gap(&nothing), "no source measures it");
    let unasked = idleness(&machine(&[]), None, &IdleSpec::default(), now());
    assert_eq!(gap(&unasked), "no source measures it");
    let empty = measured((0..8).map(|gpu| series(Gauge::GpuUtilisation, gpu, |_| None)));
    let empty = judged(&machine(&[]), &empty);
    assert_eq!(gap(&empty), "no samples of its GPUs in the last 6h (DCGM)");
    let judgement = judge_measured(idle_rule(IdleSpec::default()), &machine(&[]), None, now());
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert_eq!(judgement.wanted, None);
    assert!(!judgement.evidence_unread, "that nobody measures it is how the world is");
}

#[test]
fn fl_098_the_highest_of_the_window_decides_in_any_order() {
    let spec = IdleSpec::over(Span::from_secs(7 * 86_400));
    let days = |values: &[f64]| {
        let samples = values
            .iter()
            .zip(1..)
            .map(|(value, day)| Sample { at: now() - TimeDelta::days(day), value: *value })
            .collect();
        let daily = Series {
            step: Span::from_secs(86_400),
            samples,
            ..flat(Gauge::GpuUtilisation, 0, 0.0)
        };
        let mut instance = machine(&[]);
        instance.gpu = known(reaper_model::Gpu {
            model: "L4".to_owned(),
            count: Decimal::ONE,
            memory_gib: Some(24.into()),
        });
        idleness(&instance, Some(&measured([daily])), &spec, now())
    };
    let mut values = [0.4, 38.0, 61.0, 55.0, 70.0, 49.0, 66.0];
    for _ in 0..values.len() {
        values.rotate_left(1);
        let busy = days(&values);
        assert_eq!(busy.verdict, IdleVerdict::Busy);
        assert!(summary(&busy).contains("up to 70 %"), "the highest is quoted: {busy:?}");
    }
    let idle = days(&[0.4, 3.8, 1.0, 0.0, 4.9, 2.0, 3.0]);
    assert_eq!(idle.verdict, IdleVerdict::Idle);
    assert!(summary(&idle).starts_with("its GPU never above 4.9 %"), "{idle:?}");
}

#[test]
fn fl_099_a_window_that_is_not_covered_proves_nothing() {
    // 70 min of six hours.
    let late = |gpu| series(Gauge::GpuUtilisation, gpu, |n| (n >= SAMPLES - 14).then_some(0.0));
    let open = judged(&machine(&[]), &measured((0..8).map(late)));
    assert!(gap(&open).starts_with("not enough data (19 % of the samples"), "{open:?}");
    assert_eq!(open.coverage.map(|share| share.trunc()), Some(Decimal::from(19)));
    // The same samples a hundred times are no more of them.
    let doubled = (0..8).map(|gpu| {
        let mut series = late(gpu);
        let samples = series.samples.clone();
        (0..100).for_each(|_| series.samples.extend(samples.iter().copied()));
        series
    });
    assert_eq!(judged(&machine(&[]), &measured(doubled)), open);
    // Nor do series of one GPU stand for another.
    let mut one_late = all_at(0.0);
    one_late[6] = late(3);
    assert!(gap(&judged(&machine(&[]), &measured(one_late))).contains("19 %"));
}

#[test]
fn fl_100_every_gpu_of_the_type_counts() {
    let mut one_busy = all_at(0.0);
    one_busy[6] = flat(Gauge::GpuUtilisation, 3, 95.0);
    let busy = judged(&machine(&[]), &measured(one_busy));
    assert_eq!(busy.verdict, IdleVerdict::Busy);
    assert_eq!(busy.idle_gpus, Some((7, 8)));
    assert!(summary(&busy).contains("7 of 8 GPUs idle"), "{busy:?}");
    assert!(summary(&busy).contains("of GPU 3 up to 95 %"), "{busy:?}");
    let two = (0..2).map(|gpu| flat(Gauge::GpuUtilisation, gpu, 0.0));
    let open = judged(&machine(&[]), &measured(two));
    assert_eq!(gap(&open), "only 2 of 8 GPUs are measured (DCGM)");
    assert_eq!(open.coverage, Some(Decimal::ZERO));
    // One series for all of them accounts for none.
    let together = judged(&machine(&[]), &measured([flat(Gauge::GpuUtilisation, None, 0.0)]));
    assert_eq!(gap(&together), "DCGM does not tell its 8 GPUs apart");
}

#[test]
fn a_part_of_a_gpu_is_one_and_an_unknown_number_is_none() {
    let mut instance = machine(&[]);
    let eighth = |count: Decimal| {
        known(reaper_model::Gpu { model: "L4".to_owned(), count, memory_gib: Some(3.into()) })
    };
    instance.gpu = eighth(Decimal::new(125, 3));
    let one = measured([flat(Gauge::GpuUtilisation, None, 0.0), flat(Gauge::GpuMemory, None, 0.2)]);
    assert_eq!(judged(&instance, &one).idle_gpus, Some((1, 1)));
    instance.gpu = eighth(Decimal::ZERO);
    assert_eq!(gap(&judged(&instance, &one)), "a number of 0 GPUs cannot be");
    instance.gpu = unread();
    let open = judged(&instance, &one);
    assert_eq!(gap(&open), "how many GPUs it has is not known: denied");
    assert_eq!(open.gap.as_ref().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    instance.gpu = Fact::absent(&crate::build::source());
    assert_eq!(gap(&judged(&instance, &one)), "it has no GPU");
}

#[test]
fn fl_101_a_source_that_cannot_be_read_leaves_the_question_open() {
    let denied = Unknown::new(Ignorance::ReadFailed, "Prometheus: 403");
    let failed = Measured { series: Vec::new(), gaps: vec![denied.clone()] };
    let judgement =
        judge_measured(idle_rule(IdleSpec::default()), &machine(&[]), Some(&failed), now());
    assert_eq!(judgement.verdict, Verdict::Unjudged);
    assert!(judgement.evidence_unread, "the run is incomplete");
    assert!(judgement.why.contains("utilisation unknown: Prometheus: 403"), "{}", judgement.why);
    // What another source says is not enough, because this one might contradict it.
    let half = Measured { series: all_at(0.0), gaps: vec![denied.clone()] };
    let open = judged(&machine(&[]), &half);
    assert_eq!(open.gap.as_ref().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    assert_eq!(open.cause, None);
    // That it works needs no second witness; and rules by age go on.
    let busy = Measured { series: all_at(50.0), gaps: vec![denied] };
    assert_eq!(judged(&machine(&[]), &busy).verdict, IdleVerdict::Busy);
    let mut spec = crate::build::ownerless();
    spec.rules.extend(idle_rule(IdleSpec::default()).rules);
    let judgement = judge_measured(spec, &machine(&[]), Some(&failed), now());
    assert_eq!(judgement.verdict, Verdict::Orphan);
}

#[test]
fn what_is_coarser_than_the_window_says_nothing_about_it() {
    let daily = |gpu| Series {
        step: Span::from_secs(86_400),
        samples: vec![Sample { at: now() - TimeDelta::hours(5), value: 0.0 }],
        ..flat(Gauge::GpuUtilisation, gpu, 0.0)
    };
    let open = judged(&machine(&[]), &measured((0..8).map(daily)));
    assert_eq!(gap(&open), "one value of DCGM stands for 1d, and 6h are asked about");
}

#[test]
fn values_at_the_threshold_are_above_it_and_shown_so() {
    let shown = |value: f64| {
        let idleness = judged(&machine(&[]), &measured(all_at(value)));
        (idleness.verdict, idleness.peak.map(|peak| peak.to_string()).unwrap_or_default())
    };
    assert_eq!(shown(5.0), (IdleVerdict::Busy, "5".to_owned()));
    assert_eq!(shown(4.999), (IdleVerdict::Idle, "4.999".to_owned()));
    assert_eq!(shown(4.94), (IdleVerdict::Idle, "4.94".to_owned()));
    assert_eq!(shown(0.04), (IdleVerdict::Idle, "0.1".to_owned()));
    assert_eq!(shown(5.04), (IdleVerdict::Busy, "5".to_owned()));
}

#[test]
fn cpu_and_network_alone_are_enough_for_a_report_and_no_more() {
    let host = |cpu: f64, network: f64| {
        let all = [flat(Gauge::Cpu, None, cpu), flat(Gauge::Network, None, network)];
        measured(all.map(|series| by("CloudWatch", series)))
    };
    let with = |action: WantedAction, host: &Measured| {
        let mut spec = idle_rule(IdleSpec::default());
        spec.rules[0].action = action;
        judge_measured(spec, &machine(&[]), Some(host), now())
    };
    let quiet = host(1.0, 900.0);
    let stopping = with(WantedAction::Stop, &quiet);
    assert_eq!(stopping.verdict, Verdict::Unjudged, "never for an action");
    assert!(stopping.why.contains("suggest that it idles (confidence low)"), "{}", stopping.why);
    let reporting = with(WantedAction::Report, &quiet);
    assert_eq!(reporting.verdict, Verdict::Orphan);
    assert_eq!(reporting.wanted, Some(WantedAction::Report));
    assert_eq!(reporting.rules[0].reason, "idle-by-cpu");
    assert!(reporting.why.contains("CPU 1 % on average and 1 % at most"), "{}", reporting.why);
    let idleness = reporting.idleness.expect("was judged");
    assert_eq!(idleness.verdict, IdleVerdict::Unknown);
    assert_eq!(idleness.suggests, Some(IdleVerdict::Idle));
    for busy in [host(30.0, 0.0), host(1.0, 6_000_000.0)] {
        assert_eq!(with(WantedAction::Report, &busy).verdict, Verdict::Ok);
        assert_eq!(with(WantedAction::Stop, &busy).verdict, Verdict::Unjudged);
    }
    // A little of both suggests nothing, and neither does half a window.
    assert_eq!(with(WantedAction::Report, &host(3.0, 0.0)).verdict, Verdict::Unjudged);
    let half = measured([series(Gauge::Cpu, None, |n| (n > 40).then_some(1.0))]);
    assert_eq!(with(WantedAction::Report, &half).verdict, Verdict::Unjudged);
}

#[test]
fn what_was_measured_is_judged_where_no_rule_asks() {
    let zeros = measured(all_at(0.0));
    let judgement = judge_measured(crate::build::ownerless(), &machine(&[]), Some(&zeros), now());
    let idleness = judgement.idleness.expect("by the default");
    assert_eq!((idleness.verdict, idleness.window), (IdleVerdict::Idle, hours(6)));
    assert!(
        judge_measured(crate::build::ownerless(), &machine(&[]), None, now()).idleness.is_none()
    );
}

#[test]
fn a_sample_of_before_the_window_is_no_evidence() {
    let mut old = all_at(0.0);
    old[0].samples.push(Sample { at: at(0) - TimeDelta::minutes(6), value: 90.0 });
    assert_eq!(judged(&machine(&[]), &measured(old.clone())).verdict, IdleVerdict::Idle);
    // One that reaches into it is.
    old[0].samples.push(Sample { at: at(0) - TimeDelta::minutes(3), value: 90.0 });
    assert_eq!(judged(&machine(&[]), &measured(old)).verdict, IdleVerdict::Busy);
}

#[test]
fn fl_012_the_last_samples_ended_just_now() {
    // Every GPU's last samples of this step ended so many minutes ago.
    let ended = |step: i64, minutes: i64| {
        let step = TimeDelta::minutes(step);
        let samples = |_| {
            let ends =
                (0..).map(move |place| now() - TimeDelta::minutes(minutes) - step * (place + 1));
            ends.take_while(|at| *at >= now() - TimeDelta::hours(6))
                .map(|at| Sample { at, value: 0.0 })
                .collect()
        };
        let all = (0..8).map(|gpu| Series {
            step: Span::from_secs(step.num_seconds().unsigned_abs()),
            samples: samples(gpu),
            ..flat(Gauge::GpuUtilisation, gpu, 0.0)
        });
        judged(&machine(&[]), &measured(all))
    };
    for minutes in [0, 1, 10] {
        assert_eq!(ended(1, minutes).verdict, IdleVerdict::Idle, "{minutes}");
        // CloudWatch's five minutes can be read up to five minutes after their end: a moment before
        // that the last ones that can be read ended not quite ten minutes ago.
        assert_eq!(ended(5, minutes).verdict, IdleVerdict::Idle, "{minutes}");
    }
    assert_eq!(gap(&ended(1, 11)), "no samples since 08:49 UTC (DCGM)");
    assert_eq!(gap(&ended(5, 11)), "no samples since 08:49 UTC (DCGM)");
    assert_eq!(ended(15, 30).verdict, IdleVerdict::Idle, "two steps");
    assert_eq!(gap(&ended(15, 31)), "no samples since 08:29 UTC (DCGM)");
    // One GPU that nobody has seen since is enough.
    let mut one = all_at(0.0);
    one[6] = series(Gauge::GpuUtilisation, 3, |n| (n < SAMPLES - 3).then_some(0.0));
    assert_eq!(gap(&judged(&machine(&[]), &measured(one))), "no samples since 08:45 UTC (DCGM)");
}
