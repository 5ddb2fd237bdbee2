//! Every recorded answer through the adapter. Where they are not at hand, the shapes of the other
//! tests stand for them.

use std::path::PathBuf;

use reaper_model::{Meter, User, Verb};
use reaper_provider::ErrorKind;

use crate::support::{answer, assets, cloud, context, list, machine, open, permit, read, settings};

fn recorded() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the harness says where the recordings lie")]
    std::env::var_os("REAPER_RECORDED").map(|path| PathBuf::from(path).join("lambda"))
}

struct Recording {
    file: String,
    path: String,
    status: u16,
    body: String,
}

/// What the index lists; statuses that nobody noted are server faults.
fn recordings() -> Vec<Recording> {
    let Some(folder) = recorded() else { return Vec::new() };
    let index = std::fs::read_to_string(folder.join("index.tsv")).expect("an index");
    let read = |line: &str| {
        let mut columns = line.split('\t').map(str::to_owned);
        let file = columns.next().expect("a file");
        let path = columns.nth(1).expect("a path");
        let status = columns.next().expect("a status");
        let status = status.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(500);
        let body = std::fs::read_to_string(folder.join(&file)).expect("a recording");
        Recording { file, path, status, body }
    };
    index.lines().skip(1).map(read).filter(|it| it.path != "-").collect()
}

#[tokio::test]
async fn recorded_instances_decode() {
    for recording in recordings().iter().filter(|it| it.path.starts_with("/api/v1/instances")) {
        let one = recording.path.ends_with("{id}");
        let cloud = cloud("").await;
        let body = if one {
            // A single instance has the shape of an entry of the list.
            let single: serde_json::Value = serde_json::from_str(&recording.body).expect("JSON");
            serde_json::json!({ "data": [single["data"]] }).to_string()
        } else {
            recording.body.clone()
        };
        answer(&cloud, "GET /api/v1/instances", 200, &body);
        let listed = list(&cloud).await;
        listed.end.as_ref().expect(&recording.file);
        for machine in &listed.machines {
            assert!(machine.unreadable.is_empty(), "{}: {machine:?}", recording.file);
            assert!(machine.gpu.value().is_some(), "{}: {machine:?}", recording.file);
            assert!(listed.price(&machine.id.native).ends_with(" USD"), "{}", recording.file);
            let new = recording.file.contains("unknown-status");
            assert_eq!(machine.meter == Meter::Unknown, new, "{}: {machine:?}", recording.file);
        }
    }
}

#[tokio::test]
async fn recorded_answers_of_one_machine_and_of_terminate_decode() {
    const ID: &str = "0920582c7ff041399e34823a0be62549";
    for recording in recordings() {
        let cloud = cloud(&machine(ID, "")).await;
        let provider = open(settings(&cloud));
        let before = read(provider.as_ref(), ID).await.expect("there");
        if recording.path.ends_with("/instances/{id}") {
            answer(&cloud, "GET /api/v1/instances/{id}", 200, &recording.body);
            let shown = read(provider.as_ref(), ID).await.expect(&recording.file);
            assert_eq!(shown.id.native, ID, "{}", recording.file);
        } else if recording.path.ends_with("/terminate") {
            let operation = "POST /api/v1/instance-operations/terminate";
            answer(&cloud, operation, recording.status, &recording.body);
            let acted = provider.act(&context(), permit(&before, Verb::Terminate)).await;
            let expected = (recording.status >= 400).then_some(ErrorKind::ServerFault);
            assert_eq!(acted.err().map(|error| error.kind), expected, "{}", recording.file);
        }
    }
}

#[tokio::test]
async fn recorded_keys_and_audit_pages_decode() {
    let cloud = cloud(&machine("0920582c7ff041399e34823a0be62549", "")).await;
    let mut pages = Vec::new();
    for recording in recordings() {
        if recording.path == "/api/v1/ssh-keys" {
            answer(&cloud, "GET /api/v1/ssh-keys", 200, &recording.body);
            let identity = open(settings(&cloud)).identity(&context()).await.expect("keys");
            assert_eq!(identity.account.as_str(), "ssh-key:alice-laptop");
        }
        if recording.path.starts_with("/api/v1/audit-events") {
            pages.push(recording.body);
        }
    }
    for (index, page) in pages.iter().enumerate() {
        let effect = reaper_simcloud::Effect::Answer {
            status: 200,
            body: page.clone(),
            content_type: "application/json".to_owned(),
        };
        let nth = u64::try_from(index + 1).expect("few");
        cloud.add_fault(
            reaper_simcloud::Fault::always(effect).at("GET /api/v1/audit-events").nth(nth),
        );
    }
    if !pages.is_empty() {
        let listed = list(&cloud).await;
        let created = listed.machines[0].created_at.value().map(ToString::to_string);
        assert_eq!(created.as_deref(), Some("2026-09-15 10:30:45.123456 UTC"));
    }
}

#[tokio::test]
async fn recorded_file_systems_decode() {
    for recording in recordings().iter().filter(|it| it.path == "/api/v1/file-systems") {
        let cloud = cloud("").await;
        answer(&cloud, "GET /api/v1/file-systems", 200, &recording.body);
        let found = assets(open(settings(&cloud)).as_ref()).await;
        assert!(found.unread.is_empty() && !found.got.is_empty(), "{}", recording.file);
        for asset in &found.got {
            assert!(asset.created_at.value().is_some(), "{}: {asset:?}", recording.file);
            assert!(asset.per_month.value().is_some(), "{}: {asset:?}", recording.file);
            let maker = asset.tags.value().and_then(|tags| tags.exact("created_by"));
            assert!(maker.is_some(), "{}: {asset:?}", recording.file);
        }
        let unused = found.got.iter().filter(|it| it.user == User::Nobody { of: None });
        assert_eq!(unused.count(), 1, "{}", recording.file);
    }
}

#[tokio::test]
async fn recorded_errors_are_never_an_empty_list() {
    for recording in recordings().iter().filter(|it| it.status >= 400) {
        let cloud = cloud(&machine("aa", "")).await;
        answer(&cloud, "GET /api/v1/instances", recording.status, &recording.body);
        let error = list(&cloud).await.end.expect_err(&recording.file);
        let file = recording.file.as_str();
        let expected = match error.kind {
            ErrorKind::CredentialsRejected => file.contains("_401_"),
            ErrorKind::Denied { .. } => file.contains("_403_"),
            ErrorKind::NotFound => file.contains("_404_"),
            ErrorKind::Throttled => file.contains("_429_"),
            ErrorKind::Conflict => file.contains("_409_") || file.contains("in-use"),
            ErrorKind::Invalid => file.contains("_400_") || file.contains("launch"),
            ErrorKind::ServerFault => {
                file.contains("internal") || file.contains("unknown") || file.contains("provider")
            }
            _ => false,
        };
        assert!(expected, "{file}: {error}");
    }
}
