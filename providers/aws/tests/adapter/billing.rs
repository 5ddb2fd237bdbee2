//! The bill: one question for the whole account, in pages, and what counts in its answer.

use reaper_model::{Bill, BillKind, Location, MachineType, Money, Totals};
use reaper_provider::{CallContext, ErrorKind, Provider, ProviderError, Sink};
use reaper_simcloud::{Effect, Fault, SimCloud};
use rust_decimal::Decimal;

use crate::open;
use crate::stage::{account, cloud, machine};
use crate::support::{Answer, Server, at, context, identity, refuse_json};

const ON: [(&str, &str); 1] = [("cost_explorer", "true")];

/// A charge on some days of November in the configured account; `more` are further lines.
fn charge(usage_type: &str, amount: &str, more: &str) -> String {
    format!(
        "[[aws.charge]]\naccount = \"111122223333\"\nday = \"2026-11-02\"\n\
         usage_type = \"{usage_type}\"\namount = \"{amount}\"\n{more}\n"
    )
}

async fn ask(cloud: &SimCloud, cx: &CallContext) -> Result<Bill, ProviderError> {
    let bill = account(cloud, &ON).bill(cx, &identity()).await?;
    Ok(bill.expect("a bill"))
}

async fn bill(cloud: &SimCloud) -> Bill {
    ask(cloud, &context()).await.expect("a bill")
}

fn sum(bill: &Bill, kind: BillKind) -> Vec<String> {
    let lines = bill.lines.iter().filter(|line| line.kind == kind);
    let sums: Totals = lines.filter_map(|line| line.amount).collect();
    sums.iter().map(Money::all_digits).collect()
}

fn asked(cloud: &SimCloud) -> usize {
    cloud.requests().of("GetCostAndUsage").len()
}

#[tokio::test]
async fn without_consent_nothing_is_asked() {
    let cloud = cloud(&charge("BoxUsage:g5.xlarge", "24.14", "")).await;
    for options in [&[][..], &[("cost_explorer", "false")]] {
        let provider = account(&cloud, options);
        assert_eq!(provider.bill(&context(), &identity()).await, Ok(None));
    }
    assert_eq!(cloud.requests().len(), 0);
}

#[tokio::test]
async fn fl_110_the_account_wide_figure_counts_once_in_seventeen_regions() {
    let cloud = cloud(&charge("BoxUsage:p4d.24xlarge", "250", "days = 4\nquantity = \"24\"")).await;
    let (provider, cx) = (account(&cloud, &ON), context());
    let regions = provider.coverage(&cx).await.expect("regions").locations;
    assert_eq!(regions.len(), 17);
    for region in &regions {
        let mut sink = Sink::new(&|_| ());
        provider.list(&cx, &identity(), region, &mut sink).await.expect("listed");
    }
    let bill = provider.bill(&cx, &identity()).await.expect("a bill").expect("consented");
    assert_eq!(asked(&cloud), 1);
    assert_eq!(sum(&bill, BillKind::Compute), ["1000.00"]);
    assert_eq!(bill.lines[0].hours, Some(Decimal::from(96)));
    assert_eq!(bill.account.as_str(), "111122223333");
}

#[tokio::test]
async fn a_machine_is_billed_by_hours_and_price_up_to_the_last_whole_day() {
    // Launched 60 hours before noon of the 30th: on the 28th at midnight. The spot price moved.
    let world = [
        machine("i-1", "g5.xlarge", ""),
        machine("i-2", "g5.xlarge", "spot = { kind = \"one-time\", request = \"sir-1\" }"),
        machine("i-3", "m5.large", ""),
        "[[aws.price]]\ntype = \"m5.large\"\nregion = \"eu-west-1\"\nhourly = \"0.107\"\n".into(),
        "[[aws.spot_price]]\ntype = \"g5.xlarge\"\nzone = \"eu-west-1a\"\nhourly = \"0.50\"\n\
         since = \"90h\"\n"
            .into(),
    ]
    .concat();
    let cloud = cloud(&world).await;
    let bill = bill(&cloud).await;
    let lines: Vec<_> = bill
        .lines
        .iter()
        .map(|line| {
            let kind = line.machine_type.as_ref().map(ToString::to_string);
            (kind, line.hours.map(|hours| hours.normalize()), line.amount.map(Money::all_digits))
        })
        .collect();
    let day = Some(Decimal::from(24));
    let gpu = || Some("g5.xlarge".to_owned());
    let expected = [
        (gpu(), day, Some("26.952".to_owned())),
        (gpu(), day, Some("12.00".to_owned())),
        (None, None, Some("2.568".to_owned())),
    ];
    assert_eq!(lines, expected);
    assert_eq!(bill.lines[0].location, Some(Location::new("eu-west-1")));
    assert_eq!(bill.until, at("2026-11-29T00:00:00Z").now);
    let so_far = bill.notes.last().expect("a note");
    assert!(so_far.starts_with("days from 2026-11-29 on are not counted"), "{so_far}");
}

#[tokio::test]
async fn taxes_credits_refunds_and_other_accounts_do_not_count() {
    let linked = "\n[[aws.account]]\nid = \"444455556666\"\n";
    let others = [("Tax", "19"), ("Credit", "-40"), ("Refund", "-7")].map(|(record, amount)| {
        charge("BoxUsage:g5.xlarge", amount, &format!("record = \"{record}\""))
    });
    let theirs = charge("BoxUsage:g5.xlarge", "5000", "").replace("111122223333", "444455556666");
    let own = charge("BoxUsage:g5.xlarge", "24.14", "quantity = \"24\"");
    let world = format!("pays_for = [\"444455556666\"]\n{linked}{}{theirs}{own}", others.concat());
    let bill = bill(&cloud(&world).await).await;
    assert_eq!(sum(&bill, BillKind::Compute), ["24.14"]);
    assert!(sum(&bill, BillKind::Other).is_empty());
}

#[tokio::test]
async fn fl_014_pages_are_read_to_the_end_and_a_circle_is_one() {
    let world: String = (1..=12)
        .map(|number| charge(&format!("USE2-BoxUsage:g5.{number}xlarge"), "1.50", "days = 3"))
        .collect();
    let quirk = "[[aws.quirk]]\noperation = \"GetCostAndUsage\"\n";
    let paged = cloud(&format!("{world}{quirk}page_limit = 10\nempty_pages = 1\n")).await;
    let cx = context();
    let found = ask(&paged, &cx).await.expect("a bill");
    assert_eq!(sum(&found, BillKind::Compute), ["54.00"]);
    assert_eq!(found.lines.len(), 12, "{:?}", found.lines);
    assert!(asked(&paged) > 6);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);

    let circle = cloud(&format!("{world}{quirk}page_limit = 10\nrepeats_token = true\n")).await;
    let error = ask(&circle, &context()).await.expect_err("a circle");
    assert_eq!((error.kind, asked(&circle)), (ErrorKind::Inconsistent, 2));
}

#[tokio::test]
async fn on_the_first_day_of_a_month_the_question_is_still_a_span() {
    let cloud = cloud(&machine("i-1", "g5.xlarge", "")).await;
    cloud.set_now(at("2026-12-01T00:00:00Z").now);
    let bill = ask(&cloud, &at("2026-12-01T00:00:00Z")).await.expect("a bill");
    assert_eq!((bill.from, bill.until), (bill.from, bill.from));
    assert_eq!(bill.from, at("2026-12-01T00:00:00Z").now);
    assert!(bill.lines.is_empty());
    let body = String::from_utf8(cloud.requests().of("GetCostAndUsage")[0].body.to_vec());
    let body = body.expect("text");
    assert!(body.contains(r#""Start":"2026-12-01""#), "{body}");
    assert!(body.contains(r#""End":"2026-12-02""#), "{body}");
}

#[tokio::test]
async fn what_may_not_be_read_names_the_permission() {
    let cloud = cloud("denied = [\"ce:GetCostAndUsage\"]\n").await;
    let error = ask(&cloud, &context()).await.expect_err("denied");
    let permission = "ce:GetCostAndUsage".to_owned();
    assert_eq!(error.kind, ErrorKind::Denied { permission });
    assert!(error.request_id.is_some(), "{error}");
}

#[tokio::test]
async fn a_throttled_question_is_asked_again_and_not_for_ever() {
    let cloud = cloud(&charge("BoxUsage:g5.xlarge", "24.14", "")).await;
    let throttle = Fault::always(Effect::Throttle { retry_after: None }).at("GetCostAndUsage");
    cloud.add_fault(throttle.clone().first(1));
    let cx = context();
    let found = ask(&cloud, &cx).await.expect("a bill");
    assert_eq!((sum(&found, BillKind::Compute), cx.requests.sent()), (vec!["24.14".into()], 2));
    cloud.add_fault(throttle);
    let error = ask(&cloud, &context()).await.expect_err("throttled");
    assert_eq!(error.kind, ErrorKind::Throttled);
}

#[tokio::test]
async fn fl_103_types_that_nobody_knows_are_described_by_ec2_or_count_as_accelerated() {
    let types = "[aws.types.\"q7.large\"]\nvcpus = 2\nmemory_mib = 4096\n\
                 [aws.types.\"g99x.large\"]\nvcpus = 2\nmemory_mib = 4096\n\
                 gpus = [{ name = \"X900\", count = 1, memory_mib = 4096 }]\n";
    let charges = ["q7.large", "g99x.large", "p9x.192xlarge"]
        .map(|kind| charge(&format!("EUW3-BoxUsage:{kind}"), "10", "quantity = \"24\""));
    let cloud = cloud(&format!("{types}{}", charges.concat())).await;
    let bill = bill(&cloud).await;
    let kinds: Vec<&str> = bill
        .lines
        .iter()
        .filter_map(|line| line.machine_type.as_ref().map(MachineType::as_str))
        .collect();
    assert_eq!(kinds, ["g99x.large", "p9x.192xlarge"]);
    assert_eq!(sum(&bill, BillKind::Other), ["10.00"]);
    let described = cloud.requests();
    let regions: Vec<&str> =
        described.of("DescribeInstanceTypes").iter().map(|one| &*one.call.location).collect();
    assert!(!regions.is_empty() && regions.iter().all(|region| *region == "eu-west-3"));
}

#[tokio::test]
async fn answers_without_anything_in_them_are_no_amount() {
    let day = |groups: &str| {
        format!(
            r#"{{"TimePeriod":{{"Start":"2026-11-02","End":"2026-11-03"}},"Estimated":false{groups}}}"#
        )
    };
    let service = "Amazon Elastic Compute Cloud - Compute";
    let null = format!(
        r#","Groups":[{{"Keys":["{service}","BoxUsage:g5.xlarge"],"Metrics":{{"UnblendedCost":
        {{"Amount":null,"Unit":"USD"}},"UsageQuantity":{{"Amount":"24","Unit":"Hrs"}}}}}},
        {{"Keys":null,"Metrics":null}}]"#
    );
    for (body, lines) in [
        ("{}".to_owned(), 0),
        (r#"{"ResultsByTime":null,"NextPageToken":null}"#.to_owned(), 0),
        (format!(r#"{{"ResultsByTime":[{}]}}"#, day("")), 0),
        (format!(r#"{{"ResultsByTime":[{}],"NextPageToken":""}}"#, day(r#","Groups":null"#)), 0),
        (format!(r#"{{"ResultsByTime":[{}]}}"#, day(&null)), 2),
    ] {
        let server = Server::start(move |_| Answer(200, String::new(), body.clone())).await;
        let mut settings = server.settings();
        settings.options.insert("cost_explorer".to_owned(), "true".to_owned());
        let bill = open(settings).bill(&context(), &identity()).await;
        let bill = bill.expect("readable").expect("consented");
        assert_eq!(bill.lines.len(), lines, "{:?}", bill.lines);
        assert!(bill.lines.iter().all(|line| line.amount.is_none()), "{:?}", bill.lines);
    }
}

#[tokio::test]
async fn an_account_without_data_is_not_enabled_and_other_nonsense_is_unreadable() {
    for (answer, kind) in [
        ("DataUnavailableException", ErrorKind::NotEnabled),
        ("BillExpirationException", ErrorKind::Inconsistent),
        ("UnrecognizedClientException", ErrorKind::CredentialsRejected),
    ] {
        let server = Server::start(move |_| refuse_json(answer)).await;
        let mut settings = server.settings();
        settings.options.insert("cost_explorer".to_owned(), "true".to_owned());
        let error = open(settings).bill(&context(), &identity()).await.expect_err(answer);
        assert_eq!((error.kind, error.request_id.as_deref()), (kind, Some("req-5")), "{answer}");
        let asked = &server.requests()[0];
        assert_eq!(asked.action(), "GetCostAndUsage");
        assert!(asked.body.contains("LINKED_ACCOUNT"), "{}", asked.body);
    }
    let server = Server::start(|_| {
        Answer(200, String::new(), r#"{"ResultsByTime":[{"Estimated":true}]}"#.to_owned())
    })
    .await;
    let mut settings = server.settings();
    settings.options.insert("cost_explorer".to_owned(), "true".to_owned());
    let error = open(settings).bill(&context(), &identity()).await.expect_err("no day");
    assert_eq!(error.kind, ErrorKind::Protocol);
}
