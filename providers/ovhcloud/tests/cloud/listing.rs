//! What a listing finds, and how odd answers look in it.

use reaper_model::{Fact, Ignorance, Meter, Purchase, State};
use reaper_ovhcloud::OvhProvider;
use reaper_provider::{ErrorKind, Provider};

use crate::kit::{PROJECT, context, list, machine, machines, open, settings, start, world};

#[tokio::test]
async fn one_call_lists_all_regions_and_ordinary_machines_are_left_out() {
    let text = [
        machine("a", "h100-380", ""),
        machine("b", "b2-7", ""),
        machine("c", "win-t1-45", "").replace("GRA11", "BHS5"),
        machine("d", "c3-8", ""),
    ];
    let cloud = start(world(&text.concat())).await;
    let found = machines(&cloud).await;
    let ids: Vec<_> = found.iter().map(|machine| machine.id.to_string()).collect();
    let id = |rest: &str| format!("ovhcloud/{PROJECT}/{rest}");
    assert_eq!(ids, [id("GRA11/a"), id("BHS5/c")]);
    let gpu = found[0].gpu.value().expect("known");
    assert_eq!((gpu.model.as_str(), gpu.count.to_string().as_str()), ("H100", "1"));
    let requests = cloud.requests();
    assert_eq!(requests.of("GET /cloud/project/{project}/instance").len(), 1);
    assert!(requests.changing().is_empty());
    assert!(requests.len() <= 6, "{requests:?}");
}

#[tokio::test]
async fn a_hundred_machines_take_no_more_calls_than_one() {
    let many: String = (0..100).map(|n| machine(&format!("i-{n}"), "l4-90", "")).collect();
    let (one, hundred) =
        (start(world(&machine("i", "l4-90", ""))).await, start(world(&many)).await);
    machines(&one).await;
    assert_eq!(machines(&hundred).await.len(), 100);
    assert_eq!(hundred.requests().len(), one.requests().len());
}

#[tokio::test]
async fn stopped_but_billed_is_told_from_shelved() {
    let text = [
        machine("off", "l4-90", "status = \"SHUTOFF\""),
        machine("shelved", "l4-90", "status = \"SHELVED_OFFLOADED\""),
        machine("monthly", "a100-180", "monthly_since = \"720h\"\nstatus = \"SHUTOFF\""),
    ];
    let cloud = start(world(&text.concat())).await;
    let found = machines(&cloud).await;
    let meters: Vec<_> = found.iter().map(|machine| machine.meter).collect();
    assert_eq!(meters, [Meter::StoppedBilled, Meter::StoppedFree, Meter::StoppedBilled]);
    assert!(found.iter().all(|machine| machine.state == State::Stopped));
    assert!(found[0].stop.saves && !found[2].stop.saves);
}

#[tokio::test]
async fn fl_011_nodes_of_a_cluster_are_told_by_one_call_per_cluster() {
    let text = [machine("node", "l40s-90", "cluster = \"kube-1\""), machine("own", "l40s-90", "")];
    let cloud = start(world(&text.concat())).await;
    let found = machines(&cloud).await;
    let manager = found[0].manager.value().map(ToString::to_string);
    assert!(manager.is_some_and(|name| name.starts_with("mks kube-1/")));
    assert!(!found[0].stop.objections.is_empty());
    assert!(matches!(found[1].manager, Fact::Absent { .. }));
}

#[tokio::test]
async fn where_clusters_may_not_be_read_nobody_knows_whose_a_machine_is() {
    for right in ["kube/get", "kube/node/get"] {
        let cloud = start(world(&machine("i", "l4-90", ""))).await;
        cloud.world().ovhcloud.project_mut(PROJECT).expect("there").denied = vec![right.to_owned()];
        let found = machines(&cloud).await;
        let gap = found[0].manager.gap().expect("unknown");
        assert_eq!(gap.kind, Ignorance::ReadFailed);
        assert!(gap.why.contains(&format!("publicCloudProject:apiovh:{right}")), "{gap}");
    }
}

#[tokio::test]
async fn fl_022_an_unheard_of_flavour_is_listed_unless_the_catalogue_calls_it_ordinary() {
    let text = [
        "[ovhcloud.flavor.b300-512]\ntype = \"ovh.ssd.new\"\nhourly = \"9\"\n\
         gpu = { model = \"B300\", count = 1, memory = 288 }\n\
         [ovhcloud.flavor.z9-64]\ntype = \"ovh.ssd.new\"\nhourly = \"1\"\n"
            .to_owned(),
        machine("new", "b300-512", ""),
        machine("plain", "z9-64", ""),
        machine("nowhere", "q7-1", ""),
    ];
    let cloud = start(world(&text.concat())).await;
    let found = machines(&cloud).await;
    let types: Vec<_> = found.iter().map(|machine| machine.machine_type.as_str()).collect();
    assert_eq!(types, ["b300-512", "q7-1"]);
    assert_eq!(found[0].gpu.value().map(|gpu| gpu.model.as_str()), Some("B300"));
    assert!(found[1].gpu.gap().is_some());
}

#[tokio::test]
async fn fl_035_ten_machines_carry_no_tags_and_that_is_how_ovhcloud_is() {
    let ten: String = (0..10).map(|n| machine(&format!("i-{n}"), "l4-90", "")).collect();
    let cloud = start(world(&ten)).await;
    let provider = open(&settings(&cloud));
    provider.identity(&context()).await.expect("granted");
    let (found, _) = list(&provider).await;
    assert_eq!(found.len(), 10);
    for machine in found {
        assert_eq!(machine.tags.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    }
    assert!(!provider.capabilities().tags);
}

#[tokio::test]
async fn the_projects_tags_stand_for_its_machines_where_that_is_wanted() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project_tags".to_owned(), "true".to_owned());
    let provider = open(&settings);
    provider.identity(&context()).await.expect("granted");
    let (found, _) = list(&provider).await;
    let Fact::Known { value: tags, source, .. } = &found[0].tags else { panic!("{found:?}") };
    assert_eq!(tags.exact("owner"), Some("alice"));
    assert!(source.as_str().ends_with("iam.tags"));
    settings.options.insert("project_tags".to_owned(), "yes".to_owned());
    assert!(OvhProvider::open(&settings).is_err());
}

#[tokio::test]
async fn fl_086_one_odd_state_among_ten_leaves_nine_alone() {
    let ten: String = (0..10)
        .map(|n| {
            let status = if n == 4 { "status = \"HIBERNATING_DEEP\"" } else { "" };
            machine(&format!("i-{n}"), "l4-90", status)
        })
        .collect();
    let cloud = start(world(&ten)).await;
    let found = machines(&cloud).await;
    let odd: Vec<_> = found.iter().filter(|machine| machine.state == State::Unknown).collect();
    assert_eq!((found.len(), odd.len()), (10, 1));
    assert_eq!(
        (odd[0].provider_state.as_str(), odd[0].meter),
        ("HIBERNATING_DEEP", Meter::Unknown)
    );
}

#[tokio::test]
async fn fl_087_odd_fields_are_marked_on_their_machine_alone() {
    let text = [
        machine("a", "l4-90", "odd = { image = \"\" }"),
        machine("b", "l4-90", "null = [\"name\", \"region\"]"),
        machine("c", "l4-90", "odd = { created = 1785000000 }"),
        machine("d", "l4-90", "odd = { unheardOf = { a = [1] } }"),
        machine("e", "l4-90", "without = [\"planCode\", \"monthlyBilling\"]"),
    ];
    let cloud = start(world(&text.concat())).await;
    let found = machines(&cloud).await;
    let odd: Vec<_> = found.iter().map(|machine| machine.unreadable.len()).collect();
    assert_eq!(odd, [1, 1, 1, 0, 0]);
    assert!(found.iter().all(|machine| machine.machine_type.as_str() == "l4-90"));
}

#[tokio::test]
async fn a_machine_without_an_id_makes_the_listing_partial() {
    let text = [machine("a", "l4-90", ""), machine("b", "l4-90", "without = [\"id\"]")];
    let cloud = start(world(&text.concat())).await;
    let (found, ended) = list(&open(&settings(&cloud))).await;
    assert_eq!(found.len(), 1);
    let error = ended.expect_err("one is missing");
    assert_eq!(error.kind, ErrorKind::Protocol);
    assert!(error.detail.starts_with("1 of 2 machines"), "{error}");
}

#[tokio::test]
async fn without_flavours_the_plan_code_tells_the_type() {
    let text = [
        machine("a", "l4-90", ""),
        machine("b", "l4-90", "without = [\"planCode\"]"),
        machine("c", "b2-7", ""),
    ];
    let cloud = start(world(&text.concat())).await;
    cloud.world().ovhcloud.project_mut(PROJECT).expect("there").denied =
        vec!["flavor/get".to_owned()];
    let found = machines(&cloud).await;
    assert_eq!(found.len(), 2, "what it is cannot be told, so it counts");
    assert_eq!(found[0].machine_type.as_str(), "l4-90");
    assert_eq!(found[1].gpu.gap().map(|gap| gap.kind), Some(Ignorance::ReadFailed));
    assert_eq!(found[1].purchase, Purchase::OnDemand);
}

#[tokio::test]
async fn an_empty_project_is_whole_and_empty() {
    let cloud = start(world("")).await;
    assert!(machines(&cloud).await.is_empty());
}
