//! Odd answers: one machine's oddities are its own, and nothing odd becomes an empty list.

use reaper_model::{Ignorance, Meter, State};
use reaper_provider::ErrorKind;

use crate::support::{answer, cloud, list, list_of, machine};

#[tokio::test]
async fn fl_086_one_new_word_does_not_spoil_the_others() {
    let mut fleet: Vec<String> = (0..9).map(|index| machine(&format!("a{index}"), "")).collect();
    fleet.push(machine("b", "status = \"HIBERNATING_DEEP\""));
    let listed = list(&cloud(&fleet.concat()).await).await;
    listed.end.as_ref().expect("complete");
    assert_eq!(listed.machines.len(), 10);
    let odd = listed.machine("b");
    assert_eq!(odd.provider_state, "HIBERNATING_DEEP");
    assert_eq!((odd.state, odd.meter), (State::Unknown, Meter::Unknown));
    assert_eq!(odd.stop.objections, ["its state `HIBERNATING_DEEP` is not known to this version"]);
    let running = listed.machines.iter().filter(|it| it.meter == Meter::Running).count();
    assert_eq!(running, 9);
}

#[tokio::test]
async fn fl_088_a_booting_machine_with_nulls_is_listed() {
    let patch = r#"patch = '{"name": null, "tags": null, "file_system_mounts": null, "new": [1]}'"#;
    let listed =
        list(&cloud(&machine("aa", &format!("status = \"booting\"\n{patch}"))).await).await;
    listed.end.as_ref().expect("complete");
    let booting = listed.machine("aa");
    assert_eq!(booting.state, State::Pending);
    assert!(booting.name.value().is_none() && booting.name.gap().is_none());
    assert!(booting.tags.value().is_none() && booting.tags.gap().is_none());
    assert!(booting.unreadable.is_empty(), "{:?}", booting.unreadable);
}

#[tokio::test]
async fn fl_087_fields_of_another_kind_are_named_and_cost_nobody_else() {
    let odd = r#"patch = '{"name": 7, "region": "us-west-1", "instance_type": "", "tags": {"a": "b"}, "status": null, "actions": 1}'"#;
    let fleet = [machine("aa", odd), machine("bb", "")];
    let listed = list(&cloud(&fleet.concat()).await).await;
    listed.end.as_ref().expect("complete");
    let odd = listed.machine("aa");
    assert_eq!(
        odd.unreadable,
        [
            "`instance_type`: an empty text",
            "`name`: a number",
            "`region`: a text",
            "missing field `status`",
            "`actions`: a number",
            "`tags`: an object",
        ]
    );
    assert_eq!(odd.tags.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
    assert_eq!((odd.meter, odd.provider_state.as_str()), (Meter::Unknown, "unknown"));
    assert_eq!(odd.name.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
    // Nodes of clusters are told by their names alone.
    assert_eq!(odd.manager.gap().map(|gap| gap.kind), Some(Ignorance::Unusable));
    assert!(odd.gpu.gap().is_some(), "counted as a GPU that nobody could describe");
    assert!(listed.machine("bb").unreadable.is_empty());
}

#[tokio::test]
async fn fl_087_what_cannot_be_read_of_reservation_and_actions_speaks_against_ending_it() {
    let reserved = "whether it is reserved cannot be read";
    let ending = "whether it may be terminated cannot be read";
    for (patch, objections) in [
        (r#"{"is_reserved": "no"}"#, &[reserved][..]),
        (r#"{"actions": 1}"#, &[ending]),
        (r#"{"actions": {"terminate": "yes"}}"#, &[ending]),
        (r#"{"actions": {"terminate": {"available": "yes"}}}"#, &[ending]),
        (r#"{"is_reserved": 0, "actions": "none"}"#, &[reserved, ending]),
        (r#"{"is_reserved": null, "actions": {"terminate": null}}"#, &[]),
    ] {
        let listed = list(&cloud(&machine("aa", &format!("patch = '{patch}'"))).await).await;
        listed.end.as_ref().expect("complete");
        let odd = listed.machine("aa");
        assert_eq!(odd.stop.objections, objections, "{patch}");
        let unread = objections.contains(&reserved);
        assert_eq!(odd.purchase.name(), if unread { "unknown" } else { "on-demand" }, "{patch}");
        assert_eq!(odd.stop.saves, !unread, "{patch}");
    }
}

#[tokio::test]
async fn one_unreadable_tag_makes_the_tags_unknown() {
    let patch =
        r#"patch = '{"tags": [{"key": "project", "value": "x"}, {"key": "owner", "value": 3}]}'"#;
    let listed = list(&cloud(&machine("aa", patch)).await).await;
    assert!(listed.machine("aa").tags.gap().is_some());
}

#[tokio::test]
async fn tags_with_unicode_and_equal_keys_are_kept() {
    let patch = r#"patch = '{"tags": [{"key": "owner", "value": "zoë"}, {"key": "owner", "value": "☕"}]}'"#;
    let listed = list(&cloud(&machine("aa", patch)).await).await;
    assert_eq!(listed.machine("aa").tags.value().expect("tags").raw(), ["owner=zoë", "owner=☕"]);
}

#[tokio::test]
async fn a_machine_without_an_id_makes_the_listing_partial() {
    let body = r#"{"data": [{"id": "aa", "status": "active"}, {"status": "active"}, null, "x"]}"#;
    let listed = list_of(body).await;
    assert_eq!(listed.machines.len(), 1);
    let error = listed.end.expect_err("partial");
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert_eq!(error.detail, "3 of the listed machines without a readable id");
}

#[tokio::test]
async fn nothing_odd_becomes_an_empty_list() {
    for body in [r#"{"data": null}"#, "{}", "[]", r#"{"data": {}}"#, r#"{"error": {"code": "x"}}"#]
    {
        let error = list_of(body).await.end.expect_err(body);
        assert_eq!(error.kind, ErrorKind::Protocol, "{body}");
    }
    for body in ["", "<html>banned</html>", r#"{"data": ["#, "banned you temporarily"] {
        let error = list_of(body).await.end.expect_err(body);
        assert_eq!(error.kind, ErrorKind::ServerFault, "{body}");
    }
    assert!(list_of(r#"{"data": []}"#).await.end.is_ok());
}

#[tokio::test]
async fn a_ban_is_no_verdict_on_the_key() {
    let page = "<html><body>The owner has banned you temporarily</body></html>";
    for status in [403, 429] {
        let cloud = cloud(&machine("aa", "")).await;
        answer(&cloud, "GET /api/v1/instances", status, page);
        let error = list(&cloud).await.end.expect_err("banned");
        assert_eq!(error.kind, ErrorKind::Throttled, "{status}");
        assert!(!error.to_string().contains('<'), "{error}");
    }
}
