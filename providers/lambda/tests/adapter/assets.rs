//! File systems: who uses them, what they cost, and what is not known of them.

use reaper_model::{Asset, AssetKind, Fact, Ignorance, Tags, User};

use crate::support::{answer, assets, cloud, list, machine, open, settings};

const SYSTEMS: &str = "GET /api/v1/file-systems";

fn file_system(id: &str, name: &str, bytes: u64) -> String {
    format!(
        "[[lambda.file_system]]\naccount = \"burst\"\nid = \"{id}\"\nname = \"{name}\"\n\
         region = \"us-west-1\"\nbytes_used = {bytes}\ncreated = \"2160h\"\n\
         created_by = \"bob@example.org\"\n"
    )
}

fn find<'a>(all: &'a [Asset], id: &str) -> &'a Asset {
    all.iter().find(|asset| asset.id.native == id).expect("there")
}

/// The cost of a month, or why it is not known.
fn cost(asset: &Asset) -> String {
    match &asset.per_month {
        Fact::Known { value, .. } => value.to_string(),
        Fact::Absent { .. } => "none".to_owned(),
        Fact::Unknown(gap) => gap.to_string(),
    }
}

#[tokio::test]
async fn fl_055_a_file_system_is_a_machines_or_nobodys_and_has_its_price() {
    let cloud = cloud(
        &[
            file_system("f1", "data", 100 << 30),
            file_system("f2", "old-runs", 2048 << 30),
            file_system("f3", "shared", 1 << 30),
            file_system("f4", "new", 0),
            machine("aa", "file_systems = [\"data\", \"shared\"]"),
            machine("bb", "file_systems = [\"shared\"]"),
        ]
        .concat(),
    )
    .await;
    let listed = list(&cloud).await;
    let before = cloud.requests().len();
    let found = assets(listed.provider.as_ref()).await;
    assert_eq!(cloud.requests().len() - before, 1, "at one request per second");
    assert!(found.unread.is_empty(), "{found:?}");
    assert_eq!(found.got.len(), 4);
    assert!(found.got.iter().all(|asset| asset.kind == AssetKind::Filesystem));

    let data = find(&found.got, "f1");
    assert_eq!(data.user, User::Machine("aa".to_owned()));
    assert_eq!((cost(data).as_str(), data.id.location.as_str()), ("20.00 USD", "us-west-1"));
    assert_eq!(data.size_gib.map(|size| size.to_string()).as_deref(), Some("100"));
    // The listing of the machine names it by the same id.
    assert!(listed.machine("aa").attached.iter().any(|held| held.id == "f1"));

    let old = find(&found.got, "f2");
    assert_eq!(old.user, User::Nobody { of: None });
    assert_eq!(cost(old), "409.60 USD");
    let created = old.created_at.value().map(ToString::to_string);
    assert_eq!(created.as_deref(), Some("2026-08-30 09:00:00 UTC"));
    assert_eq!(old.detached_at.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    let maker = old.tags.value().and_then(|tags: &Tags| tags.exact("created_by"));
    assert_eq!(maker, Some("bob@example.org"));

    assert_eq!(find(&found.got, "f3").user, User::Other("machines aa, bb".to_owned()));
    let new = find(&found.got, "f4");
    assert_eq!(cost(new), "Lambda shows 0 bytes, a figure that it renews every few hours");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn a_file_system_in_use_is_never_left_behind_whatever_was_listed() {
    let cloud =
        cloud(&[file_system("f1", "data", 1), machine("aa", "file_systems = [\"data\"]")].concat())
            .await;
    // No listing before, so that nobody knows which machine it is.
    let found = assets(open(settings(&cloud)).as_ref()).await;
    assert_eq!(found.got[0].user, User::Other("a machine that was not listed".to_owned()));
    // A listing that knows of the mount is believed before an older "not in use".
    let listed = list(&cloud).await;
    answer(
        &cloud,
        SYSTEMS,
        200,
        r#"{"data":[{"id":"f1","name":"data","is_in_use":false,"region":{"name":"us-west-1"}}]}"#,
    );
    let found = assets(listed.provider.as_ref()).await;
    assert_eq!(found.got[0].user, User::Machine("aa".to_owned()));
}

#[tokio::test]
async fn fl_087_an_odd_file_system_spoils_only_itself() {
    let cloud = cloud("").await;
    let odd = r#"{"data":[{"id":"f1","name":7,"created":"1970-01-01T00:00:00Z","created_by":"bob",
        "is_in_use":"no","region":null,"bytes_used":"many","new":[]},
        {"id":null,"is_in_use":false}, 7, {"id":"f2","is_in_use":false,"bytes_used":1073741824}]}"#;
    answer(&cloud, SYSTEMS, 200, odd);
    let found = assets(open(settings(&cloud)).as_ref()).await;
    assert_eq!(found.got.len(), 2);
    let odd = find(&found.got, "f1");
    assert!(matches!(odd.user, User::Unknown(_)), "{odd:?}");
    assert_eq!(odd.id.location.as_str(), "all");
    for gap in [odd.name.gap(), odd.created_at.gap(), odd.per_month.gap()] {
        assert_eq!(gap.map(|gap| gap.kind), Some(Ignorance::Unusable), "{odd:?}");
    }
    assert_eq!(odd.tags.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    assert_eq!(cost(find(&found.got, "f2")), "0.20 USD");
    let said: Vec<_> = found.unread.iter().map(|(kind, gap)| (*kind, gap.to_string())).collect();
    let nameless = "2 of 4 file systems have no readable id".to_owned();
    assert_eq!(said, [(AssetKind::Filesystem, nameless)]);
}

#[tokio::test]
async fn what_cannot_be_read_is_no_empty_list() {
    for (status, body, kind, words) in [
        (
            403,
            r#"{"error":{"code":"global/forbidden","message":"Forbidden."}}"#,
            Ignorance::NotOffered,
            "lambda:ListFilesystems: permission",
        ),
        (500, "{}", Ignorance::ReadFailed, "the provider failed"),
        (200, r#"{"data":null}"#, Ignorance::ReadFailed, "unreadable answer"),
        (200, "[]", Ignorance::ReadFailed, "unreadable answer"),
        (429, "<html>banned</html>", Ignorance::ReadFailed, "throttled"),
    ] {
        let cloud = cloud(&file_system("f1", "data", 1)).await;
        answer(&cloud, SYSTEMS, status, body);
        let found = assets(open(settings(&cloud)).as_ref()).await;
        assert!(found.got.is_empty(), "{found:?}");
        let [(AssetKind::Filesystem, gap)] = &found.unread[..] else { panic!("{found:?}") };
        assert_eq!(gap.kind, kind, "{gap}");
        assert!(gap.why.contains(words), "{gap}");
    }
}
