//! What the Markdown looks like, and what no text from outside can do to it.

mod budgets;
mod limits;
mod week;

use proptest::prelude::*;

use super::markdown;
use crate::fixture;

#[test]
fn a_job_summary() {
    insta::assert_snapshot!(markdown(&fixture::mixed()), @r#"
    ## reaper: 5 orphans of 10 machines

    **2 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far · at least 5,475.00 EUR and 2,401.70 USD a month if left**

    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running · 1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged · use not measured of 1 machine · data as of Mon 30 Nov 2026 09:00 CET

    > [!WARNING]
    > **3 of 6 scopes could not be read in full**
    > - **FAILED** aws/research: eu-west-3 · connection refused
    > - **FAILED** lambda/burst: no location known · credentials refused: HTTP 401
    > - **PARTIAL** scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · at least 221.65 EUR and 240.00 USD a month · 1 without a price

    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ### Orphans

    | Machine | Where | Type | Age | Owner | So far | Per month | Why | Wanted |
    | --- | --- | --- | ---: | --- | ---: | ---: | --- | --- |
    | <code>finetune-llama-do-not-delete</code><br><code>6ba7b810-9dad-11d1-80b4-00c04fd430c8</code> | ovhcloud/lab/GRA11 | <code>h100-380</code><br>1×H100 | 30d 0h | bob (departed) | 1,440.00 EUR | 1,460.00 EUR | stopped but billed: "SHUTOFF" still costs the full price<br>no tag \`owner\` or \`created-by\`; up 30d 0h, older than 2h (ownerless) | stop<br>saves 1,460.00 EUR of compute a month |
    | <code>Überwachung-größe-日本</code><br><code>f47ac10b-58cc-4372-a567-0e02b2c3d479</code> | scaleway/poc/fr-par-2 | <code>L40S-1-48G</code><br>1×L40S | 2d 2h | none | 100.00 EUR | 1,460.00 EUR | stopped but billed: "stopped in place" still costs the full price<br>no tag \`owner\` or \`created-by\`; up 30d 0h, older than 2h (ownerless) | stop<br>saves 1,460.00 EUR of compute a month |
    | <code>notebook-test</code><br><code>i-0abc1234def567890</code> | aws/research/eu-west-1 | <code>p4d.24xlarge</code><br>8×A100 | 30d 0h | none | 2,520.00 EUR | 2,555.00 EUR | no tag \`owner\` or \`created-by\`; up 30d 0h, older than 2h (ownerless)<br>idle: 8 of 8 GPUs never above 2 % in the last 6 h, 98 % of samples present, source DCGM in Prometheus; held: up to 22 GiB of a GPU's memory in use | stop<br>saves 2,555.00 EUR of compute a month<br>loses the data on local disks<br>still charged: 2 volumes, 1 address (at least 83.65 EUR a month) |
    | <code>sweep</code><br><code>0920582c7ff041399e34823a0be62549</code> | lambda/burst/us-east-3 | <code>gpu\_1x\_h100\_sxm5</code><br>1×H100 | 1d 0h | alice | 78.96 USD | 2,401.70 USD | GPU use at most 1.5% for 6h (coverage 100%) (idle)<br>idle (no process, no memory in use) | stop<br>saves 2,401.70 USD of compute a month<br>ends the machine: needs allow\_terminate |
    | <code>old-experiment</code><br><code>i-0dead00000000beef</code> | aws/research/us-east-1 | <code>g5.12xlarge</code><br>4×A10G | 30d 0h | none | - | not billed | stopped<br>no tag \`owner\` or \`created-by\`; up 30d 0h, older than 2h (ownerless) | report<br>still charged: volume vol-03: 40.00 EUR a month |

    ### Left behind

    | What | Kind | Where | Age | Owner | Of | Per month |
    | --- | --- | --- | --- | --- | --- | ---: |
    | <code>datasets</code><br><code>398578a2336b49079e74043f0bd2cfe8</code> | file system<br>1200 GiB | lambda/burst/us-east-3 | age 200d 0h (counted from its creation: since when nobody uses it is not told) | none | - | 240.00 USD |
    | <code>scratch-llama</code><br><code>vol-0a1b2c3d4e5f67890</code> | volume<br>2000 GiB | aws/research/eu-west-1 | unused for 41d 2h | alice | belonged to i-0123456789abcdef0 | 190.00 EUR |
    | <code>finetune-shelved</code><br><code>0c7a1d0e-53a1-4d0c-8f0e-0f3a8c1d2e3f</code> | snapshot<br>400 GiB | ovhcloud/lab/GRA11 | age 3d 0h (counted from its creation: since when nobody uses it is not told) | bob (departed) | left by our stop of 6ba7b810-9dad-11d1-80b4-00c04fd430c8 | 26.00 EUR |
    | <code>jupyter-2025</code><br><code>ami-0aa11bb22cc33dd44</code> | image<br>120 GiB | aws/research/us-east-1 | age 12d 0h (counted from its creation: since when nobody uses it is not told) | none | - | 5.65 EUR |
    | <code>-</code><br><code>192.0.2.17</code> | address | scaleway/poc/fr-par-2 | age unknown: the provider tells no time of addresses | none | - | unknown<br>the price list has no addresses of this place |

    at least 221.65 EUR and 240.00 USD a month · unused and charged; reported, never removed

    ### Advice

    | Machine | Where | Type | Owner | Advice | Confidence | Saves a month |
    | --- | --- | --- | --- | --- | --- | ---: |
    | <code>eks-node</code><br><code>i-0cccc3333cccc3333</code> | aws/research/us-east-1 | <code>p5.48xlarge</code><br>8×H100<br>spot | alice | oversized<br>mean use 9 % over the last 7 days, at most 22 of 80 GiB of memory in use on each GPU: g6e.48xlarge (8×L40S) would do | high | 8,760.00 EUR |
    | <code>eks-node</code><br><code>i-0cccc3333cccc3333</code> | aws/research/us-east-1 | <code>p5.48xlarge</code><br>8×H100<br>spot | alice | idle-cards<br>2 of 8 GPUs did nothing in the last 7 days | low | 1,460.00 EUR |
    | <code>sweep</code><br><code>0920582c7ff041399e34823a0be62549</code> | lambda/burst/us-east-3 | <code>gpu\_1x\_h100\_sxm5</code><br>1×H100 | alice | notebook<br>a notebook by its name, on an H100: gpu\_1x\_a10 is enough to explore | medium | 1,850.00 USD |
    | <code>notebook-test</code><br><code>i-0abc1234def567890</code> | aws/research/eu-west-1 | <code>p4d.24xlarge</code><br>8×A100 | none | hours<br>111 hours are left in this week: 388.50 EUR if nobody switches it off | high | - |

    never acted upon; savings are of compute and do not add up

    <details>
    <summary>5 other machines</summary>

    | Machine | Verdict | Where | Type | Age | Owner | Per month | Why |
    | --- | --- | --- | --- | ---: | --- | ---: | --- |
    | <code>-</code><br><code>i-0ffff0000ffff0000</code> | unjudged | aws/research/eu-west-1 | <code>p9x.192xlarge</code><br>GPUs unknown | unknown | unreadable | unknown | unknown (HIBERNATING\_DEEP), counted as billed<br>ownerless: tags could not be read<br>GPUs unknown: the provider does not describe this type<br>age unknown: the launch time is in the future<br>price unknown: no list price for p9x.192xlarge |
    | <code>demo-customer</code><br><code>i-0aaaa1111aaaa1111</code> | exempt | aws/research/eu-west-1 | <code>g6.xlarge</code><br>1×L4 | 30d 0h | alice | 584.00 EUR | exempt until 2026-12-24 (alice: customer demo) |
    | <code>prod-inference</code><br><code>i-0bbbb2222bbbb2222</code> | protected | aws/research/eu-west-1 | <code>g5.xlarge</code><br>1×A10G | 30d 0h | alice | 730.00 EUR | protected by tag \`reaper-keep\` |
    | <code>eks-node</code><br><code>i-0cccc3333cccc3333</code> | managed | aws/research/us-east-1 | <code>p5.48xlarge</code><br>8×H100<br>spot | 30d 0h | alice | 29,200.00 EUR | owned by autoscaling-group gpu-workers: change its desired capacity<br>use unknown: no samples since 14:00, 12 % of the window measured |
    | <code>train-7b</code><br><code>1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed</code> | ok | scaleway/poc/fr-par-2 | <code>H100-SXM-8-80G</code><br>8×H100-SXM | 30d 0h | alice | 4,380.00 EUR | no rule says yes<br>busy: peak 96.0% in the last 6h |

    </details>

    ### Scopes

    - **FAILED** aws/research: eu-west-3 · connection refused
    - **FAILED** lambda/burst: no location known · credentials refused: HTTP 401
    - **PARTIAL** scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503
    - **skipped** aws/research: af-south-1, ap-east-1 · not enabled in this account
    - **complete** aws/research: eu-west-1, us-east-1
    - **complete** ovhcloud/lab: GRA11

    ### Warnings

    - no price for this type: add a \[\[price\]\] entry · p9x.192xlarge

    ### Basis

    - costs: estimates: list price × hours of the present run; disks, addresses and traffic not included
    - prices: built-in price list of 2026-11-01 (9 machines)
    - rates: 1 GBP = 1.14 EUR of 2026-11-28
    - 1 machine ended lately
    - use: asked of 4 machines: 2 idle, 1 busy, 1 unknown · over 6h · measured by DCGM in Prometheus · not measured of 1 machine
    - no complete run is recorded
    - run: 2026-11-30 09:00 +01:00 (Europe/Amsterdam) · configuration reaper.toml (sha256:0123456789ab) · nothing was changed: an audit only reports · exit code 4: incomplete, findings
    - reaper 0.1.0, run r-1
    "#);
}

#[test]
fn fl_152_a_braked_run() {
    let text = markdown(&fixture::braked());
    insta::assert_snapshot!(text.split_once("### Orphans").expect("orphans").0, @r"
    > [!CAUTION]
    > **NOTHING WAS DONE: the brake held every action**
    > - 2 of 10 machines are to be acted upon, limits.max\_share is 15 %
    > - nothing is done: look at the plan, then allow it with --expect 2 or raise the limit

    ## reaper: stopped none of 10 machines

    **2 held by the brake · 1 noticed**

    **found 5 orphans of 10 machines · 2 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far · at least 5,475.00 EUR and 2,401.70 USD a month if left**

    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running · 1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged · use not measured of 1 machine · data as of Mon 30 Nov 2026 09:00 CET

    > [!WARNING]
    > **3 of 6 scopes could not be read in full**
    > - **FAILED** aws/research: eu-west-3 · connection refused
    > - **FAILED** lambda/burst: no location known · credentials refused: HTTP 401
    > - **PARTIAL** scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · at least 221.65 EUR and 240.00 USD a month · 1 without a price

    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ### Actions

    | Machine | Outcome | Where | Type | Owner | Call | Due | Money |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | <code>notebook-test</code><br><code>i-0abc1234def567890</code> | held by the brake | aws/research/eu-west-1 | <code>p4d.24xlarge</code><br>8×A100 | none | <code>ec2:StopInstances</code><br>rule ownerless | Mon 30 Nov 2026 08:00 CET | would save 2,555.00 EUR a month (compute only)<br>still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month)<br>loses the data on local disks |
    | <code>sweep</code><br><code>0920582c7ff041399e34823a0be62549</code> | held by the brake | lambda/burst/us-east-3 | <code>gpu\_1x\_h100\_sxm5</code><br>1×H100 | alice | <code>POST /instance-operations/terminate</code><br>rule idle | Mon 30 Nov 2026 08:00 CET | would save 2,401.70 USD a month (compute only)<br>loses everything on the machine |

    ### Waiting

    | Machine | State | Due | Where | Type | Owner | Why |
    | --- | --- | --- | --- | --- | --- | --- |
    | <code>finetune-llama-do-not-delete</code><br><code>6ba7b810-9dad-11d1-80b4-00c04fd430c8</code> | noticed<br>a notice was accepted, and its period runs | Thu 3 Dec 2026 09:00 CET | ovhcloud/lab/GRA11 | <code>h100-380</code><br>1×H100 | bob (departed) | will be stopped when it is due |
    | <code>old-experiment</code><br><code>i-0dead00000000beef</code> | contested<br>started again after our action: left alone | - | aws/research/us-east-1 | <code>g5.12xlarge</code><br>4×A10G | none | contested: started again twice after our stops |
    | <code>Überwachung-größe-日本</code><br><code>f47ac10b-58cc-4372-a567-0e02b2c3d479</code> | found<br>no notice of an action has been given | - | scaleway/poc/fr-par-2 | <code>L40S-1-48G</code><br>1×L40S | none | report only: a stop would erase the scratch volume, and nobody agreed |
    ");
}

#[test]
fn a_run_with_results() {
    let text = markdown(&fixture::acted());
    insta::assert_snapshot!(text.split_once("### Orphans").expect("orphans").0, @r"
    ## reaper: stopped 1 of 10 machines

    **saves 2,555.00 EUR a month (compute only) · 1 NOT CONFIRMED · 1 REFUSED · 1 skipped: changed · 1 noticed · 1 mail accepted · 2 mails NOT DELIVERED**

    **found 5 orphans of 10 machines · 2 stopped but billed · at least 4,060.00 EUR and 78.96 USD wasted so far · at least 5,475.00 EUR and 2,401.70 USD a month if left**

    10 machines in 4 scopes · at least 58.36 EUR and 3.29 USD an hour running · 1 billed machine unpriced: the sums are lower bounds · 1 machine could not be judged · use not measured of 1 machine · data as of Mon 30 Nov 2026 09:00 CET

    > [!WARNING]
    > **3 of 6 scopes could not be read in full**
    > - **FAILED** aws/research: eu-west-3 · connection refused
    > - **FAILED** lambda/burst: no location known · credentials refused: HTTP 401
    > - **PARTIAL** scaleway/poc: fr-par-2 · page 2 of 3: HTTP 503

    5 left behind: 1 volume, 1 address, 1 snapshot, 1 image, 1 file system · at least 221.65 EUR and 240.00 USD a month · 1 without a price

    4 pieces of advice for 3 machines, the best saves 8,760.00 EUR a month (compute only)

    ### Actions

    | Machine | Outcome | Where | Type | Owner | Call | Due | Money |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | <code>notebook-test</code><br><code>i-0abc1234def567890</code> | stopped, confirmed<br>the provider shows \`stopped\` | aws/research/eu-west-1 | <code>p4d.24xlarge</code><br>8×A100 | none | <code>ec2:StopInstances</code><br>rule ownerless | Mon 30 Nov 2026 08:00 CET | saves 2,555.00 EUR a month (compute only)<br>still charged afterwards: 2 volumes, 1 address (at least 83.65 EUR a month)<br>loses the data on local disks |
    | <code>finetune-llama-do-not-delete</code><br><code>6ba7b810-9dad-11d1-80b4-00c04fd430c8</code> | skipped: changed<br>not touched: its tags have changed since the plan | ovhcloud/lab/GRA11 | <code>h100-380</code><br>1×H100 | bob (departed) | <code>-</code><br>rule ownerless | Thu 3 Dec 2026 09:00 CET | would save 1,460.00 EUR a month (compute only) |
    | <code>Überwachung-größe-日本</code><br><code>f47ac10b-58cc-4372-a567-0e02b2c3d479</code> | REFUSED<br>stop denied by provider policy (instances:poweroff) | scaleway/poc/fr-par-2 | <code>L40S-1-48G</code><br>1×L40S | none | <code>poweroff</code><br>rule ownerless | Mon 30 Nov 2026 08:00 CET | would save 1,460.00 EUR a month (compute only) |
    | <code>sweep</code><br><code>0920582c7ff041399e34823a0be62549</code> | NOT CONFIRMED<br>called at 09:00; after 10m it was still \`terminating\` | lambda/burst/us-east-3 | <code>gpu\_1x\_h100\_sxm5</code><br>1×H100 | alice | <code>POST /instance-operations/terminate</code><br>rule idle | Mon 30 Nov 2026 08:00 CET | would save 2,401.70 USD a month (compute only)<br>loses everything on the machine |

    ### Waiting

    | Machine | State | Due | Where | Type | Owner | Why |
    | --- | --- | --- | --- | --- | --- | --- |
    | <code>old-experiment</code><br><code>i-0dead00000000beef</code> | noticed<br>a notice was accepted, and its period runs | Thu 3 Dec 2026 09:00 CET | aws/research/us-east-1 | <code>g5.12xlarge</code><br>4×A10G | none | will be stopped when it is due |

    ### Mails

    - **accepted** bob&#64;example.org · notice about 1 machine · reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake
    - **REJECTED** gpu-team&#64;example.org · notice about 1 machine · reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake · 550 no such user
    - **POSSIBLY SENT** ann&#64;example.org · notice about 1 machine · reaper: 1 machine will be stopped, Thu 3 Dec 09:00 CET, 1,460.00 EUR a month at stake · the connection broke after the text
    ");
}

#[test]
fn fl_149_nothing_found_is_said_with_what_was_looked_at() {
    let text = markdown(&fixture::nothing_found());
    assert!(
        text.starts_with("## reaper: nothing found\n\n**2 machines in 2 scopes · 7.00 EUR an hour")
    );
}

#[test]
fn fl_133_a_hostile_name_leaves_the_table_intact() {
    let text = markdown(&fixture::nasty());
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| <code>")).collect();
    let doc = fixture::nasty();
    let advice: usize = doc.instances.iter().map(|machine| machine.advice.len()).sum();
    assert_eq!(rows.len(), doc.instances.len() - 1 + doc.leftovers.len() + advice);
    for row in rows {
        let borders = row.replace(r"\\", "").replace(r"\|", "").matches('|').count();
        assert!((8..=10).contains(&borders), "{row}");
        assert!(!row.contains("<img") && row.contains("&lt;img"));
    }
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fl_133_no_text_adds_a_line_or_a_cell(text in fixture::any_text()) {
        let rows = |text: &str| {
            let shown =
                markdown(&fixture::with_text(text)) + &markdown(&fixture::acted_with_text(text));
            let unescaped = |line: &str| line.replace(r"\\", "").replace(r"\|", "");
            shown.lines().map(|line| unescaped(line).matches('|').count()).collect::<Vec<_>>()
        };
        prop_assert_eq!(rows(&text), rows("plain"));
    }
}
