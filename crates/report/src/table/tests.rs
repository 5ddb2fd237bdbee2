//! What the table looks like, and what no text from outside can do to it.

mod budgets;
mod leftovers;
mod plans;
mod runs;
mod week;

use proptest::prelude::*;
use unicode_width::UnicodeWidthStr as _;

use super::table;
use crate::explain;
use crate::fixture;
use crate::layout::{MIN_WIDTH, TableOptions};

fn plain(width: usize) -> TableOptions {
    TableOptions { width, color: false }
}

/// What stands before the list of all orphans.
fn top(text: &str) -> &str {
    text.split_once("\nORPHANS").map_or(text, |(top, _)| top)
}

#[test]
fn at_120_columns() {
    insta::assert_snapshot!(table(&fixture::mixed(), &plain(120)), @r#"
    5 orphans of 10 machines · 2 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far
    at least 5,475.00 EUR and 2,401.70 USD a month if left
    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running · data as of Mon 30 Nov 2026 09:00 CET
    1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged · use not measured of 1 machine

    3 of 6 scopes could not be read in full: machines there may be missing
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known · credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · at least 221.65 EUR and 240.00 USD a month
    1 without a price
    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ORPHANS (5)
      MACHINE                       TYPE              GPUS       AGE  OWNER                 SO FAR     PER MONTH
      ──────────────────────────────────────────────────────────────────────────────────────────────────────────
      finetune-llama-do-not-delete  h100-380          1×H100  30d 0h  bob (departed)  1,440.00 EUR  1,460.00 EUR
        6ba7b810-9dad-11d1-80b4-00c04fd430c8 · ovhcloud/lab/GRA11
        state  stopped but billed: "SHUTOFF" still costs the full price
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month

      Überwachung-größe-日本        L40S-1-48G        1×L40S   2d 2h  none              100.00 EUR  1,460.00 EUR
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2
        state  stopped but billed: "stopped in place" still costs the full price
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month

      notebook-test                 p4d.24xlarge      8×A100  30d 0h  none            2,520.00 EUR  2,555.00 EUR
        i-0abc1234def567890 · aws/research/eu-west-1
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        use    idle: 8 of 8 GPUs never above 2 % in the last 6 h, 98 % of samples present, source DCGM in Prometheus; held:
               up to 22 GiB of a GPU's memory in use
        wanted stop · saves 2,555.00 EUR of compute a month · loses the data on local disks
        bill   still charged after a stop: 2 volumes, 1 address (at least 83.65 EUR a month)

      sweep                         gpu_1x_h100_sxm5  1×H100   1d 0h  alice              78.96 USD  2,401.70 USD
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3
        why    GPU use at most 1.5% for 6h (coverage 100%) (idle)
        use    idle (no process, no memory in use)
        wanted stop · saves 2,401.70 USD of compute a month · ends the machine: needs allow_terminate

      old-experiment                g5.12xlarge       4×A10G  30d 0h  none                       -    not billed
        i-0dead00000000beef · aws/research/us-east-1
        state  stopped
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted report
        bill   compute is not billed · still charged: volume vol-03: 40.00 EUR a month

    LEFT BEHIND (5) · at least 221.65 EUR and 240.00 USD a month · unused and charged; reported, never removed
      KIND         NAME              WHERE                       AGE  OWNER            PER MONTH
      ──────────────────────────────────────────────────────────────────────────────────────────
      file system  datasets          lambda/burst/us-east-3  200d 0h  none            240.00 USD
        398578a2336b49079e74043f0bd2cfe8 · 1200 GiB · counted from its creation: since when nobody uses it is not told
      volume       scratch-llama     aws/research/eu-west-1   41d 2h  alice           190.00 EUR
        vol-0a1b2c3d4e5f67890 · 2000 GiB · unused since Tue 20 Oct 2026 08:00 CEST · belonged to i-0123456789abcdef0
      snapshot     finetune-shelved  ovhcloud/lab/GRA11        3d 0h  bob (departed)   26.00 EUR
        0c7a1d0e-53a1-4d0c-8f0e-0f3a8c1d2e3f · 400 GiB · counted from its creation: since when nobody uses it is not told
        left by our stop of 6ba7b810-9dad-11d1-80b4-00c04fd430c8
      image        jupyter-2025      aws/research/us-east-1   12d 0h  none              5.65 EUR
        ami-0aa11bb22cc33dd44 · 120 GiB · counted from its creation: since when nobody uses it is not told
      address      -                 scaleway/poc/fr-par-2   unknown  none               unknown
        192.0.2.17 · age unknown: the provider tells no time of addresses
        price unknown: the price list has no addresses of this place

    ADVICE (4) · never acted upon; savings are of compute and do not add up
      MACHINE        ABOUT       CONFIDENCE  SAVES A MONTH
      ────────────────────────────────────────────────────
      eks-node       oversized   high         8,760.00 EUR
        mean use 9 % over the last 7 days, at most 22 of 80 GiB of memory in use on each GPU: g6e.48xlarge (8×L40S) would do
        i-0cccc3333cccc3333 · aws/research/us-east-1 · p5.48xlarge · 8×H100 · owner alice
      eks-node       idle-cards  low          1,460.00 EUR
        2 of 8 GPUs did nothing in the last 7 days
        i-0cccc3333cccc3333 · aws/research/us-east-1 · p5.48xlarge · 8×H100 · owner alice
      sweep          notebook    medium       1,850.00 USD
        a notebook by its name, on an H100: gpu_1x_a10 is enough to explore
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100 · owner alice
      notebook-test  hours       high                    -
        111 hours are left in this week: 388.50 EUR if nobody switches it off
        i-0abc1234def567890 · aws/research/eu-west-1 · p4d.24xlarge · 8×A100 · owner none

    UNJUDGED (1) · evidence is missing
      MACHINE         ID                                    WHERE                   TYPE                AGE      PER MONTH
      ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
      -               i-0ffff0000ffff0000                   aws/research/eu-west-1  p9x.192xlarge   unknown        unknown
        unknown (HIBERNATING_DEEP), counted as billed · ownerless: tags could not be read · GPUs unknown · owner unreadable

    EXEMPT (1) · a rule says yes, an exemption beats it
      demo-customer   i-0aaaa1111aaaa1111                   aws/research/eu-west-1  g6.xlarge        30d 0h     584.00 EUR
        exempt until 2026-12-24 (alice: customer demo) · 1×L4 · owner alice

    PROTECTED (1) · a rule says yes, a protection beats it
      prod-inference  i-0bbbb2222bbbb2222                   aws/research/eu-west-1  g5.xlarge        30d 0h     730.00 EUR
        protected by tag `reaper-keep` · 1×A10G · owner alice

    MANAGED (1) · a controller owns them
      eks-node        i-0cccc3333cccc3333                   aws/research/us-east-1  p5.48xlarge      30d 0h  29,200.00 EUR
        owned by autoscaling-group gpu-workers: change its desired capacity
        use unknown: no samples since 14:00, 12 % of the window measured · 8×H100 · owner alice

    OK (1) · no rule says yes
      train-7b        1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed  scaleway/poc/fr-par-2   H100-SXM-8-80G   30d 0h   4,380.00 EUR
        busy: peak 96.0% in the last 6h

    SCOPES
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known · credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503
      skipped  aws/research: af-south-1, ap-east-1 · not enabled in this account
      complete aws/research: eu-west-1, us-east-1
      complete ovhcloud/lab: GRA11

    WARNINGS
      no price for this type: add a [[price]] entry · p9x.192xlarge

    BASIS
      costs    estimates: list price × hours of the present run; disks, addresses and traffic not included
      prices   built-in price list of 2026-11-01 (9 machines)
      rates    1 GBP = 1.14 EUR of 2026-11-28
      ended    1 machine ended lately, still listed by the provider
      use      asked of 4 machines: 2 idle, 1 busy, 1 unknown · over 6h · measured by DCGM in Prometheus
               not measured of 1 machine
      history  no complete run is recorded
      run      2026-11-30 09:00 +01:00 (Europe/Amsterdam) · configuration reaper.toml (sha256:0123456789ab)
               nothing was changed: an audit only reports · exit code 4: incomplete, findings
      made by  reaper 0.1.0, run r-1
    "#);
}

#[test]
fn at_60_columns() {
    insta::assert_snapshot!(table(&fixture::mixed(), &plain(60)), @r#"
    5 orphans of 10 machines · 2 stopped but billed
    at least 4,060.00 EUR and 78.96 USD wasted so far
    at least 5,475.00 EUR and 2,401.70 USD a month if left
    10 machines in 4 scopes
    at least 58.36 EUR and 3.29 USD an hour running
    data as of Mon 30 Nov 2026 09:00 CET
    1 billed machine unpriced: the sums are lower bounds
    1 machine could not be judged
    use not measured of 1 machine

    3 of 6 scopes could not be read in full: machines there may
    be missing
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known
               credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1
    file system · at least 221.65 EUR and 240.00 USD a month
    1 without a price
    4 pieces of advice for 3 machines, the best saves 8,760.00
    EUR a month (compute only)

    ORPHANS (5)
      MACHINE                    AGE        SO FAR     PER MONTH
      ──────────────────────────────────────────────────────────
      finetune-llama-do-not…  30d 0h  1,440.00 EUR  1,460.00 EUR
        6ba7b810-9dad-11d1-80b4-00c04fd430c8
        ovhcloud/lab/GRA11 · h100-380 · 1×H100
        owner bob (departed)
        state  stopped but billed: "SHUTOFF" still costs the
               full price
        why    no tag `owner` or `created-by`; up 30d 0h, older
               than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month

      Überwachung-größe-日本   2d 2h    100.00 EUR  1,460.00 EUR
        f47ac10b-58cc-4372-a567-0e02b2c3d479
        scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        state  stopped but billed: "stopped in place" still
               costs the full price
        why    no tag `owner` or `created-by`; up 30d 0h, older
               than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month

      notebook-test           30d 0h  2,520.00 EUR  2,555.00 EUR
        i-0abc1234def567890 · aws/research/eu-west-1
        p4d.24xlarge · 8×A100 · owner none
        why    no tag `owner` or `created-by`; up 30d 0h, older
               than 2h (ownerless)
        use    idle: 8 of 8 GPUs never above 2 % in the last 6
               h, 98 % of samples present, source DCGM in
               Prometheus; held: up to 22 GiB of a GPU's memory
               in use
        wanted stop · saves 2,555.00 EUR of compute a month
               loses the data on local disks
        bill   still charged after a stop: 2 volumes, 1 address
               (at least 83.65 EUR a month)

      sweep                    1d 0h     78.96 USD  2,401.70 USD
        0920582c7ff041399e34823a0be62549
        lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
        why    GPU use at most 1.5% for 6h (coverage 100%)
               (idle)
        use    idle (no process, no memory in use)
        wanted stop · saves 2,401.70 USD of compute a month
               ends the machine: needs allow_terminate

      old-experiment          30d 0h             -    not billed
        i-0dead00000000beef · aws/research/us-east-1
        g5.12xlarge · 4×A10G · owner none
        state  stopped
        why    no tag `owner` or `created-by`; up 30d 0h, older
               than 2h (ownerless)
        wanted report
        bill   compute is not billed
               still charged: volume vol-03: 40.00 EUR a month

    LEFT BEHIND (5) · at least 221.65 EUR and 240.00 USD a month
    unused and charged; reported, never removed
      KIND         NAME                  AGE   PER MONTH
      ──────────────────────────────────────────────────
      file system  datasets          200d 0h  240.00 USD
        398578a2336b49079e74043f0bd2cfe8
        lambda/burst/us-east-3 · 1200 GiB
        counted from its creation: since when nobody uses it is
        not told · owner none
      volume       scratch-llama      41d 2h  190.00 EUR
        vol-0a1b2c3d4e5f67890 · aws/research/eu-west-1
        2000 GiB · unused since Tue 20 Oct 2026 08:00 CEST
        owner alice · belonged to i-0123456789abcdef0
      snapshot     finetune-shelved    3d 0h   26.00 EUR
        0c7a1d0e-53a1-4d0c-8f0e-0f3a8c1d2e3f
        ovhcloud/lab/GRA11 · 400 GiB
        counted from its creation: since when nobody uses it is
        not told · owner bob (departed)
        left by our stop of 6ba7b810-9dad-11d1-80b4-00c04fd430c8
      image        jupyter-2025       12d 0h    5.65 EUR
        ami-0aa11bb22cc33dd44 · aws/research/us-east-1 · 120 GiB
        counted from its creation: since when nobody uses it is
        not told · owner none
      address      -                 unknown     unknown
        192.0.2.17 · scaleway/poc/fr-par-2
        age unknown: the provider tells no time of addresses
        owner none
        price unknown: the price list has no addresses of this
        place

    ADVICE (4)
    never acted upon; savings are of compute and do not add up
      MACHINE        ABOUT       CONFIDENCE  SAVES A MONTH
      ────────────────────────────────────────────────────
      eks-node       oversized   high         8,760.00 EUR
        mean use 9 % over the last 7 days, at most 22 of 80 GiB
        of memory in use on each GPU: g6e.48xlarge (8×L40S)
        would do
        i-0cccc3333cccc3333 · aws/research/us-east-1
        p5.48xlarge · 8×H100 · owner alice
      eks-node       idle-cards  low          1,460.00 EUR
        2 of 8 GPUs did nothing in the last 7 days
        i-0cccc3333cccc3333 · aws/research/us-east-1
        p5.48xlarge · 8×H100 · owner alice
      sweep          notebook    medium       1,850.00 USD
        a notebook by its name, on an H100: gpu_1x_a10 is enough
        to explore
        0920582c7ff041399e34823a0be62549
        lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
      notebook-test  hours       high                    -
        111 hours are left in this week: 388.50 EUR if nobody
        switches it off
        i-0abc1234def567890 · aws/research/eu-west-1
        p4d.24xlarge · 8×A100 · owner none

    UNJUDGED (1) · evidence is missing
      MACHINE         TYPE                AGE      PER MONTH
      ──────────────────────────────────────────────────────
      -               p9x.192xlarge   unknown        unknown
        unknown (HIBERNATING_DEEP), counted as billed
        ownerless: tags could not be read · i-0ffff0000ffff0000
        aws/research/eu-west-1 · GPUs unknown · owner unreadable

    EXEMPT (1) · a rule says yes, an exemption beats it
      demo-customer   g6.xlarge        30d 0h     584.00 EUR
        exempt until 2026-12-24 (alice: customer demo)
        i-0aaaa1111aaaa1111 · aws/research/eu-west-1 · 1×L4
        owner alice

    PROTECTED (1) · a rule says yes, a protection beats it
      prod-inference  g5.xlarge        30d 0h     730.00 EUR
        protected by tag `reaper-keep` · i-0bbbb2222bbbb2222
        aws/research/eu-west-1 · 1×A10G · owner alice

    MANAGED (1) · a controller owns them
      eks-node        p5.48xlarge      30d 0h  29,200.00 EUR
        owned by autoscaling-group gpu-workers: change its
        desired capacity
        use unknown: no samples since 14:00, 12 % of the window
        measured · i-0cccc3333cccc3333 · aws/research/us-east-1
        8×H100 · owner alice

    OK (1) · no rule says yes
      train-7b        H100-SXM-8-80G   30d 0h   4,380.00 EUR
        busy: peak 96.0% in the last 6h
        1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed
        scaleway/poc/fr-par-2

    SCOPES
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known
               credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503
      skipped  aws/research: af-south-1, ap-east-1
               not enabled in this account
      complete aws/research: eu-west-1, us-east-1
      complete ovhcloud/lab: GRA11

    WARNINGS
      no price for this type: add a [[price]] entry
      p9x.192xlarge

    BASIS
      costs    estimates: list price × hours of the present run;
               disks, addresses and traffic not included
      prices   built-in price list of 2026-11-01 (9 machines)
      rates    1 GBP = 1.14 EUR of 2026-11-28
      ended    1 machine ended lately, still listed by the
               provider
      use      asked of 4 machines: 2 idle, 1 busy, 1 unknown
               over 6h · measured by DCGM in Prometheus
               not measured of 1 machine
      history  no complete run is recorded
      run      2026-11-30 09:00 +01:00 (Europe/Amsterdam)
               configuration reaper.toml (sha256:0123456789ab)
               nothing was changed: an audit only reports
               exit code 4: incomplete, findings
      made by  reaper 0.1.0, run r-1
    "#);
}

#[test]
fn fl_149_nothing_found_is_said_with_what_was_looked_at() {
    insta::assert_snapshot!(table(&fixture::nothing_found(), &plain(80)), @"
    nothing found · 2 machines in 2 scopes · 7.00 EUR an hour running
    data as of Mon 30 Nov 2026 09:00 CET

    PROTECTED (1) · a rule says yes, a protection beats it
      MACHINE         TYPE               AGE     PER MONTH
      ────────────────────────────────────────────────────
      prod-inference  g5.xlarge       30d 0h    730.00 EUR
        protected by tag `reaper-keep` · i-0bbbb2222bbbb2222
        aws/research/eu-west-1 · 1×A10G · owner alice

    OK (1) · no rule says yes
      train-7b        H100-SXM-8-80G  30d 0h  4,380.00 EUR
        busy: peak 96.0% in the last 6h · 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed
        scaleway/poc/fr-par-2

    SCOPES
      complete aws/research: eu-west-1
      complete scaleway/poc: fr-par-2

    BASIS
      costs    estimates: list price × hours of the present run; disks, addresses
               and traffic not included
      prices   built-in price list of 2026-11-01 (2 machines)
      use      asked of 1 machine: 1 busy · over 6h · measured by DCGM in Prometheus
      history  no complete run is recorded
      run      2026-11-30 09:00 +01:00 (Europe/Amsterdam)
               configuration reaper.toml (sha256:0123456789ab)
               nothing was changed: an audit only reports · exit code 0: clean
      made by  reaper 0.1.0, run r-1
    ");
}

#[test]
fn fl_055_no_line_says_0_for_a_machine_with_disks() {
    let text = table(&fixture::mixed(), &plain(120));
    assert!(!text.contains("0.00 EUR so far") && !text.contains(" 0.00 "), "{text}");
    let still = "still charged: volume vol-03: 40.00 EUR a month";
    assert!(text.contains(&format!("compute is not billed · {still}")), "{text}");
}

#[test]
fn fl_085_an_unknown_type_is_shown_letter_for_letter_and_its_price_as_unknown() {
    for width in [60, 80, 120, 200] {
        let text = table(&fixture::mixed(), &plain(width));
        assert!(text.contains("p9x.192xlarge"), "{text}");
        assert!(text.contains("unknown"), "{text}");
    }
}

#[test]
fn fl_091_ghosts_are_counted_and_not_listed() {
    let text = table(&fixture::mixed(), &plain(120));
    assert!(!text.contains("gone-ghost"));
    assert!(text.contains("1 machine ended lately"));
}

#[test]
fn fl_103_sums_with_a_gap_say_at_least() {
    let text = table(&fixture::mixed(), &plain(120));
    assert!(text.contains("at least 4,060.00 EUR and 78.96 USD wasted so far"));
    assert!(text.contains("1 billed machine unpriced: the sums are lower bounds"));
}

#[test]
fn fl_106_no_currency_sign_is_ever_printed() {
    assert!(!table(&fixture::mixed(), &plain(120)).contains(['$', '€']));
}

#[test]
fn partial_is_loud_in_the_first_lines() {
    let text = table(&fixture::mixed(), &plain(80));
    let top: Vec<&str> = text.lines().take(12).collect();
    assert!(top.iter().any(|line| line.contains("3 of 6 scopes could not be read in full")));
    assert!(top.iter().any(|line| line.contains("PARTIAL") && line.contains("fr-par-2")));
    assert!(top.iter().any(|line| line.contains("FAILED") && line.contains("lambda/burst")));
}

#[test]
fn what_looks_off_and_is_billed_comes_first() {
    let text = table(&fixture::mixed(), &plain(120));
    let place = |name| text.find(name).expect("listed");
    assert!(place("finetune-llama") < place("notebook-test"));
    assert!(text.contains(r#"stopped but billed: "SHUTOFF" still costs the full price"#));
}

#[test]
fn fl_147_a_hostile_name_cannot_leave_its_cell() {
    for width in [40, 60, 80, 120, 200] {
        let text = table(&fixture::nasty(), &plain(width));
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
        assert!(!text.contains(['\u{202e}', '\u{200b}']));
        assert!(text.contains("⟨1b⟩"));
        assert!(text.lines().all(|line| !line.trim_start().starts_with("::")));
    }
}

#[test]
fn colour_changes_nothing_but_the_colour() {
    let doc = fixture::mixed();
    let colored = table(&doc, &TableOptions { width: 80, color: true });
    assert!(colored.contains('\u{1b}'));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), table(&doc, &plain(80)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_147_no_text_breaks_the_frame(text in fixture::any_text(), width in 0_usize..200) {
        let doc = fixture::with_text(&text);
        let explained = explain(&doc.instances[0], &[], &doc, &plain(width));
        let shown = table(&doc, &plain(width)) + &explained;
        for line in shown.lines() {
            prop_assert!(line.width() <= width.max(MIN_WIDTH), "{line:?} at {width}");
            prop_assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
        prop_assert!(!shown.contains(|c: char| c < ' ' && c != '\n'));
    }
}
