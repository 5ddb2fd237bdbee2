//! Lambda's answers: what is in the world as JSON, and errors in their envelope.

use http::StatusCode;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::lambda::types::InstanceType;
use crate::lambda::world::{Account, FileSystem, Instance, LambdaWorld};
use crate::wire::Reply;

/// What the gateway in front of the API says to who is too fast.
const BANNED: &str = "<!doctype html><html><body>The owner of this website has banned you \
                      temporarily from accessing this website.</body></html>";

/// An error in the API's envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Problem {
    status: StatusCode,
    code: &'static str,
    message: &'static str,
}

impl Problem {
    pub(crate) const INVALID_KEY: Self = Self::new(
        StatusCode::UNAUTHORIZED,
        "global/invalid-api-key",
        "API key was invalid, expired, or deleted.",
    );
    pub(crate) const INACTIVE: Self =
        Self::new(StatusCode::FORBIDDEN, "global/account-inactive", "Your account is inactive.");
    pub(crate) const FORBIDDEN: Self =
        Self::new(StatusCode::FORBIDDEN, "global/forbidden", "Forbidden.");
    pub(crate) const NOT_FOUND: Self =
        Self::new(StatusCode::NOT_FOUND, "global/not-found", "The requested path was not found.");
    pub(crate) const NO_OBJECT: Self = Self::new(
        StatusCode::NOT_FOUND,
        "global/object-does-not-exist",
        "Specified instance does not exist.",
    );
    pub(crate) const INVALID: Self =
        Self::new(StatusCode::BAD_REQUEST, "global/invalid-parameters", "Invalid request data.");
    /// What a machine that cannot be terminated now, or is reserved, is answered with.
    pub(crate) const CONFLICT: Self = Self::new(
        StatusCode::CONFLICT,
        "global/conflict",
        "Request conflicts with the current state of the resource.",
    );
    /// What a second terminate of the same machine is answered with.
    pub(crate) const UNKNOWN: Self =
        Self::new(StatusCode::BAD_REQUEST, "global/unknown", "An unknown error occurred.");

    const fn new(status: StatusCode, code: &'static str, message: &'static str) -> Self {
        Self { status, code, message }
    }

    pub(crate) fn reply(self, request_id: &str) -> Reply {
        let error = json!({
            "code": self.code,
            "message": self.message,
            "suggestion": "Check your request, then try again.",
            "request_id": request_id.replace('-', ""),
        });
        Reply::json(self.status, &json!({ "error": error }))
    }
}

pub(crate) fn banned() -> Reply {
    Reply::new(StatusCode::TOO_MANY_REQUESTS, "text/html", BANNED)
}

pub(crate) fn instances(world: &LambdaWorld, account: &Account, cluster: Option<&str>) -> Value {
    world
        .machines(&account.name)
        .filter(|machine| cluster.is_none() || machine.cluster.as_deref() == cluster)
        .map(|machine| instance(world, machine))
        .collect()
}

pub(crate) fn instance(world: &LambdaWorld, machine: &Instance) -> Value {
    let action = machine.unavailable().map_or_else(|| json!({ "available": true }), unavailable);
    let mounts: Vec<Value> = world
        .file_systems(&machine.account)
        .filter(|it| it.region == machine.region && machine.file_systems.contains(&it.name))
        .map(|it| json!({ "mount_point": mount_point(it), "file_system_id": it.id }))
        .collect();
    let tags: Vec<Value> =
        machine.tags.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
    let mut shown = json!({
        "id": machine.id,
        "status": machine.status(),
        "ssh_key_names": machine.ssh_keys,
        "file_system_names": machine.file_systems,
        "region": region(&machine.region),
        "instance_type": world
            .types()
            .get(&machine.machine_type)
            .map(|kind| instance_type(&machine.machine_type, kind)),
        "actions": {
            "migrate": action, "rebuild": action, "restart": action,
            "cold_reboot": action, "terminate": action,
        },
        "tags": tags,
    });
    if let Value::Object(fields) = &mut shown {
        if let Some(name) = &machine.name {
            fields.insert("name".to_owned(), json!(name));
        }
        if machine.status() != "booting" {
            // A secret that the real API hands to everybody with a key.
            let token = format!("jupyter-secret-{}", machine.id);
            let url = format!("https://jupyter-{}.lambdaspaces.com/?token={token}", machine.id);
            fields.insert("ip".to_owned(), json!("198.51.100.2"));
            fields.insert("private_ip".to_owned(), json!("10.0.2.100"));
            fields.insert("hostname".to_owned(), json!("198-51-100-2"));
            fields.insert("jupyter_token".to_owned(), json!(token));
            fields.insert("jupyter_url".to_owned(), json!(url));
        }
        if !mounts.is_empty() {
            fields.insert("file_system_mounts".to_owned(), json!(mounts));
        }
        if machine.reserved {
            fields.insert("is_reserved".to_owned(), json!(true));
        }
        fields.extend(machine.patched().unwrap_or_default());
    }
    shown
}

pub(crate) fn instance_types(world: &LambdaWorld) -> Value {
    let entry = |(name, kind): (&String, &InstanceType)| {
        let shown = json!({
            "instance_type": instance_type(name, kind),
            "regions_with_capacity_available": [region("us-east-1")],
        });
        (name.clone(), shown)
    };
    Value::Object(world.types().iter().map(entry).collect())
}

pub(crate) fn file_systems(world: &LambdaWorld, clock: &Clock, account: &Account) -> Value {
    let in_use = |it: &FileSystem| {
        world
            .machines(&account.name)
            .any(|machine| machine.region == it.region && machine.file_systems.contains(&it.name))
    };
    world
        .file_systems(&account.name)
        .map(|it| {
            json!({
                "id": it.id,
                "name": it.name,
                "mount_point": mount_point(it),
                "created": clock.resolve(it.created).format("%Y-%m-%dT%H:%M:%SZ").to_string(),
                "created_by": {
                    "id": "00112233445566778899aabbccddeeff",
                    "email": it.created_by,
                    "status": "active",
                },
                "is_in_use": in_use(it),
                "region": region(&it.region),
                "bytes_used": it.bytes_used,
            })
        })
        .collect()
}

pub(crate) fn ssh_keys(account: &Account) -> Value {
    let key = |(index, name): (usize, &String)| {
        json!({
            "id": format!("{:032x}", index + 1),
            "name": name,
            "public_key": format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIG {name}"),
        })
    };
    account.ssh_keys.iter().enumerate().map(key).collect()
}

fn instance_type(name: &str, kind: &InstanceType) -> Value {
    json!({
        "name": name,
        "description": kind.description,
        "gpu_description": kind.gpu_description,
        "price_cents_per_hour": kind.cents,
        "specs": {
            "vcpus": kind.vcpus,
            "memory_gib": kind.memory_gib,
            "storage_gib": kind.storage_gib,
            "gpus": kind.gpus,
        },
    })
}

fn region(name: &str) -> Value {
    json!({ "name": name, "description": format!("Region {name}") })
}

fn mount_point(file_system: &FileSystem) -> String {
    format!("/lambda/nfs/{}", file_system.name)
}

fn unavailable(code: &str) -> Value {
    json!({
        "available": false,
        "reason_code": code,
        "reason_description": "The action is not available in this state.",
    })
}
