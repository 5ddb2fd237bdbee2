//! The small world that most tests of the AWS wire read.

use reaper_simcloud::{SimCloud, World};

pub(crate) const WORLD: &str = r#"
clock = { start = "2026-01-01T00:00:00Z" }

[[aws.account]]
id = "111122223333"
access_keys = ["AKIAEXAMPLE"]
expired_keys = ["AKIAOLD"]
opted_in = ["me-south-1"]
denied = ["ec2:DescribeTags@eu-west-3"]
roles = [{ name = "reaper", external_id = "x1" }]

[[aws.account]]
id = "444455556666"
access_keys = ["AKIAOTHER"]

[aws.types."p4d.3xlarge"]
vcpus = 12
memory_mib = 147456
gpus = [{ name = "A100", count = 1, memory_mib = 40960 }]
regions = ["eu-west-1"]

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0a"
type = "p4d.3xlarge"
launched = "720h"
created = "2025-06-01T00:00:00Z"
public_ip = "203.0.113.7"
volumes = [{ id = "vol-0a" }]
tags = { Name = "notebook <test> & more" }

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0b"
type = "g5.xlarge"
launched = "3h"
becomes = [{ state = "stopping", at = "+1m" }, { state = "stopped", at = "+2m" }]
spot = { kind = "one-time", request = "sir-0b" }
tags = { owner = "alice", project = "atlas" }
tags_withheld = true
disable_api_stop = true

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0c"
type = "g6.xlarge"
launched = "3h"
operator = { principal = "eks.amazonaws.com" }

[[aws.instance]]
account = "111122223333"
region = "eu-west-1"
id = "i-0d"
type = "m7i.large"
state = "terminated"
launched = "3h"
volumes = [{ id = "vol-0d" }]

[[aws.instance]]
account = "444455556666"
region = "eu-west-1"
id = "i-0e"
type = "g99x.48xlarge"
launched = "3h"
capacity_block = "cb-1"
"#;

pub(crate) async fn start() -> SimCloud {
    let world = World::from_toml(WORLD).expect("a valid world");
    SimCloud::start(world).await.expect("a free port")
}

/// The body of a request to EC2.
pub(crate) fn ec2(action: &str) -> String {
    format!("Action={action}&Version=2016-11-15")
}
