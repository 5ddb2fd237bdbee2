//! Runs with results, their mails and what they say about each machine.

use proptest::prelude::*;
use reaper_model::ActionResult;
use reaper_model::document::Mode;
use unicode_width::UnicodeWidthStr as _;

use super::{plain, table, top};
use crate::explain;
use crate::fixture;
use crate::layout::MIN_WIDTH;

/// The words of a text on one line, however it was wrapped.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_at_120_columns() {
    insta::assert_snapshot!(table(&fixture::acted(), &plain(120)), @r#"
    stopped 1 of 10 machines · saves 2,555.00 EUR a month (compute only) · 1 NOT CONFIRMED · 1 REFUSED · 1 skipped: changed
    1 noticed · 1 mail accepted · 2 mails NOT DELIVERED
    found 5 orphans of 10 machines · 2 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far
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

    ACTIONS (4)
      notebook-test · stopped, confirmed
        i-0abc1234def567890 · aws/research/eu-west-1 · p4d.24xlarge · 8×A100 · owner none
        call   ec2:StopInstances · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        result the provider shows `stopped`
        money  saves 2,555.00 EUR a month (compute only)
               still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month) · loses the data on local disks

      finetune-llama-do-not-delete · skipped: changed
        6ba7b810-9dad-11d1-80b4-00c04fd430c8 · ovhcloud/lab/GRA11 · h100-380 · 1×H100 · owner bob (departed)
        call   rule ownerless · due Thu 3 Dec 2026 09:00 CET
        result not touched: its tags have changed since the plan
        money  would save 1,460.00 EUR a month (compute only)

      Überwachung-größe-日本 · REFUSED
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        call   poweroff · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        result stop denied by provider policy (instances:poweroff)
        money  would save 1,460.00 EUR a month (compute only)

      sweep · NOT CONFIRMED
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100 · owner alice
        call   POST /instance-operations/terminate · rule idle · due Mon 30 Nov 2026 08:00 CET
        result called at 09:00; after 10m it was still `terminating`
        money  would save 2,401.70 USD a month (compute only) · loses everything on the machine

    NOTICED (1) · a notice was accepted, and its period runs
      Thu 3 Dec 2026 09:00 CET   old-experiment · i-0dead00000000beef · aws/research/us-east-1 · g5.12xlarge · 4×A10G
                                 owner none · will be stopped when it is due

    MAILS (3)
      accepted      bob@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake
      REJECTED      gpu-team@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake · 550 no such user
      POSSIBLY SENT ann@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake
                    the connection broke after the text

    ORPHANS (5)
      MACHINE                       TYPE              GPUS       AGE  OWNER                 SO FAR     PER MONTH
      ──────────────────────────────────────────────────────────────────────────────────────────────────────────
      finetune-llama-do-not-delete  h100-380          1×H100  30d 0h  bob (departed)  1,440.00 EUR  1,460.00 EUR
        6ba7b810-9dad-11d1-80b4-00c04fd430c8 · ovhcloud/lab/GRA11
        state  stopped but billed: "SHUTOFF" still costs the full price
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month · will be stopped when it is due
        case   noticed (rule ownerless) · notice accepted Fri 27 Nov 2026 08:00 CET · due Thu 3 Dec 2026 09:00 CET
        action skipped: changed

      Überwachung-größe-日本        L40S-1-48G        1×L40S   2d 2h  none              100.00 EUR  1,460.00 EUR
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2
        state  stopped but billed: "stopped in place" still costs the full price
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted stop · saves 1,460.00 EUR of compute a month · its notice was accepted and its period has ended
        case   notice period over (rule ownerless) · notice accepted Fri 27 Nov 2026 08:00 CET
               due Mon 30 Nov 2026 08:00 CET
        action REFUSED

      notebook-test                 p4d.24xlarge      8×A100  30d 0h  none            2,520.00 EUR  2,555.00 EUR
        i-0abc1234def567890 · aws/research/eu-west-1
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        use    idle: 8 of 8 GPUs never above 2 % in the last 6 h, 98 % of samples present, source DCGM in Prometheus; held:
               up to 22 GiB of a GPU's memory in use
        wanted stop · saves 2,555.00 EUR of compute a month · loses the data on local disks
               its notice was accepted and its period has ended
        case   notice period over (rule ownerless) · notice accepted Fri 27 Nov 2026 08:00 CET
               due Mon 30 Nov 2026 08:00 CET
        action stopped, confirmed
        bill   still charged after a stop: 2 volumes, 1 address (at least 83.65 EUR a month)

      sweep                         gpu_1x_h100_sxm5  1×H100   1d 0h  alice              78.96 USD  2,401.70 USD
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3
        why    GPU use at most 1.5% for 6h (coverage 100%) (idle)
        use    idle (no process, no memory in use)
        wanted terminate · saves 2,401.70 USD of compute a month · loses everything on the machine
               its notice was accepted and its period has ended
        case   notice period over (rule idle) · notice accepted Fri 27 Nov 2026 08:00 CET · due Mon 30 Nov 2026 08:00 CET
        action NOT CONFIRMED

      old-experiment                g5.12xlarge       4×A10G  30d 0h  none                       -    not billed
        i-0dead00000000beef · aws/research/us-east-1
        state  stopped
        why    no tag `owner` or `created-by`; up 30d 0h, older than 2h (ownerless)
        wanted report · will be stopped when it is due
        case   noticed (rule ownerless) · notice accepted Fri 27 Nov 2026 08:00 CET · due Thu 3 Dec 2026 09:00 CET
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
      plan     sha256:fedcba987654 · 2 of 10 machines due · 3.50 EUR and 3.29 USD an hour · made Mon 30 Nov 2026 09:00 CET
               expires Tue 1 Dec 2026 09:00 CET
      history  last complete run Sun 29 Nov 2026 09:00 CET
      run      2026-11-30 09:00 +01:00 (Europe/Amsterdam) · configuration reaper.toml (sha256:0123456789ab)
               recorded, with what became of each action · exit code 4: incomplete, findings
      made by  reaper 0.1.0, run r-1
    "#);
}

#[test]
fn a_run_at_60_columns() {
    insta::assert_snapshot!(top(&table(&fixture::acted(), &plain(60))), @"
    stopped 1 of 10 machines
    saves 2,555.00 EUR a month (compute only) · 1 NOT CONFIRMED
    1 REFUSED · 1 skipped: changed · 1 noticed · 1 mail accepted
    2 mails NOT DELIVERED
    found 5 orphans of 10 machines · 2 stopped but billed
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

    ACTIONS (4)
      notebook-test · stopped, confirmed
        i-0abc1234def567890 · aws/research/eu-west-1
        p4d.24xlarge · 8×A100 · owner none
        call   ec2:StopInstances · rule ownerless
               due Mon 30 Nov 2026 08:00 CET
        result the provider shows `stopped`
        money  saves 2,555.00 EUR a month (compute only)
               still charged afterwards: 2 volumes, 1 address
               (at least 83.65 EUR a month)
               loses the data on local disks

      finetune-llama-do-not-delete · skipped: changed
        6ba7b810-9dad-11d1-80b4-00c04fd430c8
        ovhcloud/lab/GRA11 · h100-380 · 1×H100
        owner bob (departed)
        call   rule ownerless · due Thu 3 Dec 2026 09:00 CET
        result not touched: its tags have changed since the plan
        money  would save 1,460.00 EUR a month (compute only)

      Überwachung-größe-日本 · REFUSED
        f47ac10b-58cc-4372-a567-0e02b2c3d479
        scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        call   poweroff · rule ownerless
               due Mon 30 Nov 2026 08:00 CET
        result stop denied by provider policy
               (instances:poweroff)
        money  would save 1,460.00 EUR a month (compute only)

      sweep · NOT CONFIRMED
        0920582c7ff041399e34823a0be62549
        lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
        call   POST /instance-operations/terminate · rule idle
               due Mon 30 Nov 2026 08:00 CET
        result called at 09:00; after 10m it was still
               `terminating`
        money  would save 2,401.70 USD a month (compute only)
               loses everything on the machine

    NOTICED (1) · a notice was accepted, and its period runs
      Thu 3 Dec 2026 09:00 CET
        old-experiment · i-0dead00000000beef
        aws/research/us-east-1 · g5.12xlarge · 4×A10G
        owner none · will be stopped when it is due

    MAILS (3)
      accepted      bob@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec
                    09:00 CET, 1,460.00 EUR a month at stake
      REJECTED      gpu-team@example.org
                    notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec
                    09:00 CET, 1,460.00 EUR a month at stake
                    550 no such user
      POSSIBLY SENT ann@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec
                    09:00 CET, 1,460.00 EUR a month at stake
                    the connection broke after the text
    ");
}

#[test]
fn fl_055_a_saving_is_of_compute_and_booked_only_when_confirmed() {
    let text = unwrapped(&table(&fixture::acted(), &plain(120)));
    assert!(
        text.contains(
            "saves 2,555.00 EUR a month (compute only) still charged afterwards: 2 volumes"
        )
    );
    assert!(text.contains("would save 2,401.70 USD a month (compute only)"));
    assert!(!text.contains("saves 2,555.00 EUR and 2,401.70 USD"));
}

#[test]
fn fl_146_a_mail_that_was_not_taken_is_not_called_sent() {
    let mut doc = fixture::acted();
    doc.mails.remove(2);
    for width in [60, 100, 120] {
        let text = table(&doc, &plain(width));
        assert!(text.contains("1 mail NOT DELIVERED"), "{text}");
        assert!(text.contains("REJECTED") && text.contains("550 no such user"));
        assert!(!top(&text).contains("sent"), "{text}");
    }
}

#[test]
fn fl_062_a_run_that_did_its_job_raises_no_alarm() {
    let mut doc = fixture::planned();
    doc.mode = Mode::Run;
    for index in [0, 3] {
        let action = &mut doc.instances[index].action;
        action.result = Some(ActionResult::Confirmed);
    }
    let text = table(&doc, &plain(120));
    assert!(text.starts_with("stopped 1 and terminated 1 of 10 machines · saves 2,555.00 EUR"));
    for alarm in ["NOT CONFIRMED", "REFUSED", "NO RESULT", "INTERRUPTED", "NOTHING WAS DONE"] {
        assert!(!text.contains(alarm), "{alarm} in {text}");
    }
}

#[test]
fn fl_139_every_action_and_every_waiting_machine_says_which_it_is() {
    let doc = fixture::acted();
    for width in [60, 100, 120] {
        let text = table(&doc, &plain(width));
        let shown = unwrapped(top(&text));
        for machine in doc.instances.iter().filter(|machine| machine.case.is_some()) {
            let place = format!("{}/{}", machine.account, machine.location);
            for fact in [&machine.native_id, &place, machine.machine_type.as_str()] {
                assert!(shown.contains(fact), "{fact} at {width} in {text}");
            }
        }
        for fact in ["owner none", "due Mon 30 Nov 2026 08:00 CET", "Thu 3 Dec 2026 09:00 CET"] {
            assert!(shown.contains(fact), "{fact} at {width} in {text}");
        }
    }
}

#[test]
fn a_machine_is_explained_up_to_the_result() {
    let doc = fixture::acted();
    let text = explain(&doc.instances[0], &[], &doc, &plain(80));
    let verdict = text.split_once("VERDICT").map(|(_, verdict)| verdict).expect("a section");
    insta::assert_snapshot!(verdict, @"

      verdict     orphan · rule `ownerless` says yes
      wanted      stop · saves 2,555.00 EUR of compute a month
                  loses the data on local disks
                  its notice was accepted and its period has ended
      bill        volume vol-01: 80.00 EUR a month · volume vol-02: price unknown
                  address eipalloc-1: 3.65 EUR a month
      case        notice period over (rule ownerless)
                  notice accepted Fri 27 Nov 2026 08:00 CET
                  due Mon 30 Nov 2026 08:00 CET
      planned     stop · ec2:StopInstances
      result      confirmed · the provider shows `stopped`

    2026-11-30 09:00 +01:00 (Europe/Amsterdam)
    configuration reaper.toml (sha256:0123456789ab)
    recorded, with what became of each action · exit code 4: incomplete, findings
    ");
    assert!(text.contains("first seen  2026-11-26 09:00 +01:00"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_147_no_text_breaks_the_frame_of_a_run(text in fixture::any_text(), width in 0_usize..200) {
        let doc = fixture::acted_with_text(&text);
        let explained = explain(&doc.instances[0], &[], &doc, &plain(width));
        let shown = table(&doc, &plain(width)) + &explained;
        for line in shown.lines() {
            prop_assert!(line.width() <= width.max(MIN_WIDTH), "{line:?} at {width}");
            prop_assert!(!line.trim_start().starts_with("::"), "{line:?}");
        }
        prop_assert!(!shown.contains(|c: char| c < ' ' && c != '\n'));
    }
}
