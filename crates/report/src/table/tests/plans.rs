//! Plans, the brake, interruptions and silence: what stands first, and that nothing is claimed.

use reaper_model::document::{Mode, PlannedAction};

use super::{plain, table, top};
use crate::fixture;

#[test]
fn a_plan_at_100_columns() {
    insta::assert_snapshot!(top(&table(&fixture::planned(), &plain(100))), @"
    would stop 1 and terminate 1 of 10 machines
    saves 2,555.00 EUR and 2,401.70 USD a month (compute only) · 1 noticed · 1 mail due
    nothing was done: this is what a run with --enforce would do now
    found 5 orphans of 10 machines · 2 stopped but billed
    at least 4,060.00 EUR and 78.96 USD wasted so far
    at least 5,475.00 EUR and 2,401.70 USD a month if left
    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running
    data as of Mon 30 Nov 2026 09:00 CET
    1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged
    use not measured of 1 machine

    3 of 6 scopes could not be read in full: machines there may be missing
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known · credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system
    at least 221.65 EUR and 240.00 USD a month · 1 without a price
    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ACTIONS (2)
      notebook-test · would be stopped
        i-0abc1234def567890 · aws/research/eu-west-1 · p4d.24xlarge · 8×A100 · owner none
        call   ec2:StopInstances · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        money  would save 2,555.00 EUR a month (compute only)
               still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month)
               loses the data on local disks

      sweep · would be terminated
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
        call   POST /instance-operations/terminate · rule idle · due Mon 30 Nov 2026 08:00 CET
        money  would save 2,401.70 USD a month (compute only) · loses everything on the machine

    NOTICED (1) · a notice was accepted, and its period runs
      Thu 3 Dec 2026 09:00 CET   finetune-llama-do-not-delete · 6ba7b810-9dad-11d1-80b4-00c04fd430c8
                                 ovhcloud/lab/GRA11 · h100-380 · 1×H100 · owner bob (departed)
                                 will be stopped when it is due

    CONTESTED (1) · started again after our action: left alone
      old-experiment
        i-0dead00000000beef · aws/research/us-east-1 · g5.12xlarge · 4×A10G · owner none
        contested: started again twice after our stops

    FOUND (1) · no notice of an action has been given
      Überwachung-größe-日本
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        report only: a stop would erase the scratch volume, and nobody agreed

    MAILS (1)
      due           bob@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at
                    stake
    ");
}

#[test]
fn fl_152_the_brake_comes_first_and_says_that_nothing_was_done() {
    insta::assert_snapshot!(top(&table(&fixture::braked(), &plain(100))), @"
    NOTHING WAS DONE: the brake held every action
      2 of 10 machines are to be acted upon, limits.max_share is 15 %
      nothing is done: look at the plan, then allow it with --expect 2 or raise the limit

    stopped none of 10 machines · 2 held by the brake · 1 noticed
    found 5 orphans of 10 machines · 2 stopped but billed
    at least 4,060.00 EUR and 78.96 USD wasted so far
    at least 5,475.00 EUR and 2,401.70 USD a month if left
    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running
    data as of Mon 30 Nov 2026 09:00 CET
    1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged
    use not measured of 1 machine

    3 of 6 scopes could not be read in full: machines there may be missing
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known · credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system
    at least 221.65 EUR and 240.00 USD a month · 1 without a price
    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ACTIONS (2)
      notebook-test · held by the brake
        i-0abc1234def567890 · aws/research/eu-west-1 · p4d.24xlarge · 8×A100 · owner none
        call   ec2:StopInstances · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        money  would save 2,555.00 EUR a month (compute only)
               still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month)
               loses the data on local disks

      sweep · held by the brake
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
        call   POST /instance-operations/terminate · rule idle · due Mon 30 Nov 2026 08:00 CET
        money  would save 2,401.70 USD a month (compute only) · loses everything on the machine

    NOTICED (1) · a notice was accepted, and its period runs
      Thu 3 Dec 2026 09:00 CET   finetune-llama-do-not-delete · 6ba7b810-9dad-11d1-80b4-00c04fd430c8
                                 ovhcloud/lab/GRA11 · h100-380 · 1×H100 · owner bob (departed)
                                 will be stopped when it is due

    CONTESTED (1) · started again after our action: left alone
      old-experiment
        i-0dead00000000beef · aws/research/us-east-1 · g5.12xlarge · 4×A10G · owner none
        contested: started again twice after our stops

    FOUND (1) · no notice of an action has been given
      Überwachung-größe-日本
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        report only: a stop would erase the scratch volume, and nobody agreed
    ");
}

#[test]
fn an_interrupted_run_says_what_is_done_and_what_not_before_all_else() {
    insta::assert_snapshot!(top(&table(&fixture::interrupted(), &plain(100))), @"
    INTERRUPTED: the run ended before everything was done
      done: 1 action: notebook-test (stopped, confirmed)
      not done: 3 actions: finetune-llama-do-not-delete (skipped: changed), Überwachung-größe-日本 (NO
      RESULT), sweep (NO RESULT)
      1 mail accepted, 1 mail NOT DELIVERED

    stopped 1 of 10 machines · saves 2,555.00 EUR a month (compute only) · 2 WITHOUT RESULT
    1 skipped: changed · 1 noticed · 1 mail accepted · 1 mail NOT DELIVERED
    found 5 orphans of 10 machines · 2 stopped but billed
    at least 4,060.00 EUR and 78.96 USD wasted so far
    at least 5,475.00 EUR and 2,401.70 USD a month if left
    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running
    data as of Mon 30 Nov 2026 09:00 CET
    1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged
    use not measured of 1 machine

    3 of 6 scopes could not be read in full: machines there may be missing
      FAILED   aws/research: eu-west-3 · connection refused
      FAILED   lambda/burst: no location known · credentials refused: HTTP 401
      PARTIAL  scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system
    at least 221.65 EUR and 240.00 USD a month · 1 without a price
    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ACTIONS (4)
      notebook-test · stopped, confirmed
        i-0abc1234def567890 · aws/research/eu-west-1 · p4d.24xlarge · 8×A100 · owner none
        call   ec2:StopInstances · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        result the provider shows `stopped`
        money  saves 2,555.00 EUR a month (compute only)
               still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month)
               loses the data on local disks

      finetune-llama-do-not-delete · skipped: changed
        6ba7b810-9dad-11d1-80b4-00c04fd430c8 · ovhcloud/lab/GRA11 · h100-380 · 1×H100
        owner bob (departed)
        call   rule ownerless · due Thu 3 Dec 2026 09:00 CET
        result not touched: its tags have changed since the plan
        money  would save 1,460.00 EUR a month (compute only)

      Überwachung-größe-日本 · NO RESULT
        f47ac10b-58cc-4372-a567-0e02b2c3d479 · scaleway/poc/fr-par-2 · L40S-1-48G · 1×L40S · owner none
        call   poweroff · rule ownerless · due Mon 30 Nov 2026 08:00 CET
        result not done: the run was interrupted before it
        money  would save 1,460.00 EUR a month (compute only)

      sweep · NO RESULT
        0920582c7ff041399e34823a0be62549 · lambda/burst/us-east-3 · gpu_1x_h100_sxm5 · 1×H100
        owner alice
        call   POST /instance-operations/terminate · rule idle · due Mon 30 Nov 2026 08:00 CET
        result not done: the run was interrupted before it
        money  would save 2,401.70 USD a month (compute only) · loses everything on the machine

    NOTICED (1) · a notice was accepted, and its period runs
      Thu 3 Dec 2026 09:00 CET   old-experiment · i-0dead00000000beef · aws/research/us-east-1
                                 g5.12xlarge · 4×A10G · owner none · will be stopped when it is due

    MAILS (2)
      accepted      bob@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at
                    stake
      DEFERRED      gpu-team@example.org · notice about 1 machine
                    reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at
                    stake · not sent: the run was interrupted before it
    ");
}

#[test]
fn fl_128_a_schedule_that_fell_silent_is_the_first_line() {
    let mut doc = fixture::acted();
    let first = |doc: &_| table(doc, &plain(100)).lines().next().map(str::to_owned);
    assert!(first(&doc).expect("a line").starts_with("stopped 1 of 10 machines"));
    doc.last_complete_run = Some(fixture::time("2026-11-22T09:00:00+01:00"));
    assert!(first(&doc).expect("a line").starts_with("stopped 1 of 10 machines"), "8 days");
    doc.last_complete_run = Some(fixture::time("2026-11-18T09:00:00+01:00"));
    for mode in [Mode::Audit, Mode::Plan, Mode::Run, Mode::Apply] {
        doc.mode = mode;
        assert_eq!(first(&doc).as_deref(), Some("THE LAST COMPLETE RUN WAS 12 DAYS AGO"));
    }
}

#[test]
fn dry_is_dry_and_says_so() {
    let text = table(&fixture::planned(), &plain(120));
    assert_eq!(text.matches("nothing was done: this is what a run").count(), 2);
    for claim in ["stopped 1", "stopped 2", "saved", "confirmed"] {
        assert!(!text.contains(claim), "{claim} in {text}");
    }
    let mut doc = fixture::planned();
    doc.instances.iter_mut().for_each(|machine| {
        machine.action.planned = PlannedAction::Report;
    });
    assert!(table(&doc, &plain(120)).starts_with("would stop nothing: no action is due"));
}

#[test]
fn a_due_action_that_a_reporting_run_left_alone_is_not_called_done() {
    let mut doc = fixture::planned();
    doc.mode = Mode::Run;
    let text = table(&doc, &plain(120));
    assert!(text.starts_with("stopped none of 10 machines · 2 due, not tried"), "{text}");
    assert!(text.contains("recorded; no machine was touched"));
}

#[test]
fn a_planned_machine_that_is_not_in_the_listing_is_not_forgotten() {
    let mut doc = fixture::planned();
    doc.mode = Mode::Apply;
    let missing = "1 planned, not in the listing";
    assert!(!table(&doc, &plain(120)).contains(missing));
    doc.instances.remove(0);
    assert!(table(&doc, &plain(120)).contains(missing));
}

#[test]
fn fl_128_the_foot_carries_the_last_complete_run() {
    let mut doc = fixture::acted();
    assert!(table(&doc, &plain(120)).contains("last complete run Sun 29 Nov 2026 09:00 CET"));
    doc.last_complete_run = None;
    assert!(table(&doc, &plain(120)).contains("no complete run is recorded"));
}

#[test]
fn an_audit_shows_no_actions_and_the_case_of_each_orphan() {
    let mut doc = fixture::planned();
    doc.mode = Mode::Audit;
    doc.plan = None;
    doc.mails.clear();
    let text = table(&doc, &plain(120));
    assert!(text.starts_with("5 orphans of 10 machines"));
    assert!(!text.contains("\nACTIONS") && !text.contains("\nNOTICED"));
    let case = "case   noticed (rule ownerless) · notice accepted Fri 27 Nov 2026 08:00 CET";
    assert!(text.contains(case), "{text}");
}
