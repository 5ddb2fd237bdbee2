//! Who may ask AWS, and what is answered to those who may not.

use reaper_simcloud::{SimCloud, World};

use crate::client::{ACCOUNT, EC2, STS, Signer, call, exchange, parse, request};
use crate::small_world::{WORLD, ec2, start};

const WHO: &str = "Action=GetCallerIdentity&Version=2011-06-15";

async fn refusal(cloud: &SimCloud, signer: Signer<'_>, body: &str) -> (u16, String) {
    let answer = call(cloud.addr(), signer, body).await;
    (answer.status, answer.text("Code"))
}

#[tokio::test]
async fn fl_059_a_region_that_is_not_enabled_answers_like_wrong_keys() {
    let cloud = start().await;
    let enabled = Signer { region: "me-south-1", ..EC2 };
    assert_eq!(call(cloud.addr(), enabled, &ec2("DescribeInstances")).await.status, 200);
    for region in ["af-south-1", "xx-nowhere-1"] {
        let signer = Signer { region, ..EC2 };
        let refused = refusal(&cloud, signer, &ec2("DescribeInstances")).await;
        assert_eq!(refused, (401, "AuthFailure".to_owned()), "{region}");
    }
}

#[tokio::test]
async fn errors_have_the_codes_and_statuses_of_the_real_services() {
    let cloud = start().await;
    let stranger = Signer { key: "AKIANOBODY", ..EC2 };
    let old = Signer { key: "AKIAOLD", ..EC2 };
    let denied = Signer { region: "eu-west-3", ..EC2 };
    let list = |rest: &str| ec2(&format!("DescribeInstances{rest}"));
    for (signer, body, status, code) in [
        (stranger, list(""), 401, "AuthFailure"),
        (Signer { service: "sts", ..stranger }, WHO.to_owned(), 403, "InvalidClientTokenId"),
        (old, list(""), 400, "RequestExpired"),
        (Signer { service: "sts", ..old }, WHO.to_owned(), 403, "ExpiredToken"),
        (denied, ec2("DescribeTags"), 403, "UnauthorizedOperation"),
        (EC2, list("&DryRun=true"), 412, "DryRunOperation"),
        (EC2, list("&InstanceId.1=i-99"), 400, "InvalidInstanceID.NotFound"),
        (EC2, list("&InstanceId.1=99"), 400, "InvalidInstanceID.Malformed"),
        (EC2, list("&MaxResults=4"), 400, "InvalidParameterValue"),
        (EC2, list("&MaxResults=1001"), 400, "InvalidParameterValue"),
        (EC2, list("&MaxResults=9&InstanceId.1=i-0a"), 400, "InvalidParameterCombination"),
        (EC2, list("&NextToken=forged"), 400, "InvalidNextToken"),
        (EC2, list("&Filter.1.Name=colour&Filter.1.Value.1=x"), 400, "InvalidParameterValue"),
        (EC2, ec2("HibernateInstances&InstanceId.1=i-0a"), 400, "InvalidAction"),
    ] {
        assert_eq!(refusal(&cloud, signer, &body).await, (status, code.to_owned()), "{body}");
    }
    for (body, code) in [(list(""), "AuthFailure"), (WHO.to_owned(), "MissingAuthenticationToken")]
    {
        let unsigned = exchange(cloud.addr(), &request(None, &body)).await.expect("an answer");
        assert_eq!(parse(&unsigned).text("Code"), code);
    }
}

#[tokio::test]
async fn fl_080_a_clock_that_is_off_is_refused_when_the_world_says_so() {
    let strict = "[aws]\nmax_clock_skew_s = 300\n[[aws.account]]";
    let text = WORLD.replacen("[[aws.account]]", strict, 1);
    let world = World::from_toml(&text).expect("a valid world");
    let cloud = SimCloud::start(world).await.expect("a free port");
    let late = Signer { date: "20260101T000800Z", ..EC2 };
    let refused = refusal(&cloud, late, &ec2("DescribeInstances")).await;
    assert_eq!(refused, (400, "RequestExpired".to_owned()));
    let late = Signer { service: "sts", ..late };
    assert_eq!(refusal(&cloud, late, WHO).await, (403, "SignatureDoesNotMatch".to_owned()));
    let near = Signer { date: "20260101T000400Z", ..EC2 };
    assert_eq!(call(cloud.addr(), near, &ec2("DescribeInstances")).await.status, 200);
}

#[tokio::test]
async fn a_session_acts_in_the_account_of_its_role_until_it_expires() {
    let cloud = start().await;
    let assume = "Action=AssumeRole&Version=2011-06-15&RoleSessionName=audit&RoleArn=arn:aws:iam::111122223333:role/";
    let other = Signer { key: "AKIAOTHER", ..STS };
    for rest in ["reaper", "reaper&ExternalId=x2", "nobody&ExternalId=x1"] {
        let refused = refusal(&cloud, other, &format!("{assume}{rest}")).await;
        assert_eq!(refused, (403, "AccessDenied".to_owned()), "{rest}");
    }
    let answer = call(cloud.addr(), other, &format!("{assume}reaper&ExternalId=x1")).await;
    assert_eq!(answer.text("Expiration"), "2026-01-01T01:00:00.000Z");
    let (key, token) = (answer.text("AccessKeyId"), answer.text("SessionToken"));
    let signer = Signer { key: &key, token: Some(&token), ..EC2 };

    let identity = call(cloud.addr(), Signer { service: "sts", ..signer }, WHO).await;
    assert_eq!(identity.text("Account"), ACCOUNT);
    assert_eq!(identity.text("Arn"), "arn:aws:sts::111122223333:assumed-role/reaper/audit");
    let listed = call(cloud.addr(), signer, &ec2("DescribeInstances")).await;
    assert!(listed.texts("instanceId").contains(&"i-0a".to_owned()));
    let stolen = Signer { token: Some("guessed"), ..signer };
    let refused = refusal(&cloud, stolen, &ec2("DescribeInstances")).await;
    assert_eq!(refused, (401, "AuthFailure".to_owned()));

    let start = cloud.world().clock.start();
    cloud.set_now(start + chrono::TimeDelta::hours(1));
    let late = refusal(&cloud, signer, &ec2("DescribeInstances")).await;
    assert_eq!(late, (400, "RequestExpired".to_owned()));
}
