//! What OVHcloud's machines cost, also those that look off.

use serde_json::json;

use super::instance;
use crate::support::{OVHCLOUD, found};

const OWNED: &str = "[owners]\nname_pattern = \"^(?P<owner>[a-z.]+)--\"\n\
     [[rule]]\nname = \"old\"\nwhen = { older_than = \"24h\" }\naction = \"stop\"\n";

#[tokio::test(flavor = "multi_thread")]
async fn fl_050_shutoff_is_stopped_but_billed_and_shelved_is_not() {
    let world = [
        instance("off", "name = \"carol--asr\"\nstatus = \"SHUTOFF\""),
        instance("shelved", "name = \"carol--old\"\nstatus = \"SHELVED_OFFLOADED\""),
    ]
    .concat();
    let sim = OVHCLOUD.serve(&world).await;
    let document = OVHCLOUD.audit(&sim, OWNED).await.exits(0).json();
    let off = found(&document, "off");
    assert_eq!((&off["verdict"], &off["stopped_but_billed"]), (&json!("orphan"), &json!(true)));
    assert_eq!(off["cost"]["since_start"], json!({"amount": "180.00", "currency": "EUR"}));
    let shelved = found(&document, "shelved");
    assert_eq!((&shelved["verdict"], &shelved["billing"]), (&json!("ok"), &json!("not-billed")));
    let table = OVHCLOUD.table(&sim, OWNED).await.exits(0).stdout;
    assert!(
        table.contains("stopped but billed: \"SHUTOFF\" still costs the full price"),
        "{table}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fl_052_fl_109_a_monthly_plan_costs_its_month_and_a_stop_saves_nothing() {
    let flavor = "[ovhcloud.flavor.l4-90]\ntype = \"ovh.ssd.gpu3\"\nhourly = \"0.75\"\n\
                  monthly = \"800\"\ngpu = { model = \"L4\", count = 1, memory = 24 }\n";
    let plan = "name = \"carol--api\"\ncreated = \"2026-11-02T08:00:00Z\"\n\
                monthly_since = \"2026-11-02T08:00:00Z\"";
    let sim = OVHCLOUD.serve(&format!("{flavor}{}", instance("plan", plan))).await;
    let document = OVHCLOUD.audit(&sim, OWNED).await.exits(0).json();
    let machine = found(&document, "plan");
    assert_eq!(machine["purchase"], "monthly");
    let euro = |amount: &str| json!({"amount": amount, "currency": "EUR"});
    assert_eq!(machine["price"]["monthly"], euro("800.00"));
    assert_eq!(machine["cost"]["since_start"], euro("800.00"));
    assert_eq!(machine["cost"]["per_month_if_left"], euro("800.00"));
    assert_eq!(machine["action"]["saves_per_month"], euro("0.00"));
    let table = OVHCLOUD.table(&sim, OWNED).await.exits(0).stdout;
    assert!(table.contains("monthly plan") && table.contains("saves nothing"), "{table}");
    assert!(!table.contains("584,000"), "{table}");
}
