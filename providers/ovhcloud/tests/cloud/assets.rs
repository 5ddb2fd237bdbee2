//! What is charged beside machines: who uses it, what it costs, and what could not be read.

use reaper_model::{Asset, AssetKind, Assets, Fact, Ignorance, Location, User};
use reaper_provider::Provider;
use reaper_simcloud::{Effect, Fault, SimCloud};

use crate::kit::{PROJECT, context, identity, machine, open, settings, start, world};

/// A table of a world file in the project and in `GRA11`.
fn thing(table: &str, id: &str, more: &str) -> String {
    format!(
        "[[ovhcloud.{table}]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"{id}\"\n{more}\n"
    )
}

async fn read(cloud: &SimCloud) -> Assets {
    let provider = open(&settings(cloud));
    provider.assets(&context(), &identity(), &Location::new("all")).await
}

fn find<'a>(assets: &'a Assets, id: &str) -> &'a Asset {
    assets.got.iter().find(|asset| asset.id.native == id).expect("there")
}

fn user(assets: &Assets, id: &str) -> User {
    find(assets, id).user.clone()
}

/// What a month costs, or why it is not known.
fn cost(assets: &Assets, id: &str) -> String {
    match &find(assets, id).per_month {
        Fact::Known { value, .. } => value.to_string(),
        Fact::Absent { .. } => "none".to_owned(),
        Fact::Unknown(gap) => gap.to_string(),
    }
}

fn nobody() -> User {
    User::Nobody { of: None }
}

fn of(id: &str) -> User {
    User::Machine(id.to_owned())
}

/// From now on a call is answered with this.
fn answer(cloud: &SimCloud, path: &str, status: u16, body: &str) {
    let effect =
        Effect::Answer { status, body: body.to_owned(), content_type: "application/json".into() };
    let operation = format!("GET /cloud/project/{{project}}{path}");
    cloud.add_fault(Fault::always(effect).of_provider("ovhcloud").at(&operation));
}

#[tokio::test]
async fn fl_055_volumes_snapshots_and_addresses_have_users_dates_and_prices() {
    let cloud = start(world(
        &[
            machine("m-1", "l4-90", ""),
            thing("volume", "v-used", "name = \"data\"\ngib = 500\nmachine = \"m-1\""),
            thing("volume", "v-free", "gib = 100\nkind = \"high-speed\"\ncreated = \"2160h\""),
            // The machine is gone, so it is attached to nothing.
            thing("volume", "v-gone", "gib = 10\nkind = \"brand-new\"\nmachine = \"m-9\""),
            thing("snapshot", "s-kept", "gib = 500\nvolume = \"v-used\""),
            thing("snapshot", "s-left", "gib = 200\nvolume = \"v-deleted\""),
            thing("floating_ip", "f-used", "ip = \"203.0.113.7\"\nmachine = \"m-1\""),
            thing("floating_ip", "f-free", "ip = \"203.0.113.8\""),
            // A region that nothing else is in.
            thing("floating_ip", "f-far", "ip = \"203.0.113.9\"").replace("GRA11", "BHS5"),
        ]
        .concat(),
    ))
    .await;
    let found = read(&cloud).await;
    assert!(found.unread.is_empty(), "{found:?}");
    assert_eq!(found.got.len(), 8);

    assert_eq!(user(&found, "v-used"), of("m-1"));
    assert_eq!(cost(&found, "v-used"), "21.54 EUR");
    let free = find(&found, "v-free");
    assert_eq!((&free.user, free.kind), (&nobody(), AssetKind::Volume));
    assert_eq!(free.id.to_string(), format!("ovhcloud/{PROJECT}/GRA11/v-free"));
    assert_eq!(cost(&found, "v-free"), "8.69 EUR");
    assert_eq!(free.size_gib.map(|size| size.to_string()).as_deref(), Some("100"));
    let created = free.created_at.value().map(ToString::to_string);
    assert_eq!(created.as_deref(), Some("2026-08-30 09:00:00 UTC"));
    assert!(matches!(free.name, Fact::Absent { .. }));
    for gap in [free.detached_at.gap(), free.tags.gap()] {
        assert_eq!(gap.map(|gap| gap.kind), Some(Ignorance::NotOffered));
    }
    assert_eq!(user(&found, "v-gone"), nobody());
    assert_eq!(
        cost(&found, "v-gone"),
        "no price of volume.brand-new.consumption is known: the catalogue did not give it"
    );

    let parent = User::Other("volume v-used, which it is of".to_owned());
    assert_eq!(user(&found, "s-kept"), parent);
    assert_eq!(user(&found, "s-left"), User::Nobody { of: Some("v-deleted".to_owned()) });
    assert_eq!(cost(&found, "s-left"), "2.19 EUR");

    assert_eq!(user(&found, "f-used"), of("m-1"));
    let far = find(&found, "f-far");
    assert_eq!((&far.user, far.id.location.as_str()), (&nobody(), "BHS5"));
    assert_eq!(cost(&found, "f-far"), "1.83 EUR");
    assert_eq!(far.name.value().map(String::as_str), Some("203.0.113.9"));
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_055_what_shelving_leaves_is_the_machines_and_backups_are_told_by_name() {
    let cloud = start(world(
        &[
            machine("m-1", "l4-90", "status = \"SHELVED_OFFLOADED\""),
            machine("m-2", "b2-7", ""),
            thing("image", "i-backup", "name = \"machine-m-2 2026-11-02\"\ngib = 10.5"),
            thing("image", "i-left", "name = \"machine-m-22-shelved\"\ngib = 100"),
            thing("image", "i-old", "name = \"golden image\"\ngib = 20"),
        ]
        .concat(),
    ))
    .await;
    let found = read(&cloud).await;
    assert!(found.unread.is_empty(), "{found:?}");
    let shelved: Vec<_> = found.got.iter().filter(|asset| asset.user == of("m-1")).collect();
    let [shelved] = &shelved[..] else { panic!("{found:?}") };
    assert_eq!(shelved.name.value().map(String::as_str), Some("machine-m-1-shelved"));
    assert_eq!(cost(&found, &shelved.id.native), "0.53 EUR");
    let backup = User::Other("machine m-2, a backup of it by its name".to_owned());
    assert_eq!(user(&found, "i-backup"), backup);
    assert_eq!(user(&found, "i-left"), nobody(), "its machine is gone");
    assert_eq!(user(&found, "i-old"), nobody());
}

#[tokio::test]
async fn an_image_that_a_machine_was_made_of_is_used() {
    let made_of = "odd = { imageId = \"i-golden\" }";
    let things = [
        machine("m-1", "b2-7", made_of),
        thing("image", "i-golden", "name = \"golden image\"\ngib = 20"),
    ];
    let cloud = start(world(&things.concat())).await;
    let made = User::Other("machine m-1, which was made of it".to_owned());
    assert_eq!(user(&read(&cloud).await, "i-golden"), made);
    // A machine that cannot be read may be the one, and so may all of them.
    for (status, body, kind) in
        [(200, "[7]", Ignorance::Unusable), (500, "{}", Ignorance::ReadFailed)]
    {
        let cloud = start(world(&things.concat())).await;
        answer(&cloud, "/instance", status, body);
        let User::Unknown(gap) = user(&read(&cloud).await, "i-golden") else { panic!("{status}") };
        assert_eq!(gap.kind, kind, "{gap}");
    }
}

#[tokio::test]
async fn an_empty_project_costs_a_handful_of_calls() {
    let cloud = start(world("")).await;
    let found = read(&cloud).await;
    assert_eq!(found, Assets::default());
    let paths: Vec<String> =
        cloud.requests().all().iter().map(|entry| entry.call.operation.clone()).collect();
    // The clock of the server, and the four lists; no machines and no prices.
    assert_eq!(paths.len(), 5, "{paths:?}");
}

#[tokio::test]
async fn a_kind_that_is_denied_or_broken_spoils_no_other() {
    let things = [
        thing("volume", "v-1", "gib = 100"),
        thing("snapshot", "s-1", "gib = 200\nvolume = \"v-1\""),
        thing("image", "i-1", "name = \"old\"\ngib = 20"),
        thing("floating_ip", "f-1", "ip = \"203.0.113.8\""),
        thing("floating_ip", "f-2", "ip = \"203.0.113.9\"").replace("GRA11", "SBG5"),
    ]
    .concat();
    // The first region that denies it tells of the others.
    for (right, kind, left, regions) in [
        ("volume/get", AssetKind::Volume, 4, 2),
        ("volume/snapshot/get", AssetKind::Snapshot, 4, 2),
        ("snapshot/get", AssetKind::Image, 4, 2),
        ("region/get", AssetKind::Ip, 3, 0),
        ("region/floatingip/get", AssetKind::Ip, 3, 1),
    ] {
        let cloud = start(world(&things)).await;
        cloud.world().ovhcloud.project_mut(PROJECT).expect("there").denied.push(right.to_owned());
        let found = read(&cloud).await;
        assert_eq!(found.got.len(), left, "{right}: {found:?}");
        let [(unread, gap)] = &found.unread[..] else { panic!("{right}: {found:?}") };
        assert_eq!((*unread, gap.kind), (kind, Ignorance::NotOffered), "{right}");
        assert!(
            gap.why.contains(&format!("publicCloudProject:apiovh:{right} is missing")),
            "{gap}"
        );
        let asked = cloud.requests();
        let asked = asked.all().iter().filter(|it| it.call.operation.ends_with("floatingip"));
        assert_eq!(asked.count(), regions, "{right}");
    }
    // Without the volumes nobody knows which snapshots are left behind.
    let cloud = start(world(&things)).await;
    answer(&cloud, "/volume", 500, "{}");
    let found = read(&cloud).await;
    let User::Unknown(gap) = user(&found, "s-1") else { panic!("{found:?}") };
    assert_eq!(gap.kind, Ignorance::ReadFailed);
}

#[tokio::test]
async fn a_region_without_the_product_is_no_gap_and_one_that_fails_is_named() {
    let regions = r#"["GRA11", "SBG5", "BHS5"]"#;
    let things = thing("floating_ip", "f-1", "ip = \"203.0.113.8\"");
    let cloud = start(world(&things)).await;
    answer(&cloud, "/region", 200, regions);
    // The simulated project is in one region alone: in the others there is nothing to be asked.
    let found = read(&cloud).await;
    assert_eq!((found.got.len(), found.unread.len()), (1, 0), "{found:?}");
    let broken = Effect::Answer {
        status: 500,
        body: "{}".to_owned(),
        content_type: "application/json".to_owned(),
    };
    let operation = "GET /cloud/project/{project}/region/{region}/floatingip";
    cloud.add_fault(Fault::always(broken).of_provider("ovhcloud").at(operation));
    let found = read(&cloud).await;
    let [(AssetKind::Ip, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert_eq!(gap.kind, Ignorance::ReadFailed);
    assert!(gap.why.ends_with("(in GRA11, SBG5, BHS5)"), "{gap}");
}

#[tokio::test]
async fn fl_087_fl_088_odd_entries_spoil_only_themselves() {
    let cloud = start(world("")).await;
    let volumes = r#"[
        {"id":"v-old","attachedTo":[],"created":"2015-08-09T15:13:59.459187Z","name":"testvol",
         "size":10,"status":"available","region":"SBG-1","type":"classic"},
        {"id":"v-null","attachedTo":null,"creationDate":null,"name":null,"size":null,"region":null},
        {"id":"v-two","attachedTo":["m-1","m-2"],"creationDate":"2126-01-01T00:00:00Z","size":"big",
         "planCode":"volume.classic.consumption","region":"GRA11"},
        {"id":"v-busy","attachedTo":[],"status":"attaching","size":1,"type":"classic"},
        {"id":"v-lz","attachedTo":[],"status":"available","size":100,"region":"GRA11",
         "planCode":"volume.classic.consumption.GRA11"},
        {"id":""}, 7]"#;
    answer(&cloud, "/volume", 200, volumes);
    let found = read(&cloud).await;
    assert_eq!(found.got.len(), 5);
    let [(AssetKind::Volume, gap)] = &found.unread[..] else { panic!("{found:?}") };
    assert_eq!(gap.why, "2 of 7 have no readable id");
    let old = find(&found, "v-old");
    let created = old.created_at.value().map(ToString::to_string);
    assert_eq!(created.as_deref(), Some("2015-08-09 15:13:59.459187 UTC"));
    assert_eq!((&old.user, cost(&found, "v-old").as_str()), (&nobody(), "0.43 EUR"));
    let null = find(&found, "v-null");
    assert!(matches!(null.user, User::Unknown(_)), "{null:?}");
    assert_eq!((null.size_gib, null.id.location.as_str()), (None, "all"));
    assert_eq!(cost(&found, "v-null"), "OVHcloud does not say how big it is");
    assert_eq!(user(&found, "v-two"), User::Other("machines m-1, m-2".to_owned()));
    assert_eq!(find(&found, "v-two").created_at.gap().map(|it| it.kind), Some(Ignorance::Unusable));
    assert!(matches!(user(&found, "v-busy"), User::Unknown(_)));
    assert_eq!(cost(&found, "v-lz"), "4.31 EUR", "a plan that carries its region behind it");
}

#[tokio::test]
async fn without_the_catalogue_prices_are_not_known_and_nothing_else_is_lost() {
    let cloud = start(world(&thing("volume", "v-1", "gib = 100"))).await;
    let broken = Effect::Answer {
        status: 500,
        body: "{}".to_owned(),
        content_type: "application/json".to_owned(),
    };
    let operation = "GET /order/catalog/public/cloud";
    cloud.add_fault(Fault::always(broken).of_provider("ovhcloud").at(operation));
    let found = read(&cloud).await;
    assert_eq!((user(&found, "v-1"), found.unread.len()), (nobody(), 0));
    assert!(cost(&found, "v-1").starts_with("no price of volume.classic.consumption"));
}

#[tokio::test]
async fn the_projects_tags_stand_for_those_of_its_things() {
    let cloud = start(world(&thing("volume", "v-1", "gib = 100"))).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project_tags".to_owned(), "true".to_owned());
    let provider = open(&settings);
    provider.identity(&context()).await.expect("the project");
    let found = provider.assets(&context(), &identity(), &Location::new("all")).await;
    let owner = find(&found, "v-1").tags.value().and_then(|tags| tags.exact("owner"));
    assert_eq!(owner, Some("alice"));
}
