//! What the notices say, and to whom, as a real mail server received them.

use super::Stage;
use super::stage::Post;
use crate::support::ORGANISATION;

const ENFORCE: &str = "reaper run --enforce --format json";

/// Machines without a project are stopped, whosever they are.
fn config(accounts: &str) -> String {
    format!(
        "timezone = \"Europe/Amsterdam\"\n{accounts}\n${{mail}}\n\
         [owners]\ndomain = \"example.org\"\nfallback = \"gpu-team@example.org\"\n\
         [limits]\nmax_share = \"100%\"\n\
         [[rule]]\nname = \"no-project\"\nwhen = {{ missing_tags = [\"project\"] }}\n\
         action = \"stop\"\nnotice = \"3d\"\n"
    )
}

fn machine(id: &str, tags: &str) -> String {
    format!(
        "[[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\nid = \"{id}\"\n\
         type = \"p3.2xlarge\"\nlaunched = \"240h\"\ntags = {{ {tags} }}\n"
    )
}

async fn stage(accounts: &str, world: &str) -> Stage {
    let clouds: String =
        accounts.lines().filter(|line| line.starts_with("${")).collect::<Vec<_>>().join("\n");
    Stage::new("2026-12-01T08:00:00Z", &format!("{clouds}\n{world}"), &config(accounts)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_135_each_owner_reads_of_their_own_machines_alone() {
    let world: String = [
        machine("i-0a1", "Name = \"one\", owner = \"alice\""),
        machine("i-0a2", "Name = \"two\", owner = \"ALICE@example.org\""),
        machine("i-0b1", "Name = \"three\", owner = \"bob\""),
        machine("i-0c1", "Name = \"four\""),
        format!(
            "[[scaleway.server]]\norganization = \"{ORGANISATION}\"\nzone = \"fr-par-2\"\n\
             id = \"s-0a3\"\nname = \"five\"\ntype = \"L4-1-24G\"\ncreated = \"240h\"\n\
             tags = [\"owner=alice\"]\n"
        ),
    ]
    .concat();
    let mut stage = stage("${aws}\n${scaleway}", &world).await;
    stage.run(ENFORCE).exits(0);
    let all = ["i-0a1", "i-0a2", "i-0b1", "i-0c1", "s-0a3"];
    let mut letters: Vec<(String, Vec<&str>)> = stage
        .mails()
        .into_iter()
        .map(|mail| {
            let named = all.into_iter().filter(|id| mail.text.contains(id)).collect();
            (mail.to.to_lowercase(), named)
        })
        .collect();
    letters.sort();
    assert_eq!(
        letters,
        [
            ("alice@example.org".to_owned(), vec!["i-0a1", "i-0a2", "s-0a3"]),
            ("bob@example.org".to_owned(), vec!["i-0b1"]),
            ("gpu-team@example.org".to_owned(), vec!["i-0c1"]),
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_says_when_how_to_keep_it_and_how_to_start_it_again() {
    let mut stage = stage("${aws}", &machine("i-0a1", "Name = \"one\", owner = \"alice\"")).await;
    stage.run(ENFORCE).exits(0);
    let mails = stage.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    for words in [
        "Fri 4 Dec 2026 09:00",
        "one",
        "i-0a1",
        "p3.2xlarge",
        "720.00 EUR",
        "reaper keep ",
        "start-instances",
    ] {
        assert!(mail.text.contains(words), "{words}: {}", mail.text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_of_a_termination_says_that_local_data_is_lost() {
    let world = "[[lambda.instance]]\naccount = \"burst\"\nregion = \"us-east-1\"\nid = \"l-0a1\"\n\
                 type = \"gpu_1x_a10\"\nlaunched = \"240h\"\ntags = { owner = \"alice\" }\n";
    let mut stage = stage("${lambda}\nallow_terminate = true", world).await;
    stage.run(ENFORCE).exits(0);
    let mails = stage.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.subject.contains("terminated"), "{}", mail.subject);
    assert!(mail.text.contains("local disks"), "{}", mail.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_044_a_machine_that_appeared_after_a_stop_is_told_of_with_its_price() {
    let twin = "act = { outcome = \"twin\" }\n";
    let world = machine("i-0a1", "Name = \"one\", owner = \"alice\"") + twin;
    let mut stage = stage("${aws}", &world).await;
    stage.run(ENFORCE).exits(0);
    assert_eq!(stage.mails().len(), 1);
    stage.at("2026-12-04T08:00:00Z");
    stage.run(ENFORCE).exits(0);
    assert!(stage.mails().is_empty());
    stage.at("2026-12-05T08:00:00Z");
    stage.run(ENFORCE).exits(0);
    let mails = stage.mails();
    let [mail] = mails.as_slice() else { panic!("{mails:?}") };
    assert!(mail.text.contains("after a machine was stopped"), "{}", mail.text);
    assert!(mail.text.contains("2,190.00 EUR"), "{}", mail.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_119_a_second_copy_is_known_as_one() {
    let mut stage = stage("${aws}", &machine("i-0a1", "owner = \"alice\"")).await;
    stage.serve_mail(Post::Cut);
    let document = stage.run(ENFORCE).exits(6).json();
    assert_eq!(document["mails"][0]["status"], "possibly-sent");
    let first = stage.mails();
    stage.serve_mail(Post::Up);
    stage.at("2026-12-02T08:00:00Z");
    stage.run(ENFORCE).exits(0);
    let second = stage.mails();
    let ids = |mails: &[crate::support::Mail]| -> Vec<String> {
        mails.iter().map(|mail| mail.id.clone()).collect()
    };
    assert_eq!(ids(&first).len(), 1);
    assert_eq!(ids(&first), ids(&second));
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_031_without_anybody_to_tell_enforcing_is_refused_at_start() {
    let mut stage = stage("${aws}", &machine("i-0a1", "Name = \"one\"")).await;
    stage.run("sed -i '/^fallback/d' reaper.toml").exits(0);
    let before = stage.cloud.requests().len();
    let ran = stage.run(ENFORCE);
    assert_eq!(ran.code, 3, "{}", ran.all());
    assert!(ran.stderr.contains("owners.fallback"), "{}", ran.stderr);
    assert_eq!(stage.cloud.requests().len(), before, "before anything is asked");
    assert!(stage.mails().is_empty());
}
