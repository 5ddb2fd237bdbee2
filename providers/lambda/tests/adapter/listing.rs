//! What is listed, how old it is, what it costs, and whose account it is.

use reaper_model::{Ignorance, Meter, Purchase, State, StopKind};
use reaper_provider::{ErrorKind, Surroundings};
use reaper_simcloud::{Effect, Fault};

use crate::support::{KEY, answer, cloud, context, list, list_with, machine, open, settings};

#[tokio::test]
async fn one_call_lists_all_regions_and_only_accelerated_machines() {
    let fleet = [
        machine("aa", "name = \"notebook\"\ntags = { owner = \"alice\", ttl-hours = \"24\" }"),
        machine("bb", "type = \"gpu_8x_h100_sxm5\"").replacen("type = \"gpu_1x_a10\"\n", "", 1),
        machine("cc", "type = \"cpu_4x_general\"").replacen("type = \"gpu_1x_a10\"\n", "", 1),
    ];
    let cloud = cloud(&fleet.concat().replacen("us-west-1", "us-east-3", 1)).await;
    let listed = list(&cloud).await;
    listed.end.as_ref().expect("complete");
    assert_eq!(listed.machines.len(), 2);
    assert_eq!(cloud.requests().of("GET /api/v1/instances").len(), 1);

    let notebook = listed.machine("aa");
    assert_eq!(notebook.id.to_string(), "lambda/ssh-key:ops-2026/us-east-3/aa");
    assert_eq!(notebook.name.value().map(String::as_str), Some("notebook"));
    assert_eq!((notebook.state, notebook.meter), (State::Running, Meter::Running));
    let tags = notebook.tags.value().expect("tags").raw();
    assert_eq!(tags, ["owner=alice", "ttl-hours=24"]);
    assert_eq!(notebook.stop.kind, StopKind::Terminate);
    assert!(notebook.unreadable.is_empty(), "{:?}", notebook.unreadable);

    let big = listed.machine("bb");
    let gpu = big.gpu.value().expect("a GPU");
    assert_eq!((gpu.model.as_str(), gpu.count.to_string().as_str()), ("H100 SXM5", "8"));
    assert_eq!(gpu.memory_gib.map(|memory| memory.to_string()).as_deref(), Some("640"));
    assert!(big.tags.source().is_some() && big.tags.value().is_none(), "{:?}", big.tags);
}

#[tokio::test]
async fn fl_009_the_ladder_of_ages() {
    let fleet = [
        machine("aa", "launched = \"720h\""),
        machine("bb", "name = \"job--2026-11-01-00-00-00Z\""),
        machine("cc", ""),
        machine("dd", "launched = \"1h\"\nname = \"job--2026-11-01-00-00-00Z\""),
    ];
    let listed = list(&cloud(&fleet.concat()).await).await;
    let age = |id: &str| {
        listed.machine(id).created_at.value().map(|time| (context().now - *time).num_hours())
    };
    assert_eq!((age("aa"), age("bb"), age("cc"), age("dd")), (Some(720), Some(657), None, Some(1)));
    let gap = listed.machine("cc").created_at.gap().expect("a gap");
    assert_eq!(gap.kind, Ignorance::NotOffered);
    assert_eq!(gap.why, "Lambda shows no launch time, and no audit event names it");
}

#[tokio::test]
async fn the_audit_log_is_optional() {
    let account = "denied = [\"audit-events\"]";
    let denied =
        list(&cloud(&format!("{account}\n{}", machine("aa", "launched = \"9h\""))).await).await;
    denied.end.as_ref().expect("complete");
    let gap = denied.machine("aa").created_at.gap().expect("a gap").clone();
    assert_eq!(gap.kind, Ignorance::NotOffered);
    assert!(gap.why.contains("permission lambda:ListAuditEvents is missing"), "{gap}");

    let broken = cloud(&machine("aa", "launched = \"9h\"")).await;
    answer(&broken, "GET /api/v1/audit-events", 500, "");
    let listed = list(&broken).await;
    listed.end.as_ref().expect("the listing itself is complete");
    let gap = listed.machine("aa").created_at.gap().expect("a gap").clone();
    assert_eq!(gap.kind, Ignorance::ReadFailed);
}

#[tokio::test]
async fn fl_009_an_audit_log_that_is_too_long_tells_no_launch() {
    let fleet = |count: u32| -> String {
        let launched = |index| format!("launched = \"{}h\"", index + 1);
        (0..count).map(|index| machine(&format!("a{index}"), &launched(index))).collect()
    };
    let whole = cloud(&fleet(18)).await;
    whole.world().lambda.audit_page = 1;
    let listed = list(&whole).await;
    assert_eq!(whole.requests().of("GET /api/v1/audit-events").len(), 20, "18 machines, 2 keys");
    assert!(listed.warnings.is_empty(), "{:?}", listed.warnings);
    assert!(listed.machines.iter().all(|machine| machine.created_at.value().is_some()));

    let long = cloud(&fleet(19)).await;
    long.world().lambda.audit_page = 1;
    let listed = list(&long).await;
    listed.end.as_ref().expect("the listing itself is complete");
    assert_eq!(long.requests().of("GET /api/v1/audit-events").len(), 20);
    assert_eq!(listed.warnings, ["audit-log-cut"]);
    let kinds: Vec<_> =
        listed.machines.iter().map(|it| it.created_at.gap().map(|gap| gap.kind)).collect();
    assert_eq!(kinds, [Some(Ignorance::Unusable); 19]);
}

#[tokio::test]
async fn an_audit_log_that_goes_round_in_circles_ends() {
    let cloud = cloud(&machine("aa", "launched = \"9h\"")).await;
    let page = r#"{"data": [], "page_token": "again"}"#;
    answer(&cloud, "GET /api/v1/audit-events", 200, page);
    let listed = list(&cloud).await;
    listed.end.as_ref().expect("the listing itself is complete");
    assert!(listed.machine("aa").created_at.gap().is_some());
    assert_eq!(cloud.requests().of("GET /api/v1/audit-events").len(), 2);
}

#[tokio::test]
async fn fl_111_cents_are_no_dollars_and_zero_is_no_price() {
    let types = "[lambda.types.gpu_1x_new]\ndescription = \"1x N1 (12 GB)\"\n\
                 gpu_description = \"N1 (12 GB)\"\ncents = 249\nvcpus = 1\nmemory_gib = 1\n\
                 storage_gib = 512\ngpus = 1\n";
    let fleet = [
        machine("aa", "type = \"gpu_1x_new\"").replacen("type = \"gpu_1x_a10\"\n", "", 1),
        machine(
            "bb",
            r#"patch = '{"instance_type": {"name": "gpu_1x_a10", "price_cents_per_hour": 0}}'"#,
        ),
        machine("cc", r#"patch = '{"instance_type": {"name": "gpu_1x_a10"}}'"#),
        machine("dd", r#"patch = '{"instance_type": {"name": "p9x.192xlarge"}}'"#),
    ];
    let listed = list(&cloud(&format!("{types}{}", fleet.concat())).await).await;
    assert_eq!(listed.price("aa"), "2.49 USD");
    assert_eq!(listed.price("bb"), "Lambda says 0 cents per hour, which is no price");
    assert_eq!(listed.price("cc"), "1.29 USD", "from the list");
    assert_eq!(listed.price("dd"), "neither Lambda nor the list names one for p9x.192xlarge");
    let gpu = listed.machine("aa").gpu.value().expect("described").clone();
    assert_eq!(
        (gpu.model.as_str(), gpu.memory_gib.map(|it| it.to_string())),
        ("N1", Some("12".into()))
    );
    // FL-085: a type nobody knows is not dropped.
    assert_eq!(listed.machine("dd").machine_type.as_str(), "p9x.192xlarge");
    assert!(listed.machine("dd").gpu.gap().is_some());
}

#[tokio::test]
async fn what_speaks_against_ending_a_machine() {
    let fleet = [
        machine("aa", "reserved = true"),
        machine("bb", "status = \"booting\""),
        machine("cc", "name = \"lab-1cc-node-3\""),
        machine("dd", "file_systems = [\"data\"]"),
    ];
    let disk = "[[lambda.file_system]]\naccount = \"burst\"\nid = \"f1\"\nname = \"data\"\n\
                region = \"us-west-1\"\ncreated = \"99h\"\ncreated_by = \"bob@example.org\"\n";
    let listed = list(&cloud(&format!("{}{disk}", fleet.concat())).await).await;
    let reserved = listed.machine("aa");
    assert!(matches!(reserved.purchase, Purchase::Reserved(_)) && !reserved.stop.saves);
    let booting = listed.machine("bb");
    assert_eq!((booting.state, booting.meter), (State::Pending, Meter::StoppedFree));
    assert_eq!(
        booting.stop.objections,
        ["Lambda does not let it be terminated now: vm-has-not-launched"]
    );
    assert_eq!(
        listed.machine("cc").manager.value().map(|it| it.kind.as_str()),
        Some("1-click-cluster")
    );
    let attached = &listed.machine("dd").attached;
    assert_eq!((attached[0].kind, attached[0].id.as_str()), ("filesystem", "f1"));
}

#[tokio::test]
async fn nodes_of_a_configured_cluster_are_managed() {
    let cloud = cloud(&format!("{}{}", machine("aa", "cluster = \"c1\""), machine("bb", ""))).await;
    let mut settings = settings(&cloud);
    settings.lists.insert("cluster_ids".into(), vec!["c1".into()]);
    let listed = list_with(settings).await;
    let manager = |id: &str| listed.machine(id).manager.value().map(|it| it.name.clone());
    assert_eq!((manager("aa").as_deref(), manager("bb")), (Some("c1"), None));
}

#[tokio::test]
async fn fl_078_the_account_is_called_after_an_ssh_key() {
    let cloud = cloud("").await;
    let account = async |pin: Option<&str>| {
        let mut settings = settings(&cloud);
        if let Some(pin) = pin {
            settings.expect_account = Some(pin.into());
        }
        open(settings).identity(&context()).await.expect("identity")
    };
    assert_eq!(account(Some("ssh-key:ops-2026")).await.account.as_str(), "ssh-key:ops-2026");
    // A pin that is not there never comes back as itself.
    assert_eq!(account(Some("ssh-key:other")).await.account.as_str(), "ssh-key:alice-laptop");
    let free = account(None).await;
    assert_eq!(free.account.as_str(), "ssh-key:alice-laptop");
    assert_eq!(free.login, "an API key; the account's SSH keys: alice-laptop, ops-2026");
}

#[tokio::test]
async fn fl_084_without_a_key_nothing_opens_and_nothing_is_sent() {
    let cloud = cloud("").await;
    let mut keyless = settings(&cloud);
    keyless.credentials.clear();
    let error = (reaper_lambda::DESCRIPTOR.open)(keyless, Surroundings::NONE).expect_err("no key");
    assert!(error.problem.contains("LAMBDA_API_KEY"), "{error}");
    let mut odd = settings(&cloud);
    odd.expect_account = Some("111122223333".into());
    let error = (reaper_lambda::DESCRIPTOR.open)(odd, Surroundings::NONE).expect_err("no such pin");
    assert!(error.problem.contains("ssh-key:NAME"), "{error}");
    assert!(cloud.requests().is_empty());
}

#[tokio::test]
async fn fl_082_a_key_with_a_line_end_works() {
    let cloud = cloud(&machine("aa", "")).await;
    let mut settings = settings(&cloud);
    settings.credentials.insert("api_key".into(), format!("{KEY}\r\n").into());
    list_with(settings).await.end.expect("complete");
}

#[tokio::test]
async fn refusals_are_told_apart_and_never_an_empty_list() {
    let cloud = cloud(&machine("aa", "")).await;
    let mut wrong = settings(&cloud);
    wrong.credentials.insert("api_key".into(), "secret_wrong_canary".into());
    let error = list_with(wrong).await.end.expect_err("refused");
    assert_eq!(error.kind, ErrorKind::CredentialsRejected);
    assert!(error.request_id.is_some());

    for account in ["inactive = true", "denied = [\"instances\"]"] {
        let cloud = crate::support::cloud(account).await;
        let error = list(&cloud).await.end.expect_err("denied");
        let permission = "lambda:ListInstances".to_owned();
        assert_eq!(error.kind, ErrorKind::Denied { permission }, "{account}");
    }
    for effect in [Effect::Throttle { retry_after: None }, Effect::Cut, Effect::Hangup] {
        let cloud = crate::support::cloud(&machine("aa", "")).await;
        cloud.add_fault(Fault::always(effect.clone()));
        let listed = list(&cloud).await;
        let kind = listed.end.expect_err("broken").kind;
        assert!(
            matches!(kind, ErrorKind::Throttled | ErrorKind::Unreachable),
            "{effect:?}: {kind:?}"
        );
        assert!(listed.machines.is_empty());
    }
}

#[tokio::test]
async fn several_keys_stand_side_by_side() {
    let other = "[[lambda.account]]\nname = \"lab\"\napi_key = \"secret_lab_canary456\"\n\
                 ssh_keys = [\"lab-2026\"]\n";
    let in_lab = machine("bb", "").replacen("burst", "lab", 1);
    let cloud = cloud(&format!("{other}{}{in_lab}", machine("aa", ""))).await;
    let mut lab = settings(&cloud);
    lab.credentials.insert("api_key".into(), "secret_lab_canary456".into());
    let (burst, lab) = tokio::join!(list(&cloud), list_with(lab));
    let ids = |listed: &crate::support::Listed| {
        listed.machines.iter().map(|machine| machine.id.native.clone()).collect::<Vec<_>>()
    };
    assert_eq!((ids(&burst), ids(&lab)), (vec!["aa".to_owned()], vec!["bb".to_owned()]));
}
