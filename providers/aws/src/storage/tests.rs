//! Prices of disks, snapshots and addresses without a network.

use aws_sdk_ec2::types::VolumeType;
use serde_json::json;

use super::*;

fn sheet(region: &str) -> Sheet {
    let gap = Unknown::new(Ignorance::NotOffered, "nobody was asked");
    let storage = Storage::new();
    let mut rates = Rates::new();
    for place in ["", region] {
        rates.extend(storage.dated.get(place).into_iter().flatten().map(pair));
    }
    Sheet { region: Location::new(region), rates, gap }
}

fn volume(kind: &str, size: i32, iops: Option<i32>, throughput: Option<i32>) -> Volume {
    Volume::builder()
        .volume_type(VolumeType::from(kind))
        .size(size)
        .set_iops(iops)
        .set_throughput(throughput)
        .availability_zone("us-east-1b")
        .build()
}

fn cost(volume: &Volume) -> Result<String, Ignorance> {
    let fact = sheet("us-east-1").volume(volume);
    fact.value().map(ToString::to_string).ok_or_else(|| fact.gap().expect("a gap").kind)
}

#[test]
fn the_whole_list_is_readable_and_no_price_is_zero() {
    let rows: Vec<_> = LIST.lines().skip(1).map(|line| row(line).expect(line)).collect();
    assert_eq!(rows.len(), 13);
    assert!(rows.iter().all(|(.., rate)| rate.money.amount > Decimal::ZERO));
    assert!(LIST.starts_with("usage,location,price,unit,currency,as_of,source\n"));
    assert!(LIST.lines().all(|line| line.split(',').count() == 7));
}

#[test]
fn fl_055_a_disk_costs_its_size_and_what_was_ordered_beyond_it() {
    for (disk, expected) in [
        (volume("gp2", 1000, Some(3000), None), "100.00 USD"),
        (volume("gp3", 1000, Some(3000), Some(125)), "80.00 USD"),
        // 80 for the size, 65 for 13,000 operations, 15 for 375 MiB a second.
        (volume("gp3", 1000, Some(16_000), Some(500)), "160.00 USD"),
        (volume("io1", 100, Some(5000), None), "337.50 USD"),
        (volume("io2", 100, Some(5000), None), "337.50 USD"),
        (volume("st1", 500, None, None), "22.50 USD"),
        (volume("sc1", 500, None, None), "7.50 USD"),
        (volume("standard", 100, None, None), "5.00 USD"),
    ] {
        assert_eq!(cost(&disk).as_deref(), Ok(expected), "{disk:?}");
    }
}

#[test]
fn fl_103_what_is_not_known_of_a_disk_is_no_price_and_never_zero() {
    for (disk, kind) in [
        (volume("gp9", 100, None, None), Ignorance::NotOffered),
        (volume("io2", 100, Some(40_000), None), Ignorance::NotOffered),
        (volume("io1", 100, None, None), Ignorance::Unusable),
        (Volume::builder().volume_type(VolumeType::Gp3).build(), Ignorance::Unusable),
        (Volume::builder().size(8).build(), Ignorance::Unusable),
    ] {
        assert_eq!(cost(&disk), Err(kind), "{disk:?}");
    }
    let disk = |zone: &str| {
        let disk = Volume::builder().volume_type(VolumeType::Gp3).size(8);
        disk.availability_zone(zone).build()
    };
    assert!(cost(&disk("us-east-1a")).is_ok());
    assert_eq!(cost(&disk("us-east-1-bos-1a")), Err(Ignorance::NotOffered), "a local zone");
    let text = sheet("eu-west-3").volume(&volume("gp3", 8, None, None));
    assert!(text.gap().is_some(), "a price holds in its region alone");
}

#[test]
fn an_address_costs_the_same_everywhere_but_not_of_every_pool() {
    let address =
        |pool: &str| Address::builder().public_ip("198.51.100.4").public_ipv4_pool(pool).build();
    for region in ["us-east-1", "sa-east-1"] {
        let cost = sheet(region).address(&address("amazon"));
        assert_eq!(cost.value().map(|money| money.all_digits()).as_deref(), Some("3.65"));
        assert_eq!(cost.source().map(Source::as_str), Some(LIST_NAME));
    }
    let own = sheet("us-east-1").address(&address("ipv4pool-ec2-0abc"));
    assert!(own.gap().is_some_and(|gap| gap.why.contains("ipv4pool-ec2-0abc")));
    let carrier = Address::builder().carrier_ip("192.0.2.1").build();
    assert!(sheet("us-east-1").address(&carrier).gap().is_some());
}

#[test]
fn a_product_is_read_by_its_usage_type_and_unit() {
    let product = |usage: &str, unit: &str, amount: &str| {
        json!({"product": {"attributes": {"usagetype": usage}},
            "terms": {"OnDemand": {"A": {"priceDimensions": {"B":
                {"unit": unit, "pricePerUnit": {"USD": amount}}}}}}})
    };
    let read = |product: &Value| {
        let found = priced(product).into_iter();
        found.map(|(usage, money)| format!("{usage} {}", money.all_digits())).collect::<Vec<_>>()
    };
    let disk = product("EUW3-EBS:VolumeUsage.gp3", "GB-Mo", "0.0928000000");
    assert_eq!(read(&disk), ["EBS:VolumeUsage.gp3 0.0928"]);
    let old = product("EBS:VolumeUsage.io2", "GB-month", "0.125");
    assert_eq!(read(&old), ["EBS:VolumeUsage.io2 0.125"]);
    for (usage, unit, amount) in [
        ("EBS:VolumeUsage.gp3", "Hrs", "0.08"),
        ("EBS:VolumeP-IOPS.gp3", "GB-Mo", "0.08"),
        ("EBS:VolumeUsage.gp3", "GB-Mo", "0.0000000000"),
        ("USE1-LambdaEBS:VolumeUsage.gp3", "GB-Mo", "0.08"),
        ("BoxUsage:g5.xlarge", "Hrs", "1.0"),
    ] {
        assert_eq!(read(&product(usage, unit, amount)), [""; 0], "{usage} {unit} {amount}");
    }
}

#[test]
fn only_the_parts_of_the_price_list_that_are_needed_are_asked() {
    let needed = |volumes: &[Volume], snapshots| {
        Sheet::needed(volumes, snapshots).into_iter().map(Family::name).collect::<Vec<_>>()
    };
    assert_eq!(needed(&[], false), [""; 0]);
    assert_eq!(needed(&[volume("gp3", 8, Some(3000), Some(125))], false), ["Storage"]);
    let fast = volume("gp3", 8, Some(4000), Some(250));
    let all = ["Storage", "System Operation", "Provisioned Throughput", "Storage Snapshot"];
    assert_eq!(needed(&[fast], true), all);
}
