//! What was left behind and what would do for less, at any width and of any number.

use unicode_width::UnicodeWidthStr as _;

use super::super::table;
use super::plain;
use crate::fixture;

fn part<'a>(text: &'a str, title: &str) -> &'a str {
    let (_, part) = text.split_once(title).unwrap_or_else(|| panic!("{title} is there"));
    part.split_once("\n\n").map_or(part, |(part, _)| part)
}

#[test]
fn where_no_columns_fit_all_is_in_words() {
    let text = table(&fixture::mixed(), &plain(40));
    insta::assert_snapshot!(part(&text, "LEFT BEHIND"), @"
     (5)
    at least 221.65 EUR and 240.00 USD a
    month
    unused and charged; reported, never
    removed
      file system datasets
        398578a2336b49079e74043f0bd2cfe8
        lambda/burst/us-east-3 · 1200 GiB
        age 200d 0h (counted from its
        creation: since when nobody uses it
        is not told) · owner none
        240.00 USD a month
      volume scratch-llama
        vol-0a1b2c3d4e5f67890
        aws/research/eu-west-1 · 2000 GiB
        unused for 41d 2h · owner alice
        belonged to i-0123456789abcdef0
        190.00 EUR a month
      snapshot finetune-shelved
        0c7a1d0e-53a1-4d0c-8f0e-0f3a8c1d2e3f
        ovhcloud/lab/GRA11 · 400 GiB
        age 3d 0h (counted from its
        creation: since when nobody uses it
        is not told) · owner bob (departed)
        left by our stop of
        6ba7b810-9dad-11d1-80b4-00c04fd430c8
        26.00 EUR a month
      image jupyter-2025
        ami-0aa11bb22cc33dd44
        aws/research/us-east-1 · 120 GiB
        age 12d 0h (counted from its
        creation: since when nobody uses it
        is not told) · owner none
        5.65 EUR a month
      address 192.0.2.17
        scaleway/poc/fr-par-2
        age unknown: the provider tells no
        time of addresses · owner none
        price unknown: the price list has no
        addresses of this place
    ");
    insta::assert_snapshot!(part(&text, "ADVICE"), @"
     (4)
    never acted upon; savings are of compute
    and do not add up
      eks-node
        oversized, confidence high
        saves 8,760.00 EUR a month
        mean use 9 % over the last 7 days,
        at most 22 of 80 GiB of memory in
        use on each GPU: g6e.48xlarge
        (8×L40S) would do
        i-0cccc3333cccc3333
        aws/research/us-east-1 · p5.48xlarge
        8×H100 · owner alice
      eks-node
        idle-cards, confidence low
        saves 1,460.00 EUR a month
        2 of 8 GPUs did nothing in the last
        7 days
        i-0cccc3333cccc3333
        aws/research/us-east-1 · p5.48xlarge
        8×H100 · owner alice
      sweep
        notebook, confidence medium
        saves 1,850.00 USD a month
        a notebook by its name, on an H100:
        gpu_1x_a10 is enough to explore
        0920582c7ff041399e34823a0be62549
        lambda/burst/us-east-3
        gpu_1x_h100_sxm5 · 1×H100
        owner alice
      notebook-test
        hours, confidence high
        111 hours are left in this week:
        388.50 EUR if nobody switches it off
        i-0abc1234def567890
        aws/research/eu-west-1
        p4d.24xlarge · 8×A100 · owner none
    ");
}

#[test]
fn with_room_every_fact_has_a_column() {
    let text = table(&fixture::mixed(), &plain(160));
    insta::assert_snapshot!(part(&text, "LEFT BEHIND"), @"
    (5) · at least 221.65 EUR and 240.00 USD a month · unused and charged; reported, never removed
     KIND         NAME              ID                                    WHERE                       AGE  OWNER            PER MONTH
     ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
     file system  datasets          398578a2336b49079e74043f0bd2cfe8      lambda/burst/us-east-3  200d 0h  none            240.00 USD
       1200 GiB · counted from its creation: since when nobody uses it is not told
     volume       scratch-llama     vol-0a1b2c3d4e5f67890                 aws/research/eu-west-1   41d 2h  alice           190.00 EUR
       2000 GiB · unused since Tue 20 Oct 2026 08:00 CEST · belonged to i-0123456789abcdef0
     snapshot     finetune-shelved  0c7a1d0e-53a1-4d0c-8f0e-0f3a8c1d2e3f  ovhcloud/lab/GRA11        3d 0h  bob (departed)   26.00 EUR
       400 GiB · counted from its creation: since when nobody uses it is not told · left by our stop of 6ba7b810-9dad-11d1-80b4-00c04fd430c8
     image        jupyter-2025      ami-0aa11bb22cc33dd44                 aws/research/us-east-1   12d 0h  none              5.65 EUR
       120 GiB · counted from its creation: since when nobody uses it is not told
     address      -                 192.0.2.17                            scaleway/poc/fr-par-2   unknown  none               unknown
       age unknown: the provider tells no time of addresses · price unknown: the price list has no addresses of this place
    ");
}

#[test]
fn five_thousand_of_each_are_twenty_rows_and_their_number() {
    let doc = fixture::littered(fixture::mixed(), 5_000);
    for width in [60, 120] {
        let text = table(&doc, &plain(width));
        let (left, advice) = (part(&text, "LEFT BEHIND (5000)"), part(&text, "ADVICE (4"));
        assert_eq!(left.matches("scratch-0").count(), 20, "{left}");
        assert!(left.contains("950,000.00 EUR a month"), "{left}");
        assert!(left.ends_with("… and 4,980 more: the JSON document has them all"), "{left}");
        assert_eq!(advice.matches("mean use 9 %").count(), 20, "{advice}");
        assert!(advice.contains("… and 4,"), "{advice}");
        assert!(text.lines().all(|line| line.width() <= width));
    }
}

#[test]
fn nothing_left_and_no_advice_take_no_room() {
    let text = table(&fixture::nothing_found(), &plain(100));
    assert!(!text.contains("LEFT BEHIND") && !text.contains("ADVICE"), "{text}");
    assert!(!text.contains("left behind") && !text.contains("advice"), "{text}");
}

#[test]
fn fl_097_use_that_is_not_known_is_said_at_the_top_and_with_the_machine() {
    let text = table(&fixture::mixed(), &plain(120));
    assert!(text.contains("use not measured of 1 machine"));
    assert!(text.contains("use unknown: no samples since 14:00, 12 % of the window measured"));
    let mut doc = fixture::nothing_found();
    doc.totals.unmeasured = 1;
    let text = table(&doc, &plain(120));
    assert!(text.starts_with("nothing found among what could be measured"), "{text}");
}

#[test]
fn of_machines_that_nobody_asked_about_no_use_is_told() {
    let mut doc = fixture::mixed();
    doc.totals.unmeasured = 0;
    for machine in &mut doc.instances {
        machine.utilisation.window = None;
    }
    let text = table(&doc, &plain(120));
    for word in ["use unknown", "busy:", "  use  ", "idle (memory", "not measured"] {
        assert!(!text.contains(word), "{word} in {text}");
    }
}
