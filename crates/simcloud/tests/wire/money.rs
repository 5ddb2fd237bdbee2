//! What AWS says of money on the wire: costs, the price list, spot prices.

use chrono::TimeDelta;
use reaper_simcloud::{SimCloud, World};
use serde_json::{Value, json};

use crate::client::{ACCOUNT, EC2, KEY, Signer, call, rest};
use crate::small_world::ec2;

const WORLD: &str = r#"
clock = { start = "2026-01-03T06:00:00Z" }
[[aws.account]]
id = "111122223333"
access_keys = ["AKIAEXAMPLE"]
pays_for = ["444455556666"]
[[aws.account]]
id = "444455556666"
access_keys = ["AKIAOTHER"]
[[aws.instance]]
account = "111122223333"
region = "eu-west-3"
id = "i-0a"
type = "g6.xlarge"
launched = "2026-01-01T18:00:00Z"
act = { takes = "1m" }
[[aws.charge]]
account = "111122223333"
day = "2026-01-01"
days = 30
service = "EC2 - Other"
usage_type = "EBS:VolumeUsage.gp3"
amount = "0.25"
unit = "GB-Mo"
[[aws.charge]]
account = "111122223333"
day = "2026-01-01"
usage_type = "EUW3-BoxUsage:g6.xlarge"
amount = "-5"
record = "Credit"
[[aws.charge]]
account = "444455556666"
day = "2026-01-02"
usage_type = "BoxUsage:g5.xlarge"
amount = "1.006"
quantity = "1"
"#;

async fn cloud(more: &str) -> SimCloud {
    let text = format!("{WORLD}{more}");
    let world = World::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    SimCloud::start(world).await.expect("a free port")
}

async fn ask(cloud: &SimCloud, key: &str, target: &str, body: &Value) -> (u16, Value) {
    let scope = format!("{key}/20260101/us-east-1/ce/aws4_request");
    let head = format!(
        "authorization: AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=00\r\n\
         x-amz-target: {target}"
    );
    rest(cloud.addr(), "POST /aws/", &head, &body.to_string()).await
}

fn question(more: &Value) -> Value {
    let mut question = json!({
        "TimePeriod": {"Start": "2026-01-01", "End": "2026-01-04"},
        "Granularity": "DAILY",
        "Metrics": ["UnblendedCost", "UsageQuantity"],
    });
    for (key, value) in more.as_object().expect("an object") {
        question[key] = value.clone();
    }
    question
}

async fn costs(cloud: &SimCloud, more: &Value) -> Value {
    let target = "AWSInsightsIndexService.GetCostAndUsage";
    let (status, answer) = ask(cloud, KEY, target, &question(more)).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// The amounts of each day, in order.
fn amounts(answer: &Value) -> Vec<Vec<&str>> {
    let list = |value: &'_ Value| value.as_array().map_or(0, Vec::len);
    let days = &answer["ResultsByTime"];
    (0..list(days))
        .map(|day| &days[day]["Groups"])
        .map(|groups| {
            (0..list(groups))
                .filter_map(|at| groups[at]["Metrics"]["UnblendedCost"]["Amount"].as_str())
                .collect()
        })
        .collect()
}

fn dimension(key: &str, value: &str) -> Value {
    json!({"Dimensions": {"Key": key, "Values": [value]}})
}

#[tokio::test]
async fn costs_are_hours_times_price_by_day_and_group() {
    let cloud = cloud("").await;
    let own = dimension("LINKED_ACCOUNT", ACCOUNT);
    let filter = json!({"And": [own, {"Not": dimension("RECORD_TYPE", "Credit")}]});
    let by = json!([{"Type": "DIMENSION", "Key": "SERVICE"}, {"Type": "DIMENSION", "Key": "USAGE_TYPE"}]);
    let answer = costs(&cloud, &json!({"Filter": filter, "GroupBy": by})).await;
    // 6, 24 and 6 hours at 1.0216 USD.
    let expected = [["6.1296", "0.25"], ["24.5184", "0.25"], ["6.1296", "0.25"]];
    assert_eq!(amounts(&answer), expected);
    let first = &answer["ResultsByTime"][0];
    assert_eq!(first["Estimated"], true);
    assert_eq!(first["Total"], json!({}));
    let keys = ["Amazon Elastic Compute Cloud - Compute", "EUW3-BoxUsage:g6.xlarge"];
    assert_eq!(first["Groups"][0]["Keys"], json!(keys));
    let hours = json!({"Amount": "6", "Unit": "Hrs"});
    assert_eq!(first["Groups"][0]["Metrics"]["UsageQuantity"], hours);
}

#[tokio::test]
async fn an_account_that_pays_for_others_sees_theirs_and_they_do_not_see_its_own() {
    let cloud = cloud("").await;
    let by = json!([{"Type": "DIMENSION", "Key": "LINKED_ACCOUNT"}]);
    let more = json!({"Granularity": "MONTHLY", "GroupBy": by});
    let answer = costs(&cloud, &more).await;
    assert_eq!(amounts(&answer), [["32.5276", "1.006"]]);
    let target = "AWSInsightsIndexService.GetCostAndUsage";
    let (_, answer) = ask(&cloud, "AKIAOTHER", target, &question(&more)).await;
    assert_eq!(amounts(&answer), [["1.006"]]);
    let total = costs(&cloud, &json!({"Granularity": "MONTHLY"})).await;
    assert_eq!(total["ResultsByTime"][0]["Total"]["UnblendedCost"]["Amount"], "33.5336");
}

#[tokio::test]
async fn what_was_stopped_is_charged_until_then_and_a_start_adds_to_it() {
    let cloud = cloud("").await;
    let stop = "StopInstances&InstanceId.1=i-0a";
    let paris = Signer { region: "eu-west-3", ..EC2 };
    assert_eq!(call(cloud.addr(), paris, &ec2(stop)).await.status, 200);
    cloud.advance(TimeDelta::hours(10));
    let own = json!({"Filter": dimension("INSTANCE_TYPE", "g6.xlarge"),
        "GroupBy": [{"Type": "DIMENSION", "Key": "RECORD_TYPE"}]});
    assert_eq!(amounts(&costs(&cloud, &own).await)[2], ["6.1296"]);
    assert!(cloud.world().restart("i-0a"));
    cloud.advance(TimeDelta::hours(2));
    assert_eq!(amounts(&costs(&cloud, &own).await)[2], ["8.1728"], "8 hours");
}

#[tokio::test]
async fn amounts_are_as_old_as_the_world_says() {
    let cloud = cloud("").await;
    cloud.edit(|world| world.aws.bill_age = "30h".parse().expect("a span"));
    let own = json!({"Filter": dimension("INSTANCE_TYPE", "g6.xlarge"),
        "GroupBy": [{"Type": "DIMENSION", "Key": "USAGE_TYPE"}]});
    let days = costs(&cloud, &own).await;
    assert_eq!(amounts(&days), [vec!["1.1296"], vec![], vec![]]);
}

#[tokio::test]
async fn pages_end_and_hold_every_group_once() {
    let cloud =
        cloud("[[aws.quirk]]\noperation = \"GetCostAndUsage\"\npage_limit = 2\nempty_pages = 1\n")
            .await;
    let by = json!([{"Type": "DIMENSION", "Key": "USAGE_TYPE"}]);
    let (mut token, mut days, mut pages) = (Value::Null, Vec::new(), 0);
    loop {
        let mut more = json!({"GroupBy": by});
        if !token.is_null() {
            more["NextPageToken"] = token;
        }
        let answer = costs(&cloud, &more).await;
        days.extend(amounts(&answer).into_iter().flatten().map(str::to_owned));
        pages += 1;
        token = answer["NextPageToken"].clone();
        if token.is_null() {
            break;
        }
    }
    assert_eq!((days.len(), pages), (7, 5));
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_its_code() {
    let cloud = cloud("").await;
    let target = "AWSInsightsIndexService.GetCostAndUsage";
    let code = async |key: &str, target: &str, more: Value| {
        let (status, answer) = ask(&cloud, key, target, &question(&more)).await;
        assert_eq!(status, 400);
        answer["__type"].as_str().expect("a code").to_owned()
    };
    let empty = json!({"TimePeriod": {"Start": "2026-01-01", "End": "2026-01-01"}});
    assert_eq!(code(KEY, target, empty).await, "ValidationException");
    let future = json!({"TimePeriod": {"Start": "2026-01-05", "End": "2026-01-06"}});
    assert_eq!(code(KEY, target, future).await, "ValidationException");
    assert_eq!(code(KEY, target, json!({"Metrics": ["Cost"]})).await, "ValidationException");
    let token = json!({"NextPageToken": "nonsense"});
    assert_eq!(code(KEY, target, token).await, "InvalidNextTokenException");
    assert_eq!(code("AKIANOBODY", target, json!({})).await, "UnrecognizedClientException");
    let other = "AWSInsightsIndexService.GetTags";
    assert_eq!(code(KEY, other, json!({})).await, "UnknownOperationException");
    cloud.edit(|world| {
        let account = world.aws.account_mut(ACCOUNT).expect("the account");
        account.denied = vec!["ce:GetCostAndUsage".to_owned()];
    });
    assert_eq!(code(KEY, target, json!({})).await, "AccessDeniedException");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn the_price_list_has_the_products_that_a_client_has_to_tell_apart() {
    let cloud =
        cloud("[[aws.price]]\ntype = \"g6.xlarge\"\nregion = \"eu-west-3\"\nhourly = \"1.5\"\n")
            .await;
    let term =
        |field: &str, value: &str| json!({"Type": "TERM_MATCH", "Field": field, "Value": value});
    let products = async |filters: Vec<Value>, more: Value| {
        let mut body = json!({"ServiceCode": "AmazonEC2", "Filters": filters});
        for (key, value) in more.as_object().expect("an object") {
            body[key] = value.clone();
        }
        let (status, answer) = ask(&cloud, KEY, "AWSPriceListService.GetProducts", &body).await;
        assert_eq!(status, 200, "{answer}");
        answer
    };
    let here = || vec![term("instanceType", "g6.xlarge"), term("regionCode", "eu-west-3")];
    let all = products(here(), json!({})).await;
    assert_eq!(all["PriceList"].as_array().map(Vec::len), Some(5));
    let mut one = here();
    one.extend([
        term("operatingSystem", "Linux"),
        term("tenancy", "Shared"),
        term("capacitystatus", "Used"),
        term("productFamily", "Compute Instance"),
    ]);
    let found = products(one, json!({})).await;
    assert_eq!(found["PriceList"].as_array().map(Vec::len), Some(1));
    let text = found["PriceList"][0].as_str().expect("a text");
    let product: Value = serde_json::from_str(text).expect("JSON in JSON");
    let term = product["terms"]["OnDemand"].as_object().and_then(|terms| terms.values().next());
    let rates = term.expect("a term")["priceDimensions"].as_object().expect("rates");
    let rate = rates.values().next().expect("a rate");
    assert_eq!(rate["pricePerUnit"]["USD"], "1.5000000000");
    assert_eq!(rate["unit"], "Hrs");

    let first = products(here(), json!({"MaxResults": 3})).await;
    let second = products(here(), json!({"MaxResults": 3, "NextToken": first["NextToken"]})).await;
    assert_eq!(second["PriceList"].as_array().map(Vec::len), Some(2));
    assert_eq!(second["NextToken"], Value::Null);
}

#[tokio::test]
async fn spot_prices_are_those_that_hold_at_the_start_and_those_since() {
    let offer = |hourly: &str, since: &str| {
        format!(
            "[[aws.spot_price]]\ntype = \"g5.xlarge\"\nzone = \"eu-west-1a\"\n\
             hourly = \"{hourly}\"\nsince = \"{since}\"\n"
        )
    };
    let world = [offer("0.30", "50h"), offer("0.40", "20h"), offer("0.50", "2h")].concat();
    let cloud = cloud(&world).await;
    let prices = async |more: &str| {
        let body = ec2(&format!("DescribeSpotPriceHistory{more}"));
        call(cloud.addr(), EC2, &body).await.texts("spotPrice")
    };
    assert_eq!(prices("&StartTime=2026-01-03T06:00:00Z").await, ["0.500000"]);
    assert_eq!(prices("&StartTime=2026-01-03T00:00:00Z").await, ["0.500000", "0.400000"]);
    assert_eq!(prices("").await.len(), 3);
    assert!(prices("&InstanceType.1=g6.xlarge").await.is_empty());
    assert!(prices("&ProductDescription.1=Windows").await.is_empty());
    assert!(prices("&AvailabilityZone=eu-west-1b").await.is_empty());
    let whole = call(cloud.addr(), EC2, &ec2("DescribeSpotPriceHistory")).await;
    assert_eq!(whole.text("nextToken"), "", "there is no more");
}
