//! Proxies. They are set by environment variables, which a test cannot change for itself, so the
//! client runs in a process of its own: this same test again, told by a variable that it is the child.

use std::sync::Arc;

use reaper_http::{Call, Client};
use reaper_provider::AccountSettings;
use tokio::process::Command;

use crate::scripted::{CANARY, Plain, UNPACED, context, url};
use crate::server::{Behaviour, Server};

const TARGETS: [&str; 3] =
    ["https://api.provider.example/x", "https://localhost:9/x", "http://127.0.0.1:9/x"];

/// Tells the child that it is one.
const CHILD: &str = "REAPER_HTTP_TEST_CHILD";

#[tokio::test]
async fn fl_072_a_proxy_is_used_but_for_its_exceptions_and_a_407_is_named() {
    #[expect(clippy::disallowed_methods, reason = "how a test speaks to its own child")]
    if std::env::var_os(CHILD).is_some() {
        return ask_all_targets().await;
    }
    let refusal = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
    let proxy = Server::start(vec![Behaviour::Say(refusal.into())], None).await;
    let address = format!("http://user:{CANARY}@{}", proxy.addr);
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "--nocapture"])
        .arg("proxy::fl_072_a_proxy_is_used_but_for_its_exceptions_and_a_407_is_named")
        .env(CHILD, "1")
        .env("HTTPS_PROXY", &address)
        .env("HTTP_PROXY", &address)
        .env("NO_PROXY", "localhost")
        .output()
        .await
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("(api.provider.example: "), "{said}");
    assert!(said.contains("proxy authorization required"), "{said}");
    assert!(said.contains("(localhost:9: ") && said.contains("(127.0.0.1:9: "), "{said}");
    assert_eq!(proxy.connections(), 1);
    assert!(proxy.first_head().await.starts_with("connect api.provider.example:443 "));
}

/// The child: with proxies in its environment.
#[expect(clippy::print_stdout, reason = "how the child speaks to its test")]
async fn ask_all_targets() {
    let mut settings = AccountSettings::named("test");
    settings.limits.attempts = 1;
    let client = Client::open(&settings, UNPACED, Arc::new(Plain)).expect("opens");
    for target in TARGETS {
        let call = Call::read("x:List", url(target));
        println!("{}", client.send(&context(), &call).await.expect_err("nobody answers"));
    }
}
