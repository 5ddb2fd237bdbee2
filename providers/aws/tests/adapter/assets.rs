//! What is beside machines: volumes, addresses, snapshots and images, on the simulated cloud.

use reaper_aws::AwsProvider;
use reaper_model::{Asset, AssetKind, Assets, Fact, Ignorance, Location, Source, StopKind, User};
use reaper_provider::Provider;
use reaper_simcloud::SimCloud;

use crate::stage::{account, cloud, list, machine};
use crate::support::{context, identity};

/// One thing of a kind in Ireland; `more` are further lines of the world file.
fn thing(kind: &str, id: &str, more: &str) -> String {
    let key = if kind == "address" { "ip" } else { "id" };
    format!(
        "[[aws.{kind}]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\n{key} = \"{id}\"\n{more}\n"
    )
}

async fn look(provider: &AwsProvider) -> Assets {
    provider.assets(&context(), &identity(), &Location::new("eu-west-1")).await
}

fn find<'a>(assets: &'a Assets, id: &str) -> &'a Asset {
    assets.got.iter().find(|one| one.id.native == id).expect(id)
}

/// Who uses it, in words.
fn user(assets: &Assets, id: &str) -> String {
    match &find(assets, id).user {
        User::Machine(id) => format!("machine {id}"),
        User::Other(what) => what.clone(),
        User::Nobody { of } => format!("nobody of {}", of.as_deref().unwrap_or("-")),
        User::Unknown(gap) => format!("unknown: {}", gap.why),
    }
}

fn cost(assets: &Assets, id: &str) -> Result<String, String> {
    let fact = &find(assets, id).per_month;
    fact.value().map(ToString::to_string).ok_or_else(|| match fact.gap() {
        Some(gap) => gap.why.clone(),
        None => "absent".to_owned(),
    })
}

async fn fleet() -> SimCloud {
    let world = [
        machine("i-1", "p4d.24xlarge", "image = \"ami-used\"\nvolumes = [{ id = \"vol-1\" }]"),
        machine("i-2", "m5.large", "image = \"ami-used\""),
        thing(
            "volume",
            "vol-free",
            "size_gib = 500\ncreated = \"2160h\"\ntags = { Name = \"old data\", owner = \"bob\" }",
        ),
        thing("volume", "vol-going", "state = \"deleting\""),
        thing("address", "198.51.100.4", "tags = { owner = \"alice\" }"),
        thing("address", "198.51.100.5", "machine = \"i-1\""),
        thing("address", "198.51.100.6", "interface = \"eni-1\"\nservice = \"alb\""),
        thing(
            "snapshot",
            "snap-orphan",
            "volume = \"vol-gone\"\nsize_gib = 200\nfull_bytes = 53687091200\nstarted = \"720h\"",
        ),
        thing(
            "snapshot",
            "snap-later",
            "volume = \"vol-gone\"\nsize_gib = 200\nstarted = \"480h\"",
        ),
        thing("snapshot", "snap-of-volume", "volume = \"vol-1\""),
        thing("snapshot", "snap-copy", ""),
        thing("snapshot", "snap-image", "volume = \"vol-old\"\nsize_gib = 30"),
        thing("snapshot", "snap-old-image", "volume = \"vol-older\"\nsize_gib = 40"),
        thing("image", "ami-used", "snapshots = [\"snap-image\"]"),
        thing(
            "image",
            "ami-old",
            "name = \"torch-1.9\"\ncreated = \"9000h\"\nsnapshots = [\"snap-old-image\"]\nsource_machine = \"i-9\"",
        ),
        thing("image", "ami-busy", "last_launched = \"240h\""),
        "[[aws.account]]\nid = \"444455556666\"\n".to_owned(),
        thing("snapshot", "snap-theirs", "public = true").replace("111122223333", "444455556666"),
        thing("image", "ami-theirs", "public = true").replace("111122223333", "444455556666"),
    ];
    cloud(&world.concat()).await
}

#[tokio::test]
async fn what_nobody_uses_is_told_from_what_somebody_uses() {
    let cloud = fleet().await;
    let assets = look(&account(&cloud, &[])).await;
    assert_eq!(assets.unread, []);
    for (id, expected) in [
        ("vol-1", "machine i-1"),
        ("vol-free", "nobody of -"),
        ("198.51.100.4", "nobody of -"),
        ("198.51.100.5", "machine i-1"),
        ("198.51.100.6", "an application load balancer"),
        ("snap-orphan", "nobody of vol-gone"),
        ("snap-later", "nobody of vol-gone"),
        ("snap-of-volume", "volume vol-1"),
        ("snap-copy", "unknown: it is a copy, and EC2 does not tell of which volume"),
        ("snap-image", "image ami-used"),
        ("snap-old-image", "image ami-old"),
        ("ami-used", "machine i-1"),
        ("ami-old", "nobody of i-9"),
        ("ami-busy", "launches, the last on 2026-11-20"),
    ] {
        assert_eq!(user(&assets, id), expected, "{id}");
    }
    assert_eq!(assets.got.len(), 14, "neither what is on its way out nor what is others'");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn age_name_tags_and_size_come_through_and_no_date_of_detachment_is_made_up() {
    let cloud = fleet().await;
    let assets = look(&account(&cloud, &[])).await;
    let volume = find(&assets, "vol-free");
    assert_eq!((volume.kind, volume.size_gib), (AssetKind::Volume, Some(500.into())));
    assert_eq!(volume.name.value().map(String::as_str), Some("old data"));
    assert_eq!(volume.tags.value().and_then(|tags| tags.exact("owner")), Some("bob"));
    let created = volume.created_at.value().expect("known").to_rfc3339();
    assert_eq!(created, "2026-09-01T12:00:00+00:00");
    assert_eq!(volume.detached_at.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
    assert_eq!(volume.id.to_string(), "aws/111122223333/eu-west-1/vol-free");
    let snapshot = find(&assets, "snap-orphan");
    assert_eq!((snapshot.kind, snapshot.size_gib), (AssetKind::Snapshot, Some(50.into())));
    assert!(matches!(snapshot.tags, Fact::Absent { .. }));
    assert_eq!(find(&assets, "snap-later").size_gib, Some(200.into()), "at the most");
    let image = find(&assets, "ami-old");
    assert_eq!((image.kind, image.size_gib), (AssetKind::Image, Some(40.into())));
    assert_eq!(image.name.value().map(String::as_str), Some("torch-1.9"));
    let address = find(&assets, "198.51.100.4");
    assert_eq!((address.kind, address.size_gib), (AssetKind::Ip, None));
    assert_eq!(address.created_at.gap().map(|gap| gap.kind), Some(Ignorance::NotOffered));
}

#[tokio::test]
async fn fl_055_what_stays_charged_is_found_under_the_ids_that_a_machine_names() {
    let more = "state = \"stopped\"\nvolumes = [{ id = \"vol-1\" }, { id = \"vol-2\", \
                delete_on_termination = true, size_gib = 8 }]";
    let world = [
        machine("i-1", "p4d.24xlarge", more),
        thing("address", "198.51.100.5", "machine = \"i-1\""),
    ];
    let cloud = cloud(&world.concat()).await;
    let provider = account(&cloud, &[]);
    let listed = list(&provider, &context()).await;
    let machine = listed.machine("i-1");
    assert_eq!(machine.stop.kind, StopKind::Deallocate);
    let assets = look(&provider).await;
    let named: Vec<&str> = machine.attached.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(named, ["vol-1", "vol-2", "198.51.100.5"]);
    for id in named {
        assert_eq!(find(&assets, id).user, User::Machine("i-1".to_owned()), "{id}");
        assert_ne!(cost(&assets, id).as_deref(), Ok("0.00 USD"), "{id}");
    }
    assert_eq!(cost(&assets, "198.51.100.5").as_deref(), Ok("3.65 USD"));
}

#[tokio::test]
async fn fl_055_what_a_termination_leaves_behind_is_found_the_next_time() {
    let world = machine(
        "i-1",
        "g5.xlarge",
        "volumes = [{ id = \"vol-data\" }, { id = \"vol-root\", delete_on_termination = true }]\n\
         state = \"terminated\"",
    );
    let cloud = cloud(&world).await;
    let assets = look(&account(&cloud, &[])).await;
    assert_eq!(assets.got.len(), 1);
    assert_eq!(user(&assets, "vol-data"), "nobody of -");
}

#[tokio::test]
async fn fl_103_a_price_that_nobody_knows_is_a_gap_and_with_consent_aws_is_asked() {
    let cloud = fleet().await;
    let assets = look(&account(&cloud, &[])).await;
    let why = cost(&assets, "vol-free").expect_err("no dated price in Ireland");
    let text = "no price of EBS:VolumeUsage.gp3 in eu-west-1 is known: live_prices = \"true\" asks \
                AWS for it";
    assert_eq!(why, text);
    assert_eq!(cost(&assets, "198.51.100.4").as_deref(), Ok("3.65 USD"));
    assert_eq!(cloud.requests().of("GetProducts").len(), 0);

    let price = |usage: &str, amount: &str| {
        format!(
            "[[aws.storage_price]]\nusage = \"{usage}\"\nregion = \"eu-west-1\"\nprice = \"{amount}\"\n"
        )
    };
    let more = price("EBS:VolumeUsage.gp3", "0.088") + &price("EBS:SnapshotUsage", "0.05");
    let priced = [fleet_text(), more].concat();
    let cloud = crate::stage::cloud(&priced).await;
    let provider = account(&cloud, &[("live_prices", "true")]);
    let assets = look(&provider).await;
    assert_eq!(cost(&assets, "vol-free").as_deref(), Ok("44.00 USD"));
    assert_eq!(cost(&assets, "snap-orphan").as_deref(), Ok("2.50 USD"));
    let why = cost(&assets, "snap-later").expect_err("only what has changed");
    assert!(why.starts_with("only what has changed since snap-orphan is charged"), "{why}");
    assert_eq!(cost(&assets, "ami-old").as_deref(), Ok("2.00 USD"));
    assert_eq!(
        find(&assets, "vol-free").per_month.source().map(Source::as_str),
        Some("pricing:GetProducts")
    );
    look(&provider).await;
    assert_eq!(cloud.requests().of("GetProducts").len(), 2, "disks and snapshots, once a day");
}

/// A free volume, two snapshots of a volume that is gone, and an image.
fn fleet_text() -> String {
    [
        thing("volume", "vol-free", "size_gib = 500"),
        thing(
            "snapshot",
            "snap-orphan",
            "volume = \"vol-gone\"\nfull_bytes = 53687091200\nstarted = \"720h\"",
        ),
        thing("snapshot", "snap-later", "volume = \"vol-gone\"\nstarted = \"480h\""),
        thing("snapshot", "snap-old-image", "volume = \"vol-older\"\nsize_gib = 40"),
        thing("image", "ami-old", "snapshots = [\"snap-old-image\"]"),
    ]
    .concat()
}

#[tokio::test]
async fn a_price_list_that_is_denied_is_said_and_the_dated_prices_hold() {
    let denied = "denied = [\"pricing:GetProducts\"]\n".to_owned();
    let world = [denied, thing("volume", "vol-free", ""), thing("address", "198.51.100.4", "")];
    let cloud = cloud(&world.concat()).await;
    let assets = look(&account(&cloud, &[("live_prices", "true")])).await;
    let why = cost(&assets, "vol-free").expect_err("unknown");
    assert!(why.contains("permission pricing:GetProducts is missing"), "{why}");
    assert_eq!(
        find(&assets, "vol-free").per_month.gap().map(|gap| gap.kind),
        Some(Ignorance::ReadFailed)
    );
    assert_eq!(cost(&assets, "198.51.100.4").as_deref(), Ok("3.65 USD"));
}

#[tokio::test]
async fn a_permission_that_is_missing_is_named_and_spoils_its_kind_alone() {
    for (permission, kind) in [
        ("ec2:DescribeVolumes", AssetKind::Volume),
        ("ec2:DescribeAddresses", AssetKind::Ip),
        ("ec2:DescribeSnapshots", AssetKind::Snapshot),
        ("ec2:DescribeImages", AssetKind::Image),
    ] {
        let cloud = fleet().await;
        cloud.edit(|world| {
            let account = world.aws.account_mut("111122223333").expect("the account");
            account.denied = vec![permission.to_owned()];
        });
        let assets = look(&account(&cloud, &[])).await;
        let [(unread, gap)] = &assets.unread[..] else { panic!("{:?}", assets.unread) };
        assert_eq!((*unread, gap.kind), (kind, Ignorance::ReadFailed));
        let text = format!("permission {permission} is missing");
        assert!(gap.why.contains(&text), "{}", gap.why);
        assert!(assets.got.iter().all(|one| one.kind != kind));
        assert!(assets.got.iter().any(|one| one.kind != kind), "the others are there");
        let snapshot = assets.got.iter().find(|one| one.id.native == "snap-orphan");
        if matches!(kind, AssetKind::Volume | AssetKind::Image) {
            let snapshot = &snapshot.expect("read").user;
            assert!(matches!(snapshot, User::Unknown(_)), "{permission}: {snapshot:?}");
        }
    }
}

#[tokio::test]
async fn fl_014_listings_are_read_to_their_end_and_a_failing_page_keeps_those_before() {
    let mut world: String = (0..12).map(|n| thing("volume", &format!("vol-{n:02}"), "")).collect();
    world += &thing("snapshot", "snap-1", "volume = \"vol-11\"");
    let whole = cloud(&world).await;
    let assets = look(&account(&whole, &[])).await;
    assert_eq!((assets.got.len(), assets.unread.len()), (13, 0));
    assert_eq!(whole.requests().of("DescribeVolumes").len(), 3);
    assert_eq!(user(&assets, "snap-1"), "volume vol-11");

    let fault = "[[fault]]\noperation = \"DescribeVolumes\"\nskip = 1\nthen = { throttle = {} }\n";
    let broken = cloud(&format!("{world}{fault}")).await;
    let assets = look(&account(&broken, &[])).await;
    let volumes = assets.got.iter().filter(|one| one.kind == AssetKind::Volume).count();
    assert_eq!(volumes, 5, "the first page");
    assert_eq!(assets.unread[0].0, AssetKind::Volume);
    assert!(assets.unread[0].1.why.contains("throttled"), "{}", assets.unread[0].1.why);
    assert!(user(&assets, "snap-1").starts_with("unknown: "), "its volume may be there");
}

#[tokio::test]
async fn fl_009_a_date_that_cannot_be_read_spoils_its_own_thing_alone() {
    let more = "created = \"1990-01-01T00:00:00Z\"";
    let world = [thing("volume", "vol-1", more), thing("volume", "vol-2", "created = \"24h\"")];
    let cloud = cloud(&world.concat()).await;
    let assets = look(&account(&cloud, &[])).await;
    let kind = |id: &str| find(&assets, id).created_at.gap().map(|gap| gap.kind);
    assert_eq!((kind("vol-1"), kind("vol-2")), (Some(Ignorance::Unusable), None));
}
