//! The four providers behind one face: a world of one machine, the call that ends its bill, and a
//! read of it.

use reaper_simcloud::{SimCloud, World};

use crate::client::{EC2, call, rest};
use crate::small_world::ec2;

/// One provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rig {
    pub(crate) provider: &'static str,
    pub(crate) account: &'static str,
    pub(crate) id: &'static str,
    /// What the call does, in one word.
    pub(crate) action: &'static str,
    world: &'static str,
    pub(crate) running: &'static str,
    pub(crate) under_way: &'static str,
    pub(crate) ended: &'static str,
}

pub(crate) const RIGS: [Rig; 4] = [
    Rig {
        provider: "aws",
        account: "111122223333",
        id: "i-0a0a0a0a0a0a0a0a0",
        action: "StopInstances",
        world: "[[aws.account]]\nid = \"111122223333\"\naccess_keys = [\"AKIAEXAMPLE\"]\n\
                [[aws.instance]]\naccount = \"111122223333\"\nregion = \"eu-west-1\"\n\
                type = \"g5.xlarge\"\nlaunched = \"720h\"\n",
        running: "running",
        under_way: "stopping",
        ended: "stopped",
    },
    Rig {
        provider: "ovhcloud",
        account: "0c7a5e91d3f84b26a8e15d70b94f6c32",
        id: "5b0c1d92-8e7f-4a36-b1c4-d7f2906e8a35",
        action: "shelve",
        world: "[[ovhcloud.project]]\nid = \"0c7a5e91d3f84b26a8e15d70b94f6c32\"\n\
                application_key = \"a\"\napplication_secret = \"s\"\nconsumer_key = \"c\"\n\
                client_id = \"reaper\"\nclient_secret = \"secret\"\n\
                [[ovhcloud.instance]]\nproject = \"0c7a5e91d3f84b26a8e15d70b94f6c32\"\n\
                region = \"GRA11\"\nflavor = \"l4-90\"\nname = \"bob--train\"\ncreated = \"720h\"\n",
        running: "ACTIVE",
        under_way: "SHELVING",
        ended: "SHELVED_OFFLOADED",
    },
    Rig {
        provider: "scaleway",
        account: "5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f01",
        id: "b6a1f7d2-4e0c-4b8d-9a35-2f7c61e08d14",
        action: "poweroff",
        world: "[[scaleway.organization]]\nid = \"5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f01\"\n\
                access_key = \"SCW\"\nsecret_key = \"key\"\n\
                [[scaleway.server]]\norganization = \"5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f01\"\n\
                zone = \"fr-par-2\"\ntype = \"L4-1-24G\"\ncreated = \"720h\"\n",
        running: "running",
        under_way: "stopping",
        ended: "stopped",
    },
    Rig {
        provider: "lambda",
        account: "burst",
        id: "6f2d8b1c40e94a7db3581c9e07a6f2d4",
        action: "terminate",
        world: "[lambda]\nmin_interval_ms = 0\n\
                [[lambda.account]]\nname = \"burst\"\napi_key = \"key\"\n\
                [[lambda.instance]]\naccount = \"burst\"\nregion = \"us-east-1\"\n\
                type = \"gpu_1x_a10\"\nname = \"hparam\"\nlaunched = \"720h\"\n",
        running: "active",
        under_way: "terminating",
        ended: "gone",
    },
];

impl Rig {
    /// A served world with its one machine, of which the world file says `more`.
    pub(crate) async fn start(&self, more: &str) -> SimCloud {
        let text = format!("{}id = \"{}\"\n{more}\n", self.world, self.id);
        let world = World::from_toml(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        SimCloud::start(world).await.expect("a free port")
    }

    /// Makes the call that ends the bill: the status it is answered with.
    pub(crate) async fn act(&self, cloud: &SimCloud) -> u16 {
        self.act_on(cloud, self.id).await
    }

    /// The same for another machine of that world.
    pub(crate) async fn act_on(&self, cloud: &SimCloud, id: &str) -> u16 {
        let account = self.account;
        match self.provider {
            "aws" => {
                let body = ec2(&format!("StopInstances&InstanceId.1={id}"));
                call(cloud.addr(), EC2, &body).await.status
            }
            "ovhcloud" => {
                let path = format!("/cloud/project/{account}/instance/{id}/shelve");
                ovh(cloud, &format!("POST /ovhcloud/1.0{path}")).await.0
            }
            "scaleway" => {
                let path = format!("/instance/v1/zones/fr-par-2/servers/{id}/action");
                scaleway(cloud, &format!("POST /scaleway{path}"), r#"{"action":"poweroff"}"#)
                    .await
                    .0
            }
            _ => {
                let body = format!(r#"{{"instance_ids":["{id}"]}}"#);
                lambda(cloud, "POST /lambda/api/v1/instance-operations/terminate", &body).await.0
            }
        }
    }

    /// The provider's word for the machine's state, by a read of this machine alone.
    pub(crate) async fn state(&self, cloud: &SimCloud) -> String {
        self.state_of(cloud, self.id).await
    }

    /// The same for another machine of that world.
    pub(crate) async fn state_of(&self, cloud: &SimCloud, id: &str) -> String {
        let account = self.account;
        let (status, word) = match self.provider {
            "aws" => {
                let body = ec2(&format!("DescribeInstances&InstanceId.1={id}"));
                let answer = call(cloud.addr(), EC2, &body).await;
                let word = if answer.status == 200 { answer.text("name") } else { String::new() };
                // EC2 says that there is no such machine with a 400.
                let gone = answer.body.contains("InvalidInstanceID.NotFound");
                (if gone { 404 } else { answer.status }, word)
            }
            "ovhcloud" => {
                let path = format!("/cloud/project/{account}/instance/{id}");
                let (status, body) = ovh(cloud, &format!("GET /ovhcloud/1.0{path}")).await;
                (status, body["status"].as_str().unwrap_or_default().to_owned())
            }
            "scaleway" => {
                let path = format!("/instance/v1/zones/fr-par-2/servers/{id}");
                let (status, body) = scaleway(cloud, &format!("GET /scaleway{path}"), "").await;
                (status, body["server"]["state"].as_str().unwrap_or_default().to_owned())
            }
            _ => {
                let target = format!("GET /lambda/api/v1/instances/{id}");
                let (status, body) = lambda(cloud, &target, "").await;
                (status, body["data"]["status"].as_str().unwrap_or_default().to_owned())
            }
        };
        match status {
            200 => word,
            404 => "gone".to_owned(),
            other => panic!("{} answers {other}", self.provider),
        }
    }

    /// The ids in the provider's list.
    pub(crate) async fn listed(&self, cloud: &SimCloud) -> Vec<String> {
        let ids = |list: &serde_json::Value| -> Vec<String> {
            let machines = list.as_array().expect("a list");
            machines.iter().filter_map(|one| one["id"].as_str()).map(str::to_owned).collect()
        };
        match self.provider {
            "aws" => call(cloud.addr(), EC2, &ec2("DescribeInstances")).await.texts("instanceId"),
            "ovhcloud" => {
                let path = format!("/cloud/project/{}/instance", self.account);
                ids(&ovh(cloud, &format!("GET /ovhcloud/1.0{path}")).await.1)
            }
            "scaleway" => {
                let target = "GET /scaleway/instance/v1/zones/fr-par-2/servers";
                ids(&scaleway(cloud, target, "").await.1["servers"])
            }
            _ => ids(&lambda(cloud, "GET /lambda/api/v1/instances", "").await.1["data"]),
        }
    }
}

/// A call of the service account, which logs in first.
pub(crate) async fn ovh(cloud: &SimCloud, target: &str) -> (u16, serde_json::Value) {
    let login = "grant_type=client_credentials&client_id=reaper&client_secret=secret";
    let token = "POST /ovhcloud/auth/oauth2/token";
    let (status, session) = rest(cloud.addr(), token, "x-none: 1", login).await;
    assert_eq!(status, 200, "{session}");
    let token = session["access_token"].as_str().expect("a token");
    rest(cloud.addr(), target, &format!("authorization: Bearer {token}"), "").await
}

pub(crate) async fn scaleway(
    cloud: &SimCloud,
    target: &str,
    body: &str,
) -> (u16, serde_json::Value) {
    rest(cloud.addr(), target, "x-auth-token: key", body).await
}

pub(crate) async fn lambda(cloud: &SimCloud, target: &str, body: &str) -> (u16, serde_json::Value) {
    rest(cloud.addr(), target, "authorization: Bearer key", body).await
}
