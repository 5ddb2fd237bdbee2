//! One request per second and key, whatever is listed.

use crate::support::{cloud, list_with, machine, settings};

#[tokio::test]
async fn fl_067_a_cloud_that_bans_the_hasty_is_read_without_a_ban() {
    let fleet: String =
        (0..30).map(|index| machine(&format!("a{index}"), "launched = \"5h\"")).collect();
    let cloud = cloud(&fleet).await;
    {
        // The pace is the same in kind, and five times as fast, for the sake of the suite.
        let lambda = &mut cloud.world().lambda;
        lambda.min_interval_ms = 200;
        lambda.audit_page = 10;
    }
    let mut settings = settings(&cloud);
    settings.limits.per_second = Some(5);
    let listed = list_with(settings).await;
    listed.end.as_ref().expect("complete");
    assert_eq!(listed.machines.len(), 30);
    assert!(listed.machines.iter().all(|machine| machine.created_at.value().is_some()));
    let requests = cloud.requests();
    assert_eq!(requests.len(), 5, "one listing and four pages of the audit log");
    let bans = requests.all().iter().filter(|entry| entry.status.is_some_and(|it| it == 429));
    assert_eq!(bans.count(), 0);
}
