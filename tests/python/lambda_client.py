"""Asks the simulated Lambda for everything that can be read and validates each answer.

Usage: lambda_client.py ENDPOINT_URL [OPENAPI_DOCUMENT] [act]
Every answer is held against lambda_schema.json, and against Lambda's own OpenAPI document where
there is one. The world is the one in clients.toml. Prints the GPU machines as `reaper audit` should
show them, or with `act` terminates machines and prints the states they end in; exits with 1 and the failed assertion when something is not as it should be.
"""

import json
import sys
from pathlib import Path

import requests
from jsonschema import Draft202012Validator
from openapi_schema_validator import OAS31Validator, oas31_format_checker
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

ENDPOINT = sys.argv[1]
# Fields of real answers that the document, of the same version, does not or no longer name.
UNNAMED = ("architecture", "request_id", "is_reserved")
# Refusals that clients have met and the document does not have for this call.
UNDOCUMENTED = tuple(f"POST /api/v1/instance-operations/terminate {status}" for status in (400, 409))
A100 = "6f2d8b1c40e94a7db3581c9e07a6f2d4"
RESERVED = "b93c05e7d1f84b62905ae47d8c3b16f0"
H100 = "a93c05e7d1f84b62905ae47d8c3b16f0"
LEAVING = "c93c05e7d1f84b62905ae47d8c3b16f0"


def read(path):
    return json.loads(Path(path).read_text())


def sealed(schema):
    """The schema, with no other fields than those it names."""
    if isinstance(schema, list):
        return [sealed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: sealed(part) for key, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        parts.setdefault("additionalProperties", False)
    return parts


def without(value, fields):
    if isinstance(value, list):
        return [without(one, fields) for one in value]
    if isinstance(value, dict):
        return {key: without(one, fields) for key, one in value.items() if key not in fields}
    return value


class Judges:
    """Both schemas, asked by path and status."""

    def __init__(self, document):
        self.own = read(Path(__file__).with_name("lambda_schema.json"))
        self.registry = None
        if document:
            resource = Resource.from_contents(sealed(document), default_specification=DRAFT202012)
            self.registry = Registry().with_resource("urn:lambda", resource)

    def judge(self, method, template, status, body):
        key = f"{method} {template} {status}"
        schema = {"$defs": self.own["$defs"], **self.own["answers"][key]}
        complain(key, Draft202012Validator(schema), body)
        if self.registry and key not in UNDOCUMENTED:
            path = template.replace("/", "~1")
            answer = f"{path}/{method.lower()}/responses/{status}/content/application~1json/schema"
            validator = OAS31Validator(
                {"$ref": f"urn:lambda#/paths/{answer}"},
                registry=self.registry,
                format_checker=oas31_format_checker,
            )
            complain(key, validator, without(body, UNNAMED))


def complain(key, validator, body):
    wrong = [f"{key}: {error.json_path}: {error.message}" for error in validator.iter_errors(body)]
    assert not wrong, wrong


def ask(judges, template, status=200, key="secret_burst_clients", id=None, **query):
    path = template.replace("{id}", id or "")
    headers = {"Authorization": f"Bearer {key}"}
    answer = requests.get(ENDPOINT + path, params=query, headers=headers, timeout=30)
    return judged(judges, template, status, answer)


def judged(judges, template, status, answer):
    method = answer.request.method
    assert answer.status_code == status, (method, template, answer.status_code, answer.text)
    assert answer.headers["content-type"] == "application/json", answer.headers
    body = answer.json()
    judges.judge(method, template, status, body)
    return body


def terminate(judges, *ids, status=200, key="secret_burst_clients"):
    path = "/api/v1/instance-operations/terminate"
    headers = {"Authorization": f"Bearer {key}"}
    answer = requests.post(ENDPOINT + path, json={"instance_ids": ids}, headers=headers, timeout=30)
    return judged(judges, path, status, answer)


def check_refusals(judges):
    one = "/api/v1/instances/{id}"
    for template in ("/api/v1/instances", "/api/v1/ssh-keys", "/api/v1/audit-events"):
        ask(judges, template, 401, key="nobody")
        ask(judges, template, 403, key="secret_inactive_clients")
    forbidden = ask(judges, "/api/v1/instances", 403, key="secret_denied_clients")
    assert forbidden["error"]["code"] == "global/forbidden", forbidden
    ask(judges, one, 404, id="ffffffffffffffffffffffffffffffff")
    ask(judges, "/api/v1/audit-events", 400, page_token="nonsense")
    ask(judges, "/api/v1/audit-events", 400, start="yesterday")


def check_events(judges):
    events, query = [], {}
    while True:
        page = ask(judges, "/api/v1/audit-events", **query)
        events += page["data"]
        if page["page_token"] is None:
            break
        query = {"page_token": page["page_token"]}
    times = [event["event_time"] for event in events]
    assert times == sorted(times, reverse=True), times
    assert len(events) == 6, "five launches and a key"
    h100 = [e for e in events if f"lrn:cloud:instance:{H100}" in e["resource_lrns"]]
    assert [e["event_time"] for e in h100] == ["2026-11-28T18:00:00.000000Z"], h100
    keys = ask(judges, "/api/v1/audit-events", resource_type="cloud.ssh_key")["data"]
    assert [event["resource_name"] for event in keys] == ["ssh_key"], keys


def check_instances(judges):
    listed = {one["id"]: one for one in ask(judges, "/api/v1/instances")["data"]}
    assert len(listed) == 5, list(listed)
    for id, machine in listed.items():
        assert ask(judges, "/api/v1/instances/{id}", id=id)["data"] == machine
    h100 = listed[H100]
    assert h100["instance_type"]["price_cents_per_hour"] > 0, h100
    assert h100["file_system_mounts"][0]["mount_point"] == "/lambda/nfs/datasets", h100
    assert h100["actions"]["terminate"] == {"available": True}, h100
    leaving = listed[LEAVING]["actions"]["terminate"]
    assert leaving["reason_code"] == "vm-is-terminating", leaving
    cluster = ask(judges, "/api/v1/instances", cluster_id="c1")["data"]
    assert [one["id"] for one in cluster] == [LEAVING], cluster
    return listed


def shown(machine):
    """A machine as the audit document shows it."""
    kind = machine["instance_type"]
    return {
        "name": machine.get("name"),
        "provider_state": machine["status"],
        "machine_type": kind["name"],
        "location": machine["region"]["name"],
        "tags": {tag["key"]: tag["value"] for tag in machine["tags"]},
        "gpu": {"count": kind["specs"]["gpus"]},
        "price": {"hourly": {"amount": f"{kind['price_cents_per_hour'] / 100:.2f}", "currency": "USD"}},
    }


def act(judges):
    """Terminates a machine, and reads it back until it is gone."""
    one = "/api/v1/instances/{id}"
    [ended] = terminate(judges, A100)["data"]["terminated_instances"]
    assert (ended["id"], ended["status"]) == (A100, "terminating"), ended
    again = terminate(judges, A100, status=400)["error"]
    assert again["code"] == "global/unknown", again
    on_its_way = ask(judges, one, id=A100)["data"]
    assert on_its_way["actions"]["terminate"]["reason_code"] == "vm-is-terminating", on_its_way
    gone = ask(judges, one, 404, id=A100)["error"]
    assert gone["code"] == "global/object-does-not-exist", gone
    # One that cannot be terminated saves the others of the call.
    terminate(judges, H100, RESERVED, status=409)
    terminate(judges, H100, A100, status=404)
    terminate(judges, H100, status=401, key="nobody")
    terminate(judges, H100, status=403, key="secret_inactive_clients")
    listed = ask(judges, "/api/v1/instances")["data"]
    json.dump({machine["id"]: machine["status"] for machine in listed}, sys.stdout)


def main():
    arguments = [argument for argument in sys.argv[2:] if argument != "act"]
    judges = Judges(read(arguments[0]) if arguments else None)
    if "act" in sys.argv[2:]:
        return act(judges)
    listed = check_instances(judges)
    types = ask(judges, "/api/v1/instance-types")["data"]
    for machine in listed.values():
        kind = machine["instance_type"]
        assert types[kind["name"]]["instance_type"] == kind, kind
    systems = ask(judges, "/api/v1/file-systems")["data"]
    assert [(one["name"], one["is_in_use"]) for one in systems] == [("datasets", True)], systems
    keys = ask(judges, "/api/v1/ssh-keys")["data"]
    assert [key["name"] for key in keys] == ["ops-2026"], keys
    check_events(judges)
    check_refusals(judges)
    machines = {id: shown(one) for id, one in listed.items() if one["instance_type"]["specs"]["gpus"]}
    json.dump({"machines": machines, "by_document": judges.registry is not None}, sys.stdout)


main()
