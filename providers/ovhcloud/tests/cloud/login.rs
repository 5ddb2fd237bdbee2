//! Who the credentials are, and what is said when they are refused.

use reaper_ovhcloud::OvhProvider;
use reaper_provider::{ErrorKind, Provider, ProviderError};
use reaper_simcloud::{Effect, Fault, SimCloud};
use secrecy::SecretString;

use crate::kit::{PROJECT, context, list, machine, open, settings, start, world};

async fn identity(cloud: &SimCloud) -> Result<reaper_provider::Identity, ProviderError> {
    open(&settings(cloud)).identity(&context()).await
}

#[tokio::test]
async fn the_project_is_the_account_once_ovhcloud_confirms_it() {
    let cloud = start(world("")).await;
    let identity = identity(&cloud).await.expect("granted");
    assert_eq!(identity.account.as_str(), PROJECT);
    assert_eq!(identity.login, "application keys for project \"ml-research\"");
    assert!(cloud.requests().changing().is_empty());
}

#[tokio::test]
async fn fl_018_a_project_that_does_not_exist_is_an_error_and_a_name_is_refused() {
    let cloud = start(world("")).await;
    let mut settings = settings(&cloud);
    settings.options.insert("project".to_owned(), PROJECT.replace('e', "f"));
    let error = open(&settings).identity(&context()).await.expect_err("no such project");
    assert_eq!(error.kind, ErrorKind::NotFound);
    assert!(error.detail.contains("is no project of this login"), "{error}");
    for name in ["ml-research", "", "0123"] {
        settings.options.insert("project".to_owned(), name.to_owned());
        let error = OvhProvider::open(&settings).expect_err("a name");
        assert!(error.problem.contains("32 hexadecimal digits"), "{error}");
    }
}

#[tokio::test]
async fn fl_080_the_servers_clock_counts_and_not_ours() {
    let text = format!("clock_ahead_s = 480\n{}", machine("i", "l4-90", ""));
    let cloud = start(world(&text)).await;
    assert!(identity(&cloud).await.is_ok());
    assert_eq!(cloud.requests().of("GET /auth/time").len(), 1);
    let (machines, ended) = list(&open(&settings(&cloud))).await;
    assert_eq!((machines.len(), ended), (1, Ok(())));
}

#[tokio::test]
async fn fl_080_a_clock_that_jumps_is_asked_again_once() {
    let cloud = start(world("")).await;
    let provider = open(&settings(&cloud));
    provider.identity(&context()).await.expect("in time");
    cloud.world().ovhcloud.clock_ahead_s = 480;
    provider.identity(&context()).await.expect("in time again");
    // Both calls of it were refused, side by side, and each may have asked.
    let asked = cloud.requests().of("GET /auth/time").len();
    assert!((2..=3).contains(&asked), "{asked}");

    // Whatever time is told, it is wrong: that is named as the clock's fault, and ends.
    let body = r#"{"errorCode": "QUERY_TIME_OUT", "message": "Query out of time"}"#.to_owned();
    let content_type = "application/json".to_owned();
    let effect = Effect::Answer { status: 400, body, content_type };
    cloud.add_fault(Fault::always(effect).at("GET /cloud/project/{project}"));
    let before = cloud.requests().of("GET /cloud/project/{project}").len();
    let error = provider.identity(&context()).await.expect_err("out of time");
    assert_eq!(error.kind, ErrorKind::ClockSkew);
    assert_eq!(cloud.requests().of("GET /cloud/project/{project}").len() - before, 2);
    assert_eq!(cloud.requests().of("GET /auth/time").len(), asked + 1);
}

#[tokio::test]
async fn fl_081_an_expired_consumer_key_is_not_tried_again() {
    let cloud = start(world("")).await;
    let expires = Some("1h".parse().expect("valid"));
    cloud.world().ovhcloud.project_mut(PROJECT).expect("there").expires = expires;
    let error = identity(&cloud).await.expect_err("expired");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert!(error.detail.contains("This credential is not valid"), "{error}");
    assert!(error.request_id.is_some_and(|id| id.starts_with("EU.sim-1.")));
    assert_eq!(cloud.requests().of("GET /cloud/project/{project}").len(), 1);
}

#[tokio::test]
async fn a_wrong_secret_is_refused_and_never_quoted() {
    let cloud = start(world("")).await;
    let mut settings = settings(&cloud);
    for key in ["application_secret", "consumer_key", "application_key"] {
        settings.credentials.insert(key.to_owned(), SecretString::from("canary-wrong"));
        let provider = open(&settings);
        let error = provider.identity(&context()).await.expect_err("wrong");
        assert_eq!(error.kind, ErrorKind::CredentialsRejected, "{key}");
        assert!(!format!("{error} {error:?} {provider:?}").contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn a_missing_right_is_named_as_iam_spells_it() {
    let cloud = start(world("")).await;
    cloud.world().ovhcloud.project_mut(PROJECT).expect("there").denied =
        vec!["get".to_owned(), "instance/get".to_owned()];
    let permission = |right: &str| ErrorKind::Denied {
        permission: format!("publicCloudProject:apiovh:{right}"),
    };
    assert_eq!(identity(&cloud).await.expect_err("denied").kind, permission("get"));
    let (machines, ended) = list(&open(&settings(&cloud))).await;
    assert!(machines.is_empty());
    assert_eq!(ended.expect_err("denied").kind, permission("instance/get"));
}

#[tokio::test]
async fn a_service_account_logs_in_once() {
    let cloud = start(world(&machine("i", "l4-90", ""))).await;
    let mut settings = settings(&cloud);
    settings.credentials.clear();
    for (key, value) in [("client_id", "canary-client"), ("client_secret", "canary-client-secret")]
    {
        settings.credentials.insert(key.to_owned(), SecretString::from(value));
    }
    let provider = open(&settings);
    let identity = provider.identity(&context()).await.expect("granted");
    assert_eq!(identity.login, "a service account for project \"ml-research\"");
    let (machines, ended) = list(&provider).await;
    assert_eq!((machines.len(), ended), (1, Ok(())));
    let requests = cloud.requests();
    assert_eq!(requests.of("POST /auth/oauth2/token").len(), 1);
    assert!(requests.changing().is_empty());

    settings.credentials.insert("client_secret".to_owned(), SecretString::from("canary-wrong"));
    let error = open(&settings).identity(&context()).await.expect_err("unknown");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert!(!format!("{error:?}").contains("canary"), "{error:?}");
}

#[tokio::test]
async fn fl_082_a_pasted_line_end_does_no_harm() {
    let cloud = start(world("")).await;
    let mut settings = settings(&cloud);
    let pasted = SecretString::from("canary-consumer\r\n");
    settings.credentials.insert("consumer_key".to_owned(), pasted);
    assert!(open(&settings).identity(&context()).await.is_ok());
}
