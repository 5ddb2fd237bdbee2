//! The variables and files that each provider's own tools use are enough.

use super::ALL;
use crate::support::{LAMBDA, NOW, OVHCLOUD, OWNERLESS, PROJECT, Reaper, SCALEWAY, Sim};

/// A configuration that names the provider and nothing else; `project` is one variable away too.
fn bare(provider: &str) -> String {
    format!(
        "version = 1\n[[account]]\nname = \"it\"\nprovider = \"{provider}\"\n\
         [pace]\nlambda = {{ per_second = 50 }}\n{OWNERLESS}"
    )
}

/// Audits with nothing but what `reaper` brings along; one machine must be there.
async fn reads(sim: &Sim, reaper: Reaper) {
    let before = sim.cloud.requests().len();
    let ran = reaper.env("REAPER_NOW", NOW).beside(&["audit", "--format", "json"]).await.exits(0);
    assert_eq!(ran.json()["totals"]["instances"], 1, "{}", ran.stderr);
    assert!(sim.cloud.requests().len() > before);
}

async fn scaleway() -> Sim {
    SCALEWAY
        .serve(
            "[[scaleway.server]]\norganization = \"11111111-1111-4111-8111-000000000001\"\n\
             zone = \"fr-par-2\"\nid = \"s-1\"\ntype = \"L4-1-24G\"\ncreated = \"240h\"\n",
        )
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn scaleways_variables_and_config_yaml_are_enough() {
    let sim = scaleway().await;
    let url = sim.cloud.base_url("scaleway");
    let [(_, access), (_, secret)] = SCALEWAY.keys else { panic!("two keys") };
    let reaper = Reaper::with_config(&bare("scaleway"))
        .env("SCW_ACCESS_KEY", access)
        .env("SCW_SECRET_KEY", secret)
        .env("SCW_API_URL", &url);
    reads(&sim, reaper).await;

    let file = format!(
        "access_key: SCWWRONG000000000000\nsecret_key: wrong\nactive_profile: other\nprofiles:\n  \
         other:\n    secret_key: wrong\n  gpu:\n    access_key: {access}\n    \
         secret_key: {secret}\n    api_url: {url}\n"
    );
    let reaper = Reaper::with_config(&bare("scaleway"))
        .file("config.yaml", &file)
        .env("SCW_CONFIG_PATH", "config.yaml")
        .env("SCW_PROFILE", "gpu");
    reads(&sim, reaper).await;
    let named = bare("scaleway").replace("\n[pace]", "\nprofile = \"gpu\"\n[pace]");
    let reaper = Reaper::with_config(&named)
        .file("config.yaml", &file)
        .env("SCW_CONFIG_PATH", "config.yaml")
        .env("SCW_SECRET_KEY", "of-somebody-else");
    reads(&sim, reaper).await;
}

async fn ovhcloud() -> Sim {
    let machine = format!(
        "[[ovhcloud.instance]]\nproject = \"{PROJECT}\"\nregion = \"GRA11\"\nid = \"o-1\"\n\
         flavor = \"l4-90\"\ncreated = \"240h\"\n"
    );
    OVHCLOUD.serve(&machine).await
}

#[tokio::test(flavor = "multi_thread")]
async fn ovhclouds_variables_and_ovh_conf_are_enough() {
    let sim = ovhcloud().await;
    let url = sim.cloud.base_url("ovhcloud");
    let base = || Reaper::with_config(&bare("ovhcloud"));
    let keys = OVHCLOUD.keys.iter().fold(base(), |reaper, (name, value)| reaper.env(name, value));
    let endpoint = format!("{url}/1.0");
    reads(&sim, keys.env("OVH_ENDPOINT", &endpoint).env("OVH_CLOUD_PROJECT_SERVICE", PROJECT))
        .await;

    let account = base()
        .env("OVH_CLIENT_ID", "canaryclient")
        .env("OVH_CLIENT_SECRET", "canaryclientsecret")
        .env("OVH_ENDPOINT", &url)
        .env("OVH_CLOUD_PROJECT_SERVICE", PROJECT);
    reads(&sim, account).await;

    let mut file = format!("[default]\nendpoint={url}\n\n[{url}]\n");
    for (name, value) in OVHCLOUD.keys {
        let key = name.trim_start_matches("OVH_").to_ascii_lowercase();
        file.push_str(&format!("{key}={value}\n"));
    }
    let config =
        bare("ovhcloud").replace("\n[pace]", &format!("\nproject = \"{PROJECT}\"\n[pace]"));
    reads(&sim, Reaper::with_config(&config).file("ovh.conf", &file)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lambdas_variables_are_enough() {
    let machine = "[lambda]\nmin_interval_ms = 0\n[[lambda.instance]]\naccount = \"burst\"\n\
                   region = \"us-east-1\"\nid = \"b-1\"\ntype = \"gpu_1x_a10\"\nlaunched = \"9h\"\n";
    let sim = LAMBDA.serve(machine).await;
    let reaper = Reaper::with_config(&bare("lambda"))
        .env(LAMBDA.keys[0].0, LAMBDA.keys[0].1)
        .env("LAMBDA_API_URL", &sim.cloud.base_url("lambda"));
    reads(&sim, reaper).await;
}

#[test]
fn fl_084_a_provider_without_a_key_is_refused_with_what_to_set() {
    for (provider, variable) in [
        ("scaleway", "SCW_SECRET_KEY"),
        ("ovhcloud", "OVH_APPLICATION_KEY"),
        ("lambda", "LAMBDA_API_KEY"),
    ] {
        let text = bare(provider).replace("\n[pace]", "\nOPTIONS[pace]");
        let options = if provider == "ovhcloud" {
            format!("project = \"{PROJECT}\"\n")
        } else {
            String::new()
        };
        let text =
            text.replace("OPTIONS", &format!("endpoint_url = \"http://127.0.0.1:1\"\n{options}"));
        let ran = Reaper::with_config(&text).run(&["audit", "--format", "json"]).exits(2);
        assert_eq!(ran.json()["outcome"]["class"], "config", "{provider}");
        assert!(ran.stderr.contains(variable), "{provider}: {}", ran.stderr);
    }
}

#[test]
fn init_writes_an_account_for_each_providers_variables() {
    for cloud in ALL {
        let reaper =
            cloud.keys.iter().fold(Reaper::new(), |reaper, (name, value)| reaper.env(name, value));
        let ran = reaper.run(&["init"]).exits(0);
        let text = std::fs::read_to_string(reaper.path().join("reaper.toml")).expect("written");
        assert!(text.contains(&format!("\nprovider = \"{}\"\n", cloud.provider)), "{text}");
        for (name, value) in cloud.keys {
            assert!(
                !text.contains(value) && !ran.all().contains(value),
                "{name} stays where it is"
            );
        }
        // OVHcloud's variables do not say which project; the file does, where one is to be put in.
        let wanted = if cloud.provider == "ovhcloud" { 2 } else { 0 };
        let checked = reaper.run(&["check", "--offline"]).exits(wanted);
        assert!(wanted == 0 || checked.stderr.contains("project"), "{}", checked.stderr);
    }
}
