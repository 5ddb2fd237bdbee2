//! Every recorded answer is read: those of OVHcloud's public fixtures, where their folder is named.

use std::path::Path;

use reaper_http::{Answer, Call, HeaderMap, StatusCode, Url};
use reaper_model::{Meter, Purchase};
use reaper_provider::ErrorKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use reaper_http::Lenient;

use crate::book::Book;
use crate::{error, stop, wire};

#[derive(Debug, Deserialize)]
struct Recording {
    file: String,
    method: String,
    path: String,
    status: String,
}

/// The name of the environment variable is the folder's, not this program's: only this test reads
/// it.
#[expect(clippy::disallowed_methods, reason = "a test that needs a folder outside of the crate")]
fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os("REAPER_RECORDED").map(|root| Path::new(&root).join("ovhcloud"))
}

#[test]
fn every_recorded_answer_is_read() {
    let Some(folder) = folder() else { return };
    let mut index = csv::ReaderBuilder::new()
        .delimiter(b'\t')
        .quoting(false)
        .from_path(folder.join("index.tsv"))
        .expect("an index");
    let mut read = 0;
    for recording in index.deserialize() {
        let recording: Recording = recording.expect("a row");
        let body = std::fs::read(folder.join(&recording.file)).expect("a file");
        check(&recording, &body);
        read += 1;
    }
    assert!(read >= 50, "{read} recordings");
}

fn check(recording: &Recording, body: &[u8]) {
    let file = &recording.file;
    // What no adapter calls must be JSON, and that is all.
    let Ok(status) = recording.status.parse::<u16>() else {
        return decoded::<serde_json::Value>(file, body);
    };
    if status >= 400 {
        return refused(file, status, body);
    }
    let path = recording.path.split(['?', ' ']).next().unwrap_or_default();
    let tail = path.rsplit("0123456789ab4cdef0123456789abcde").next().unwrap_or_default();
    match (recording.method.as_str(), tail) {
        ("GET", "/instance") if path.starts_with("/1.0/") => all_good::<wire::Instance>(file, body),
        ("GET", tail) if tail.starts_with("/instance/") && path.ends_with(['}', '1']) => {
            let instance: wire::Instance = serde_json::from_slice(body).expect(file);
            assert!(instance.id.good().is_some() && !instance.image.is_bad(), "{file}");
            assert!(instance.flavor.good().is_some_and(|flavor| flavor.name.good().is_some()));
            let word = instance.status.good().expect(file);
            let (_, meter) = stop::state(word, &Purchase::OnDemand);
            assert_eq!(meter == Meter::StoppedFree, word.starts_with("SHELVED"), "{file}");
            assert_ne!(meter, Meter::Unknown, "{file}");
        }
        ("GET", "/volume") => things::<wire::Volume>(file, body, |volume| &volume.thing),
        ("GET", "/volume/snapshot") => {
            things::<wire::Snapshot>(file, body, |snapshot| &snapshot.thing);
        }
        ("GET", "/snapshot") => things::<wire::Image>(file, body, |image| &image.thing),
        ("GET", tail) if tail.ends_with("/floatingip") => {
            all_good::<wire::FloatingIp>(file, body);
        }
        ("GET", tail) if tail.ends_with("/monitoring") => {
            let measured: wire::Monitoring = serde_json::from_slice(body).expect(file);
            assert!(measured.unit.good().is_some() && !measured.values.is_empty(), "{file}");
            let point = measured.values[0].good().expect(file);
            assert!(point.timestamp.good().is_some() && point.value.good().is_some(), "{file}");
        }
        ("GET", "/flavor") => all_good::<wire::Flavor>(file, body),
        ("GET", "/kube") => all_good::<String>(file, body),
        ("GET", "/kube/kube-12345/node") => all_good::<wire::Node>(file, body),
        ("GET", "") => {
            let project: wire::Project = serde_json::from_slice(body).expect(file);
            assert!(project.iam.good().is_some_and(|iam| iam.tags.good().is_some()), "{file}");
        }
        ("GET", "/usage/current" | "/usage/forecast") => {
            let usage: wire::Usage = serde_json::from_slice(body).expect(file);
            let period = usage.period.good().expect(file);
            assert!(period.from.good().is_some() && period.to.good().is_some(), "{file}");
            assert!(usage.last_update.good().is_some(), "{file}");
            assert!(!usage.hourly.is_bad() && !usage.monthly.is_bad(), "{file}");
        }
        ("GET", "/1.0/auth/time") => decoded::<i64>(file, body),
        ("POST", _) => decoded::<wire::Token>(file, body),
        (_, tail) if tail.contains("/order/catalog/") => decoded::<Book>(file, body),
        _ => decoded::<serde_json::Value>(file, body),
    }
}

/// All of them have an id, a region, a size and a date, whatever era they are of.
fn things<T: DeserializeOwned>(file: &str, body: &[u8], thing: impl Fn(&T) -> &wire::Thing) {
    let list: Vec<Lenient<T>> = serde_json::from_slice(body).expect(file);
    assert!(!list.is_empty(), "{file}");
    for one in &list {
        let thing = thing(one.good().expect(file));
        assert!(thing.id.good().is_some() && thing.region.good().is_some(), "{file}");
        assert!(thing.size.good().is_some(), "{file}");
        let date = thing.creation_date.good().or_else(|| thing.created.good());
        assert!(date.is_some(), "{file}");
    }
}

fn decoded<T: DeserializeOwned>(file: &str, body: &[u8]) {
    if let Err(problem) = serde_json::from_slice::<T>(body) {
        panic!("{file}: {problem}");
    }
}

fn all_good<T: DeserializeOwned + std::fmt::Debug>(file: &str, body: &[u8]) {
    let list: Vec<Lenient<T>> = serde_json::from_slice(body).expect(file);
    assert!(!list.is_empty() && list.iter().all(|entry| entry.good().is_some()), "{file}");
}

fn refused(file: &str, status: u16, body: &[u8]) {
    let url = Url::parse("https://eu.api.ovh.com/1.0/x").expect("valid");
    let call = Call::read("ovhcloud:GET /x", url);
    let answer = Answer {
        status: StatusCode::from_u16(status).expect("valid"),
        headers: HeaderMap::new(),
        body: bytes::Bytes::copy_from_slice(body),
    };
    let kind = error::refusal(&call, &answer).kind;
    let fits = match file.trim_end_matches(".json").rsplit("error_").next().unwrap_or_default() {
        "400_invalid_signature"
        | "403_invalid_credential"
        | "403_not_credential"
        | "400_oauth2_invalid_client" => kind == ErrorKind::CredentialsRejected,
        "400_query_time_out" => kind == ErrorKind::ClockSkew,
        "503_oauth2_html.txt" => kind == ErrorKind::ServerFault,
        "400_with_query_id" => kind == ErrorKind::Invalid,
        name if name.starts_with("403_") => matches!(kind, ErrorKind::Denied { .. }),
        _ => false,
    };
    assert!(fits, "{file}: {kind:?}");
}
