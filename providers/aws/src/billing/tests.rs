//! Tests of `billing`: which days count, what a line is, and what is missing.

use super::*;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn day(text: &str) -> NaiveDate {
    text.parse().expect("a day")
}

fn metric(amount: Option<&str>, unit: &str) -> MetricValue {
    MetricValue::builder().set_amount(amount.map(str::to_owned)).unit(unit).build()
}

fn group(usage_type: &str, amount: &str, hours: &str) -> Group {
    Group::builder()
        .keys(crate::usage::COMPUTE)
        .keys(usage_type)
        .metrics(COST, metric(Some(amount), "USD"))
        .metrics(QUANTITY, metric(Some(hours), "Hrs"))
        .build()
}

fn result(day: &str, groups: Vec<Group>) -> ResultByTime {
    let interval = DateInterval::builder().start(day).end(day).build().expect("a day");
    ResultByTime::builder().time_period(interval).estimated(true).set_groups(Some(groups)).build()
}

fn bill(now: &str, results: &[ResultByTime]) -> Bill {
    let mut costs = Costs::new(Period::at(at(now)));
    for result in results {
        costs.take(result).expect("readable");
    }
    costs.bill(&ProviderAccount::new("111122223333"), |kind| !kind.starts_with("m5."))
}

fn amounts(bill: &Bill, kind: BillKind) -> Vec<String> {
    let lines = bill.lines.iter().filter(|line| line.kind == kind);
    let amount = |line: &BillLine| match line.amount {
        Some(money) => money.all_digits(),
        None => "none".to_owned(),
    };
    lines.map(amount).collect()
}

#[test]
fn the_period_is_the_utc_month_and_never_empty() {
    for (now, from, until, whole) in [
        ("2026-11-30T12:00:00Z", "2026-11-01", "2026-12-01", "2026-11-29"),
        ("2026-11-30T00:00:00Z", "2026-11-01", "2026-12-01", "2026-11-29"),
        ("2026-11-01T00:00:00Z", "2026-11-01", "2026-11-02", "2026-11-01"),
        ("2026-11-02T23:59:59Z", "2026-11-01", "2026-11-03", "2026-11-01"),
        ("2026-11-03T00:00:00Z", "2026-11-01", "2026-11-04", "2026-11-02"),
        ("2026-12-31T23:59:59Z", "2026-12-01", "2027-01-01", "2026-12-30"),
        ("2028-02-29T10:00:00Z", "2028-02-01", "2028-03-01", "2028-02-28"),
    ] {
        let period = Period { from: day(from), until: day(until), whole: day(whole) };
        assert_eq!(Period::at(at(now)), period, "{now}");
    }
}

#[test]
fn whole_days_are_added_up_and_the_others_are_only_mentioned() {
    let results = [
        result("2026-11-27", vec![group("EUW3-BoxUsage:g6.xlarge", "24.52", "24")]),
        result("2026-11-28", vec![group("EUW3-BoxUsage:g6.xlarge", "24.52", "24")]),
        result("2026-11-29", vec![group("EUW3-BoxUsage:g6.xlarge", "10.21", "10")]),
        result("2026-11-30", Vec::new()),
    ];
    let bill = bill("2026-11-30T12:00:00Z", &results);
    let [line] = bill.lines.as_slice() else { panic!("not one line: {:?}", bill.lines) };
    assert_eq!(line.amount.map(Money::all_digits).as_deref(), Some("49.04"));
    assert_eq!(line.hours, Some(Decimal::from(48)));
    assert_eq!(line.location, Some(Location::new("eu-west-3")));
    assert_eq!((bill.from, bill.until), (at("2026-11-01T00:00:00Z"), at("2026-11-29T00:00:00Z")));
    let open = "days from 2026-11-29 on are not counted, because AWS may still be adding to them: \
                10.21 USD so far";
    let closed = "AWS calls its amounts estimated until it has closed the month";
    assert_eq!(bill.notes, [closed, open]);
}

#[test]
fn fl_120_the_data_reaches_no_further_than_its_last_day() {
    let results = [result("2026-11-20", vec![group("BoxUsage:p4d.24xlarge", "526.98", "24")])];
    assert_eq!(bill("2026-11-30T12:00:00Z", &results).until, at("2026-11-21T00:00:00Z"));
    // Days that are listed and empty are days without data.
    let idle = group("BoxUsage:p4d.24xlarge", "0", "0");
    let results = [results[0].clone(), result("2026-11-21", vec![idle])];
    assert_eq!(bill("2026-11-30T12:00:00Z", &results).until, at("2026-11-21T00:00:00Z"));
}

#[test]
fn on_the_first_of_the_month_nothing_is_whole() {
    let results = [result("2026-11-01", vec![group("BoxUsage:g5.xlarge", "1.006", "1")])];
    let bill = bill("2026-11-01T02:00:00Z", &results);
    assert!(bill.lines.is_empty());
    assert_eq!(bill.until, bill.from);
    assert!(bill.notes[1].ends_with("1.01 USD so far"), "{:?}", bill.notes);
}

#[test]
fn an_empty_answer_covers_nothing_and_says_so() {
    for results in [vec![], vec![result("2026-11-01", Vec::new())]] {
        let bill = bill("2026-11-30T12:00:00Z", &results);
        assert_eq!((bill.lines.len(), bill.until), (0, bill.from));
        assert_eq!(bill.notes[0], "Cost Explorer has no amount of this month yet");
    }
}

#[test]
fn what_is_not_the_time_of_an_accelerated_machine_is_other() {
    let mut disk = group("EBS:VolumeUsage.gp3", "3.10", "0");
    disk.keys = Some(vec!["EC2 - Other".to_owned(), "EBS:VolumeUsage.gp3".to_owned()]);
    let mut emr = group("BoxUsage:p4d.24xlarge", "0.27", "1");
    emr.keys =
        Some(vec!["Amazon Elastic MapReduce".to_owned(), "BoxUsage:p4d.24xlarge".to_owned()]);
    let groups = vec![
        group("BoxUsage:m5.large", "2.00", "20"),
        group("SpotUsage:p9x.192xlarge", "30.00", "1"),
        group("HeavyUsage:g5.xlarge", "0.60", "1"),
        disk,
        emr,
    ];
    let bill = bill("2026-11-30T12:00:00Z", &[result("2026-11-02", groups)]);
    assert_eq!(amounts(&bill, BillKind::Other), ["5.37"], "one line");
    // FL-103: a type that nobody knows counts as accelerated.
    assert_eq!(amounts(&bill, BillKind::Compute), ["0.60", "30.00"]);
    let hours: Vec<_> = bill.lines.iter().map(|line| line.hours).collect();
    assert_eq!(hours, [None, Some(Decimal::ONE), None], "a fee counts no hours");
}

#[test]
fn fl_103_an_amount_that_is_missing_is_none_and_never_zero() {
    let mut without = group("BoxUsage:g5.xlarge", "1.00", "1");
    without.metrics = None;
    let mut null = group("BoxUsage:g5.xlarge", "1.00", "1");
    null.metrics.as_mut().expect("metrics").insert(COST.to_owned(), metric(None, "USD"));
    let groups = vec![group("BoxUsage:g5.xlarge", "1.00", "1"), null, without];
    let found = bill("2026-11-30T12:00:00Z", &[result("2026-11-02", groups)]);
    assert_eq!(amounts(&found, BillKind::Compute), ["none", "1.00"]);
    let said = &found.notes;
    assert!(said.iter().any(|note| note.contains("missing in 1 lines")), "{said:?}");
    let nameless = Group::builder().metrics(COST, metric(Some("4"), "USD")).build();
    let found = bill("2026-11-30T12:00:00Z", &[result("2026-11-02", vec![nameless])]);
    assert_eq!(amounts(&found, BillKind::Other), ["4.00"]);
}

#[test]
fn fl_107_two_currencies_are_two_lines() {
    let mut yuan = group("BoxUsage:g5.xlarge", "7.00", "1");
    yuan.metrics.as_mut().expect("metrics").insert(COST.to_owned(), metric(Some("7"), "CNY"));
    let groups = vec![group("BoxUsage:g5.xlarge", "1.00", "1"), yuan];
    let bill = bill("2026-11-30T12:00:00Z", &[result("2026-11-02", groups)]);
    assert_eq!(amounts(&bill, BillKind::Compute), ["7.00", "1.00"]);
}

#[test]
fn tiny_amounts_come_with_an_exponent() {
    assert_eq!(number("4E-10"), Some(Decimal::new(4, 10)));
    assert_eq!(number("1.0060000000"), Some(Decimal::new(1006, 3)));
    assert_eq!(number("0.00000000000000000000000000000012"), Some(Decimal::ZERO));
    assert_eq!(number("NaN"), None);
}

#[test]
fn a_result_without_a_day_is_unreadable() {
    let mut costs = Costs::new(Period::at(at("2026-11-30T12:00:00Z")));
    let error = costs.take(&ResultByTime::builder().build()).expect_err("no day");
    assert_eq!(error.kind, ErrorKind::Protocol);
}
