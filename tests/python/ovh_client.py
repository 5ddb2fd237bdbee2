"""Reads the simulated OVHcloud with OVHcloud's own Python client and checks what comes out.

Usage: ovh_client.py ENDPOINT_URL [RECORDED] [act]
The client promises no more than JSON, so answers are held against ovh_schema.json too, and those of
the folder RECORDED where it is named. The world is the one in clients.toml. Prints the GPU machines as `reaper audit` should show them, or with `act`
changes machines and prints the states they end in; exits with 1 and the failed assertion when
something is not as it should be.
"""

import json
import os
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

# The simulator has no TLS, without which the OAuth2 library lets no secret out.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
import ovh
import ovh.client
from ovh.exceptions import (
    APIError,
    BadParametersError,
    InvalidCredential,
    InvalidKey,
    NotCredential,
    OAuth2FailureError,
    ResourceConflictError,
    ResourceNotFoundError,
)

ENDPOINT = sys.argv[1]
PROJECT = "0c7a5e91d3f84b26a8e15d70b94f6c32"
ROOT = f"/cloud/project/{PROJECT}"
ASR = "5b0c1d92-8e7f-4a36-b1c4-d7f2906e8a35"
WHISPER = "c83e6f04-2a9d-4715-8b60-f4e1d5a7c920"
NODE = "17f4a9d5-6c0e-4b83-92d1-a5e8c3b07f64"
WEB = "27f4a9d5-6c0e-4b83-92d1-a5e8c3b07f64"
GONE = "99f4a9d5-6c0e-4b83-92d1-a5e8c3b07f64"

SHAPES = json.loads(Path(__file__).with_name("ovh_schema.json").read_text())["$defs"]

# The client takes no address, only names of these tables.
ovh.client.ENDPOINTS["ovh-eu"] = f"{ENDPOINT}/1.0"
ovh.client.OAUTH2_TOKEN_URLS["ovh-eu"] = f"{ENDPOINT}/auth/oauth2/token"


def keys(name="clients", **other):
    """A login with the three keys of a project, some of them replaced."""
    login = {
        "application_key": f"{name}-application",
        "application_secret": f"{name}-application-secret",
        "consumer_key": f"{name}-consumer",
    }
    return ovh.Client(endpoint="ovh-eu", **(login | other))


def service_account(secret="clients-service-account-secret"):
    return ovh.Client(endpoint="ovh-eu", client_id="clients-service-account", client_secret=secret)


def shaped(shape, value):
    """The value, or the values of a list, which are all of that shape."""
    validator = Draft202012Validator({"$defs": SHAPES, "$ref": f"#/$defs/{shape}"})
    for one in value if isinstance(value, list) else [value]:
        wrong = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(one)]
        assert not wrong, (shape, wrong)
    return value


def refused(kind, client, path, method="get", **query):
    """The words of an expected error, which is of exactly that kind and has a query id."""
    try:
        getattr(client, method)(path, **query)
    except APIError as error:
        assert type(error) is kind, error
        assert error.query_id, error
        return str(error)
    raise AssertionError(f"{path} was not refused")


def check_refusals():
    wrong = keys(application_secret="wrong")
    assert "Invalid signature" in refused(BadParametersError, wrong, ROOT)
    late = keys()
    late._time_delta = keys().time_delta - 3600
    assert "Query out of time" in refused(BadParametersError, late, ROOT)
    refused(InvalidKey, keys(application_key="nobody"), ROOT)
    refused(NotCredential, keys(consumer_key="nobody"), ROOT)
    refused(InvalidCredential, keys("expired"), "/cloud/project/1c7a5e91d3f84b26a8e15d70b94f6c32")
    # What a login may not read has no exception of its own; the missing right stands in the body.
    denied = "/cloud/project/2c7a5e91d3f84b26a8e15d70b94f6c32"
    assert keys("denied").get(denied)["status"] == "ok"
    refused(APIError, keys("denied"), f"{denied}/instance")
    answer = keys("denied").raw_call("GET", f"{denied}/instance")
    right = answer.json()["details"]["unauthorizedActionsByIAM"]
    assert (answer.status_code, right) == (403, "publicCloudProject:apiovh:instance/get"), right
    refused(ResourceNotFoundError, keys(), "/cloud/project/ffffffffffff4fffffffffffffffffff")
    refused(ResourceNotFoundError, keys(), f"{ROOT}/instance/nobody")
    refused(ResourceNotFoundError, keys(), "/me/nothing")
    refused(BadParametersError, keys(), "/order/catalog/public/cloud", ovhSubsidiary="XX")
    try:
        service_account("wrong").get(ROOT)
    except OAuth2FailureError as error:
        assert "invalid_client" in str(error), error
    else:
        raise AssertionError("a wrong secret was not refused")


def check_project(client):
    assert client.get("/cloud/project") == [PROJECT]
    project = shaped("project", client.get(ROOT))
    assert (project["project_id"], project["status"]) == (PROJECT, "ok"), project
    assert project["iam"]["tags"] == {"owner": "alice"}, project
    assert project["iam"]["urn"].endswith(f":publicCloudProject:{PROJECT}"), project
    assert client.get(f"{ROOT}/region") == ["GRA11", "SBG5"]


def check_machines(machines, client):
    assert set(machines) == {ASR, WHISPER, NODE, WEB}, list(machines)
    here = client.get(f"{ROOT}/instance", region="SBG5")
    assert [machine["id"] for machine in here] == [NODE, WEB], here
    asr, whisper = machines[ASR], machines[WHISPER]
    assert (asr["status"], asr["created"]) == ("SHUTOFF", "2026-11-18T09:00:00Z"), asr
    assert (asr["monthlyBilling"], asr["planCode"]) == (None, "a100-180.consumption"), asr
    assert whisper["monthlyBilling"] == {"since": "2026-11-02T08:00:00Z", "status": "ok"}, whisper
    assert whisper["planCode"] == "l40s-90.monthly.postpaid", whisper
    # By itself a machine carries what the list only names.
    single = shaped("single", client.get(f"{ROOT}/instance/{ASR}"))
    assert single["flavor"]["id"] == asr["flavorId"], single
    same = set(single) & set(asr)
    assert {field: single[field] for field in same} == {field: asr[field] for field in same}


def check_cluster(client):
    assert client.get(f"{ROOT}/kube") == ["kube-1"]
    assert client.get(f"{ROOT}/kube/kube-1")["status"] == "READY"
    nodes = shaped("node", client.get(f"{ROOT}/kube/kube-1/node"))
    assert [node["instanceId"] for node in nodes] == [NODE, None], nodes
    assert all(node["projectId"] == PROJECT for node in nodes), nodes


def check_usage(client):
    usage = shaped("usage", client.get(f"{ROOT}/usage/current"))
    assert usage["period"] == {"from": "2026-11-01T00:00:00Z", "to": "2026-11-30T08:00:00Z"}, usage
    assert usage["lastUpdate"] == usage["period"]["to"], usage
    hourly = {(e["reference"], e["region"]): e for e in usage["hourlyUsage"]["instance"]}
    asr = hourly["a100-180.consumption", "GRA11"]
    # Switched off, and in full: from 18 November, 9 o'clock.
    assert [d["instanceId"] for d in asr["details"]] == [ASR], asr
    assert (asr["quantity"], asr["totalPrice"]) == ({"unit": "Hour", "value": 287}, 789.25), asr
    l4 = hourly["l4-90.consumption", "SBG5"]
    prices = {d["instanceId"]: (d["quantity"]["value"], d["totalPrice"]) for d in l4["details"]}
    assert prices == {NODE: (73, 54.75), GONE: (10, 7.5)}, prices
    assert l4["totalPrice"] == 62.25, l4
    assert ("b2-7.consumption", "SBG5") in hourly and len(hourly) == 3, hourly
    (whisper,) = usage["monthlyUsage"]["instance"]
    assert (whisper["reference"], whisper["totalPrice"]) == ("l40s-90.monthly.postpaid", 1008), whisper
    assert whisper["details"][0]["activation"] == "2026-11-02T08:00:00Z", whisper
    assert [entry["totalPrice"] for entry in usage["hourlyUsage"]["volume"]] == [5.28], usage
    assert shaped("account", client.get("/me"))["currency"]["code"] == "EUR"


def check_denied_usage():
    denied = keys("denied")
    project = "/cloud/project/2c7a5e91d3f84b26a8e15d70b94f6c32"
    for path, right in (
        (f"{project}/usage/current", "publicCloudProject:apiovh:usage/current/get"),
        ("/me", "account:apiovh:me/get"),
    ):
        answer = denied.raw_call("GET", path)
        assert answer.json()["details"]["unauthorizedActionsByIAM"] == right, answer.json()


def check_storage(client):
    volumes = {volume["id"]: volume for volume in shaped("volume", client.get(f"{ROOT}/volume"))}
    assert {id: volume["attachedTo"] for id, volume in volumes.items()} == {
        "c0ffee00-0000-4000-8000-000000000001": [WHISPER],
        "c0ffee00-0000-4000-8000-000000000002": [],
    }, volumes
    left = volumes["c0ffee00-0000-4000-8000-000000000002"]
    assert (left["status"], left["creationDate"]) == ("available", "2026-10-31T09:00:00Z"), left
    (snapshot,) = shaped("snapshot", client.get(f"{ROOT}/volume/snapshot"))
    assert snapshot["volumeId"] not in volumes, snapshot
    (image,) = shaped("image", client.get(f"{ROOT}/snapshot"))
    assert image["name"] == "golden image", image
    assert client.get(f"{ROOT}/region/SBG5/floatingip") == []
    (address,) = shaped("floating-ip", client.get(f"{ROOT}/region/GRA11/floatingip"))
    assert (address["status"], address["associatedEntity"]) == ("down", None), address
    refused(ResourceNotFoundError, client, f"{ROOT}/region/BHS5/floatingip")


def check_recorded(folder):
    """What was recorded, or composed after OVHcloud's schema, has the same shape."""
    for shape, name in (
        ("usage", "usage_current"),
        ("volume", "volumes"),
        ("snapshot", "volume_snapshots"),
        ("image", "image_snapshots"),
        ("floating-ip", "floatingips"),
    ):
        files = list(folder.glob(f"*GET_{name}_200*.json"))
        assert files, name
        for file in files:
            shaped(shape, json.loads(file.read_text()))


def read_book(client):
    """Price per hour and GPUs by plan code, from the catalogue that needs no login."""
    book = client.get("/order/catalog/public/cloud", ovhSubsidiary="FR", _need_auth=False)
    assert book["locale"]["currencyCode"] == "EUR", book["locale"]
    american = client.get("/order/catalog/public/cloud", ovhSubsidiary="US", _need_auth=False)
    units = {a["planCode"]: a["pricings"][0]["intervalUnit"] for a in shaped("addon", american["addons"])}
    assert units["l40s-90.consumption"] == units["l40s-90.monthly.postpaid"] == "none", units
    rows = {addon["planCode"]: addon for addon in shaped("addon", book["addons"])}
    assert rows["l40s-90.monthly.postpaid"]["pricings"][0]["intervalUnit"] == "month"
    assert rows["ai-app-l4-1-gpu.minute.consumption"]["pricings"][0]["intervalUnit"] == "minute"
    # A GiB and hour, in billionths of ten euros; what it is per, the row does not say.
    (classic,) = rows["volume.classic.consumption"]["pricings"]
    assert (classic["price"], classic["intervalUnit"]) == (5900, "none"), classic
    return rows


def shown(machine, flavor, rows):
    """A machine as the audit document shows it."""
    gpu = rows[f"{flavor['name']}.consumption"]["blobs"]["technical"]["gpu"]
    view = {
        "name": machine["name"],
        "provider_state": machine["status"],
        "machine_type": flavor["name"],
        "location": machine["region"],
        "gpu": {"count": gpu["number"], "memory_gib": gpu["number"] * gpu["memory"]["size"]},
    }
    price = rows[machine["planCode"]]["pricings"][0]
    unit = {"hour": "hourly", "month": "monthly"}[price["intervalUnit"]]
    view["price"] = {unit: {"amount": f"{price['price'] / 10**8:.2f}", "currency": "EUR"}}
    return view


def read(client):
    """Everything that an audit reads."""
    check_project(client)
    listed = shaped("listed", client.get(f"{ROOT}/instance"))
    machines = {machine["id"]: machine for machine in listed}
    check_machines(machines, client)
    check_cluster(client)
    check_usage(client)
    check_storage(client)
    flavors = {flavor["id"]: flavor for flavor in shaped("flavor", client.get(f"{ROOT}/flavor"))}
    assert all(machine["flavorId"] in flavors for machine in machines.values())
    assert all(f["region"] == "GRA11" for f in client.get(f"{ROOT}/flavor", region="GRA11"))
    rows = read_book(client)
    kinds = {id: flavors[machine["flavorId"]] for id, machine in machines.items()}
    return {
        id: shown(machine, kinds[id], rows)
        for id, machine in machines.items()
        if "gpu" in rows[f"{kinds[id]['name']}.consumption"]["blobs"]["technical"]
    }


def act():
    """Shelves and stops machines, and reads each back."""
    client = keys()

    def read(id):
        return shaped("single", client.get(f"{ROOT}/instance/{id}"))["status"]

    assert client.post(f"{ROOT}/instance/{ASR}/shelve") is None
    seen = [read(ASR) for _ in range(3)]
    assert seen == ["SHELVING", "SHELVED", "SHELVED_OFFLOADED"], seen
    (image,) = [it for it in client.get(f"{ROOT}/snapshot") if it["name"].endswith("-shelved")]
    assert shaped("image", image)["name"] == "carol--asr-train-shelved", image
    assert "vm_state shelved_offloaded" in refused(
        ResourceConflictError, client, f"{ROOT}/instance/{ASR}/shelve", "post"
    )
    assert service_account().post(f"{ROOT}/instance/{WEB}/stop") is None
    assert read(WEB) == "SHUTOFF"
    refused(ResourceNotFoundError, client, f"{ROOT}/instance/nobody/shelve", "post")
    denied = f"/cloud/project/2c7a5e91d3f84b26a8e15d70b94f6c32/instance/{ASR}/shelve"
    answer = keys("denied").raw_call("POST", denied)
    right = answer.json()["details"]["unauthorizedActionsByIAM"]
    assert (answer.status_code, right) == (403, "publicCloudProject:apiovh:instance/shelve"), right
    json.dump({id: read(id) for id in (ASR, WEB, NODE)}, sys.stdout)


def main():
    signed = keys()
    # The server's clock is the world's, and ahead of it.
    server_time = signed.get("/auth/time", _need_auth=False)
    assert server_time == 1796029200 + 300, server_time
    credential = signed.get("/auth/currentCredential")
    assert (credential["status"], credential["expiration"]) == ("validated", None), credential
    # Both names of the version.
    assert signed.get(f"/v1{ROOT}") == signed.get(ROOT)
    machines = read(signed)
    assert read(service_account()) == machines
    check_refusals()
    check_denied_usage()
    if len(sys.argv) > 2:
        check_recorded(Path(sys.argv[2]))
    json.dump({"machines": machines}, sys.stdout)


act() if "act" in sys.argv[2:] else main()
