//! One tag set or removed: the list is replaced, and nobody else's tag is lost.

use reaper_provider::{Delivery, ErrorKind, ProviderError};
use reaper_simcloud::scaleway::Server;
use reaper_simcloud::{Effect, Fault, Trigger};
use serde_json::json;

use crate::common::{Cloud, ORGANIZATION, ZONE, context, now, pinned};

const UPDATE: &str = "PATCH /instance/v1/zones/{zone}/servers/{id}";
const KEEP: &str = "reaper-keep";

async fn with(tags: &[&str]) -> Cloud {
    let server = Server::new(ORGANIZATION, ZONE, "a", "L4-1-24G");
    let server = tags.iter().fold(server, |server, tag| server.tag(tag));
    Cloud::start(|world| world.add_server(server).expect("new")).await
}

impl Cloud {
    async fn tag(&self, value: Option<&str>) -> Result<(), ProviderError> {
        let machine = self.read("a").await?;
        let permit = pinned().tag(&machine.id, KEEP, value).expect("of this account");
        self.provider().tag(&context(now()), permit).await
    }

    fn tags(&self) -> Vec<String> {
        self.sim.world().scaleway.server_mut("a").expect("there").tags.clone()
    }
}

#[tokio::test]
async fn fl_036_a_tag_is_set_changed_and_removed_and_all_others_stay() {
    let others = ["owner=a=b", "AUTHORIZED_KEY=ssh-rsa_A", "word", " x : y "];
    let cloud = with(&others).await;
    assert_eq!(cloud.provider().tag_call(), Some("scaleway:UpdateServer"));
    for until in ["2026-12-24", "2027-01-31"] {
        cloud.tag(Some(until)).await.expect("taken");
        let entry = format!("reaper-keep={until}");
        assert_eq!(cloud.tags(), [&others[..], &[entry.as_str()]].concat());
        let read = cloud.read("a").await.expect("there");
        assert_eq!(read.tags.value().and_then(|tags| tags.exact(KEEP)), Some(until));
    }
    cloud.tag(None).await.expect("taken");
    assert_eq!(cloud.tags(), others);
    let requests = cloud.requests();
    assert_eq!((requests.changing().len(), requests.of(UPDATE).len()), (3, 3));
    for update in requests.of(UPDATE) {
        let body: serde_json::Value = serde_json::from_slice(&update.body).expect("JSON");
        let fields: Vec<_> = body.as_object().expect("an object").keys().collect();
        assert_eq!(fields, ["tags"], "nothing else of the server is sent");
    }
}

#[tokio::test]
async fn what_is_as_wanted_already_is_not_sent() {
    let cloud = with(&["reaper-keep=2026-12-24"]).await;
    cloud.tag(Some("2026-12-24")).await.expect("nothing to do");
    assert!(cloud.requests().changing().is_empty());
    let cloud = with(&["owner=alice"]).await;
    cloud.tag(None).await.expect("nothing to do");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn the_list_is_read_anew_and_one_that_cannot_be_read_is_not_touched() {
    let cloud = with(&["owner=alice"]).await;
    let machine = cloud.read("a").await.expect("there");
    cloud.sim.world().scaleway.server_mut("a").expect("there").tags = vec!["owner=bob".into()];
    let permit = pinned().tag(&machine.id, KEEP, Some("true")).expect("of this account");
    cloud.provider().tag(&context(now()), permit).await.expect("taken");
    assert_eq!(cloud.tags(), ["owner=bob", "reaper-keep=true"]);

    for odd in [json!({ "tags": ["owner=alice", 3] }), json!({ "tags": null })] {
        let cloud = with(&["owner=alice"]).await;
        cloud.sim.world().scaleway.server_mut("a").expect("there").patch = Some(odd.to_string());
        let error = cloud.tag(Some("true")).await.expect_err("unreadable");
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert!(cloud.requests().changing().is_empty());
    }
}

#[tokio::test]
async fn fl_042_tags_that_were_not_taken_are_an_error() {
    let cloud = with(&["owner=alice"]).await;
    // Somebody else's list lands at the same moment and wins.
    cloud.sim.on_request(Trigger::after(UPDATE), |world| {
        world.scaleway.server_mut("a").expect("there").tags = vec!["owner=bob".into()];
    });
    let body = json!({ "server": { "id": "a", "tags": ["owner=bob"] } }).to_string();
    let masked = Effect::Masked { status: 200, body, content_type: "application/json".into() };
    cloud.sim.add_fault(Fault::always(masked).at(UPDATE));
    let error = cloud.tag(Some("true")).await.expect_err("not there");
    assert_eq!((error.kind, error.delivery), (ErrorKind::Inconsistent, Delivery::Answered));
}

#[tokio::test]
async fn fl_047_a_tag_needs_the_right_to_write() {
    let cloud = with(&[]).await;
    let read_only = vec!["instance".to_owned()];
    cloud.sim.world().scaleway.organization_mut(ORGANIZATION).expect("there").read_only = read_only;
    let error = cloud.tag(Some("true")).await.expect_err("denied");
    assert_eq!(error.kind, ErrorKind::Denied { permission: "InstancesFullAccess".to_owned() });
}
