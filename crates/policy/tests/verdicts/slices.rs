//! Accelerators that are split into slices (MIG): what speaks for the whole of one, and what does not.

use reaper_model::document::IdleVerdict;
use reaper_model::{Gauge, Series};

use crate::build::machine;
use crate::meters::{by, flat, gap, judged, measured, of_slice, series, summary};

#[test]
fn slices_are_judged_by_their_engines() {
    // Under MIG utilisation is no number, or 0 whatever happens.
    let utilisation = (0..8).map(|gpu| flat(Gauge::GpuUtilisation, gpu, 0.0));
    let memory = |slice: &str| of_slice(slice, flat(Gauge::GpuMemory, 0, 0.1));
    let blind = judged(&machine(&[]), &measured(utilisation.clone().chain([memory("1")])));
    assert!(gap(&blind).contains("7 of 8 GPUs"), "{blind:?}");
    let engine = |gpu, slice: &str, value| of_slice(slice, flat(Gauge::GpuEngine, gpu, value));
    let sliced = |second: f64| {
        let slices = (0..8).flat_map(|gpu| [engine(gpu, "1", 0.0), engine(gpu, "2", 0.5)]);
        slices.chain(utilisation.clone()).chain([engine(5, "3", second)])
    };
    assert_eq!(judged(&machine(&[]), &measured(sliced(1.0))).verdict, IdleVerdict::Idle);
    let busy = judged(&machine(&[]), &measured(sliced(40.0)));
    assert_eq!(busy.verdict, IdleVerdict::Busy);
    assert!(summary(&busy).contains("of GPU 5 slice 3 up to 40 %"), "{busy:?}");
    assert_eq!(busy.idle_gpus, Some((7, 8)));
    // A slice whose engine nobody measures may work.
    let open = judged(&machine(&[]), &measured(sliced(1.0).chain([memory("9")])));
    assert_eq!(open.verdict, IdleVerdict::Unknown, "{open:?}");
    // Nor does a source that knows nothing of slices stand for them.
    let elsewhere = utilisation.map(|series| by("CloudWatch CWAgent", series)).chain([memory("1")]);
    let open = judged(&machine(&[]), &measured(elsewhere));
    assert!(gap(&open).contains("its GPUs are split (MIG)"), "{open:?}");
}

/// Two slices of each of eight GPUs: of the first the engine's activity, of the second what is given.
fn halves(second: impl Fn(usize) -> Series) -> Vec<Series> {
    (0..8)
        .flat_map(|gpu| {
            let first = of_slice("1", flat(Gauge::GpuEngine, gpu, 0.0));
            [first, of_slice("2", second(gpu))]
        })
        .collect()
}

#[test]
fn a_counter_of_the_whole_speaks_for_no_slice() {
    let whole = |gauge| (0..8).map(move |gpu| flat(gauge, gpu, 0.0));
    let memory_alone = || halves(|gpu| flat(Gauge::GpuMemory, gpu, 0.1));
    for gauge in [Gauge::GpuEngine, Gauge::GpuPower] {
        let open = judged(&machine(&[]), &measured(memory_alone().into_iter().chain(whole(gauge))));
        let why = "its GPUs are split (MIG), and DCGM does not show every slice's engine";
        assert_eq!(gap(&open), why, "{gauge}");
    }
    // A slice of which half the samples are there, or none, is not measured either.
    let half = halves(|gpu| series(Gauge::GpuEngine, gpu, |number| (number > 40).then_some(0.0)));
    let open = judged(&machine(&[]), &measured(half.into_iter().chain(whole(Gauge::GpuEngine))));
    assert!(gap(&open).starts_with("not enough data (43 %"), "{open:?}");
    let none = halves(|gpu| series(Gauge::GpuEngine, gpu, |_| None));
    let open = judged(&machine(&[]), &measured(none.into_iter().chain(whole(Gauge::GpuEngine))));
    assert_eq!(open.verdict, IdleVerdict::Unknown, "{open:?}");
    // Another source that knows of no slices proves nothing by its zeros.
    let other = whole(Gauge::GpuEngine).map(|series| by("probe", series));
    let open = judged(&machine(&[]), &measured(memory_alone().into_iter().chain(other)));
    assert_eq!(open.verdict, IdleVerdict::Unknown, "{open:?}");
    let all = halves(|gpu| flat(Gauge::GpuEngine, gpu, 0.5));
    let idle = judged(&machine(&[]), &measured(all.into_iter().chain(whole(Gauge::GpuEngine))));
    assert_eq!(idle.verdict, IdleVerdict::Idle, "every slice is measured: {idle:?}");
}

#[test]
fn high_utilisation_shows_work_under_mig_too() {
    let idle = || halves(|gpu| flat(Gauge::GpuEngine, gpu, 0.5));
    let high = flat(Gauge::GpuUtilisation, 3, 40.0);
    let busy = judged(&machine(&[]), &measured(idle().into_iter().chain([high.clone()])));
    assert_eq!(busy.verdict, IdleVerdict::Busy);
    assert!(summary(&busy).contains("GPU utilisation of GPU 3 up to 40 %"), "{busy:?}");
    // Of a source that knows of no slices it is no less.
    let other = by("CloudWatch CWAgent", high);
    let open = judged(&machine(&[]), &measured(idle().into_iter().chain([other.clone()])));
    assert!(gap(&open).starts_with("metrics contradict: "), "{open:?}");
    let memory = of_slice("1", flat(Gauge::GpuMemory, 0, 0.1));
    let busy = judged(&machine(&[]), &measured([memory, other]));
    assert_eq!(busy.verdict, IdleVerdict::Busy, "{busy:?}");
}

#[test]
fn memory_of_one_slice_does_not_speak_for_another() {
    let idle = || halves(|gpu| flat(Gauge::GpuEngine, gpu, 0.5)).into_iter();
    let memory = |slice| (0..8).map(move |gpu| of_slice(slice, flat(Gauge::GpuMemory, gpu, 0.1)));
    let calm = [flat(Gauge::Cpu, None, 1.0)];
    let one = judged(&machine(&[]), &measured(idle().chain(memory("1")).chain(calm.clone())));
    assert_eq!((one.verdict, one.cause), (IdleVerdict::Idle, None));
    let both = idle().chain(memory("1")).chain(memory("2")).chain(calm);
    let both = judged(&machine(&[]), &measured(both));
    assert_eq!(both.cause, Some(reaper_model::document::Cause::Empty));
}
