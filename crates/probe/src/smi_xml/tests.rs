//! What real machines print: idle, working, cut into slices, broken, old.

use std::fmt::Write as _;

use super::*;

const ONE: &str = include_str!("../../fixtures/one-a10.xml");
const MIG: &str = include_str!("../../fixtures/mig.xml");
const BROKEN: &str = include_str!("../../fixtures/broken-cards.xml");

const MIB: u64 = 1 << 20;

#[test]
fn an_idle_card_is_read_whole() {
    let gpus = read(ONE).expect("a document");
    assert_eq!(gpus.troubles, Vec::<String>::new());
    let [gpu] = gpus.gpus.as_slice() else { panic!("{gpus:?}") };
    assert_eq!(gpu.uuid.as_deref(), Some("GPU-5f2c0a9e-3b1d-4c7a-9d7e-0c5f6a7b8c9d"));
    assert_eq!(gpu.model.as_deref(), Some("NVIDIA A10"));
    assert!(!gpu.mig && gpu.slices.is_empty());
    assert_eq!(
        gpu.values,
        Values {
            utilisation: Some(Level::of(0.0)),
            engine: None,
            power: Some(Level::of(10.0)),
            memory_used: Some(9 * MIB),
            memory_total: Some(23_028 * MIB),
            processes: Some(0),
        }
    );
}

#[test]
fn what_computes_counts_and_what_drives_a_display_does_not() {
    let program = |pid: u32, kind: &str, name: &str| {
        format!(
            "<process_info><pid>{pid}</pid><type>{kind}</type><process_name>{name}</process_name></process_info>"
        )
    };
    let number = |programs: &[String]| {
        let list = programs.concat();
        let text =
            format!("<nvidia_smi_log><gpu><processes>{list}</processes></gpu></nvidia_smi_log>");
        read(&text).expect("a document").gpus[0].values.processes
    };
    assert_eq!(number(&[]), Some(0));
    assert_eq!(number(&[program(1, "G", "/usr/lib/xorg/Xorg")]), Some(0));
    assert_eq!(number(&[program(2, "C", "python3"), program(2, "C", "python3")]), Some(1));
    assert_eq!(number(&[program(3, "C+G", "/usr/lib/xorg/Xorg")]), Some(1));
    assert_eq!(number(&[program(4, "G", "/usr/bin/blender"), program(5, "M+C", "mps")]), Some(2));
    assert_eq!(number(&[program(6, "C", "a &lt;b&gt; c")]), Some(1));
}

#[test]
fn slices_have_their_memory_and_their_programs_but_no_utilisation() {
    let gpus = read(MIG).expect("a document");
    let [gpu] = gpus.gpus.as_slice() else { panic!("{gpus:?}") };
    assert!(gpu.mig);
    assert_eq!(gpu.values.utilisation, None, "N/A is not 0");
    assert_eq!(gpu.values.processes, Some(1));
    let slices: Vec<_> = gpu
        .slices
        .iter()
        .map(|slice| (slice.id.as_str(), slice.values.memory_used, slice.values.processes))
        .collect();
    assert_eq!(slices, [("1", Some(20_012 * MIB), Some(1)), ("5", Some(19 * MIB), Some(0)),]);
    assert_eq!(gpus.troubles, Vec::<String>::new());
}

#[test]
fn fl_097_what_a_card_cannot_tell_is_never_zero() {
    let gpus = read(BROKEN).expect("a document");
    for gpu in &gpus.gpus {
        assert_eq!(gpu.values.utilisation, None, "{gpu:?}");
        assert_eq!(gpu.values.power, None, "{gpu:?}");
        assert_eq!(gpu.values.memory_used, None, "{gpu:?}");
    }
    assert_eq!(gpus.gpus[0].values.processes, None);
    assert_eq!(gpus.gpus[1].values.processes, None);
    assert_eq!(gpus.gpus[2].values.processes, Some(0), "an empty list says that there are none");
    assert_eq!(
        gpus.troubles,
        [
            "GPU 0: ERR!",
            "GPU 0: Unknown Error",
            "GPU 0: processes: ERR!",
            "GPU 1: GPU requires reset",
            "GPU 1: needs recovery: reset",
            "nvidia-smi counts 4 GPUs and describes 3",
        ]
    );
}

#[test]
fn fl_100_eight_cards_are_eight() {
    let mut text = String::from("<nvidia_smi_log><attached_gpus>8</attached_gpus>");
    for gpu in 0..8 {
        write!(
            text,
            "<gpu id=\"{gpu}\"><uuid>GPU-{gpu}</uuid><utilization><gpu_util>{} %</gpu_util></utilization></gpu>",
            if gpu == 7 { 95 } else { 0 }
        )
        .expect("a string");
    }
    text.push_str("</nvidia_smi_log>");
    let gpus = read(&text).expect("a document");
    assert_eq!(gpus.gpus.len(), 8);
    assert_eq!(gpus.gpus[7].values.utilisation, Some(Level::of(95.0)));
    assert_eq!((gpus.gpus[7].index, gpus.gpus[7].id().as_str()), (7, "GPU-7"));
}

#[test]
fn fl_094_a_number_that_is_none_is_said() {
    for odd in ["NaN %", "inf %", "4 MiB", "%", "0 % 0 %"] {
        let text = format!(
            "<nvidia_smi_log><gpu><utilization><gpu_util>{odd}</gpu_util></utilization></gpu></nvidia_smi_log>"
        );
        let gpus = read(&text).expect("a document");
        assert_eq!(gpus.gpus[0].values.utilisation, None, "{odd}");
        assert_eq!(gpus.troubles.len(), 1, "{odd}");
    }
}

#[test]
fn names_of_older_drivers_are_known() {
    let text = "<nvidia_smi_log><gpu><uuid>GPU-1</uuid>\
        <fb_memory_usage><total>16384 MB</total><used>0 MB</used></fb_memory_usage>\
        <power_readings><power_draw>30.00 W</power_draw><power_limit>300.00 W</power_limit>\
        <enforced_power_limit>150.00 W</enforced_power_limit></power_readings></gpu></nvidia_smi_log>";
    let gpus = read(text).expect("a document");
    assert_eq!(gpus.gpus[0].values.power, Some(Level::of(10.0)), "of the first limit told");
    assert_eq!(gpus.gpus[0].values.memory_used, Some(0));
}

#[test]
fn whatever_is_cut_off_is_said_and_cards_before_the_cut_stay() {
    let text = MIG;
    for cut in 1..text.len() {
        let Some(part) = text.get(..cut) else { continue };
        match read(part) {
            Err(line) => assert!(!line.contains('\n')),
            Ok(gpus) => {
                let whole = part.trim_end().ends_with("</nvidia_smi_log>");
                assert_eq!(gpus.troubles.is_empty(), whole, "cut at {cut}");
            }
        }
    }
    let cut = ONE.replace("</nvidia_smi_log>", "");
    assert_eq!(read(&cut).expect("a document").gpus.len(), 1);
    let deep = format!("<nvidia_smi_log>{}", "<a>".repeat(10_000));
    assert_eq!(read(&deep).expect("a document").troubles.len(), 1);
}

#[test]
fn what_is_no_document_is_told_by_its_first_line() {
    let lost = "Unable to determine the device handle for GPU0000:07:00.0: Unknown Error\n";
    assert_eq!(read(lost), Err(lost.trim().to_owned()));
    assert_eq!(read(""), Err(String::new()));
    assert_eq!(
        read("\n\u{1b}[31mNo devices were found"),
        Err("[31mNo devices were found".to_owned())
    );
}
