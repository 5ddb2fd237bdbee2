"""Reads the simulated Scaleway with Scaleway's own Python client and checks what comes out.

Usage: scaleway_client.py ENDPOINT_URL [act]
The world is the one in clients.toml. Prints the GPU servers as `reaper audit` should show them, or
with `act` changes servers and prints the states they end in; exits with 1 and the failed assertion
when something is not as it should be.
"""

import json
import re
import sys
from datetime import datetime, timezone

from declared import misfits
from scaleway import Client, ScalewayException
from scaleway.account.v3 import AccountV3ProjectAPI
from scaleway.audit_trail.v1alpha1 import AuditTrailV1Alpha1API
from scaleway.autoscaling.v1alpha2 import AutoscalingV1Alpha2API
from scaleway.billing.v2beta1 import BillingV2Beta1API
from scaleway.block.v1 import BlockV1API
from scaleway.iam.v1alpha1 import IamV1Alpha1API
from scaleway.instance.v1 import InstanceV1API
from scaleway_core.api import API

ENDPOINT = sys.argv[1]
ORGANIZATION = "5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f01"
PROJECT = "5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f02"
COMFYUI = "b6a1f7d2-4e0c-4b8d-9a35-2f7c61e08d14"
EMBEDDINGS = "90d7e3b1-c2f4-4a08-b5e6-1d8f7a2c4b59"
MEMBER = "3a5f8c70-d91b-4e26-97c4-e0b2a6d18f63"
LLAMA = "e2c94b06-7f31-4d5a-8c12-b90d5a6f3e47"
WEB = "00000000-7f31-4d5a-8c12-b90d5a6f3e47"

# Also the real API's answers do not fit here: the client's word for the state has no blanks, it takes
# the total of counted pages from a header, as a text, projects came without a status, and addresses
# with a prefix of null.
NOT_EVEN_THE_REAL = re.compile(
    r"\.state: 'stopped in place' is no |^\.total_count: '|^(\.projects\[\d+\])?\.status: is missing"
    r"|^\.ips\[\d+\]\.prefix: None is no "
)


class Latest:
    """The JSON of the latest answer, as the client saw it before it parsed it."""

    json = None
    request = API._request

    def listen(api, *arguments, **more):
        response = Latest.request(api, *arguments, **more)
        Latest.json = response.json()
        return response


API._request = Latest.listen


def client(access_key="SCWCLIENTS0000000001", secret_key="7d0f3a52-1b8e-4c96-a2d4-90e65f1c3b78"):
    return Client(access_key=access_key, secret_key=secret_key, api_url=ENDPOINT)


def declared(parsed):
    """What was just parsed, whose JSON was in every part what the client declares it to be."""
    found = misfits(Latest.json, type(parsed))
    wrong = [text for text in found if not NOT_EVEN_THE_REAL.search(text)]
    assert not wrong, wrong
    return parsed


def everything(page, key, size):
    """The entries of counted pages, and that there are as many as announced."""
    found, number = [], 1
    while True:
        answer = declared(page(page=number, per_page=size))
        entries = getattr(answer, key)
        found += entries.items() if isinstance(entries, dict) else entries
        if not entries:
            assert int(answer.total_count) == len(found), answer.total_count
            return found
        assert len(entries) <= size
        number += 1


def refused(call, **arguments):
    """The status, type and one more word of an expected error."""
    try:
        call(**arguments)
    except ScalewayException as error:
        body = error.response.json()
        more = body.get("reason") or body.get("resource") or body.get("details")
        return error.status_code, body.get("type"), more
    raise AssertionError(f"{call} was not refused")


def servers(instance, zone):
    def page(**pages):
        return instance.list_servers(zone=zone, order="creation_date_desc", **pages)

    found = everything(page, "servers", 2)
    assert found == instance.list_servers_all(zone=zone), zone
    return {server.id: server for server in found}


def check_servers(paris_1, paris_2):
    assert list(paris_2) == [EMBEDDINGS, MEMBER, COMFYUI], "newest first"
    comfyui = paris_2[COMFYUI]
    assert comfyui.state == "stopped in place", comfyui.state
    assert comfyui.tags == ["project=helios", "größe-日本"], comfyui.tags
    assert comfyui.creation_date == datetime(2026, 11, 9, 8, tzinfo=timezone.utc), comfyui
    assert comfyui.volumes["1"].volume_type == "scratch", comfyui.volumes
    assert comfyui.volumes["1"].size == 1600 * 10**9, comfyui.volumes
    assert comfyui.volumes["0"].volume_type == "sbs_volume", comfyui.volumes
    assert "poweroff" in comfyui.allowed_actions, comfyui.allowed_actions
    embeddings = paris_2[EMBEDDINGS]
    assert (embeddings.state, embeddings.location) == ("stopped", None), embeddings
    assert (embeddings.project, embeddings.organization) == (PROJECT, ORGANIZATION), embeddings
    assert (embeddings.protected, embeddings.allowed_actions) == (True, ["backup"]), embeddings
    member = paris_2[MEMBER]
    assert (member.state, member.state_detail) == ("starting", "rebooting"), member
    assert member.boot_type == "rescue", member
    llama = paris_1[LLAMA]
    assert llama.name == "srv-b90d5a6f3e47", llama.name
    assert [address.dynamic for address in llama.public_ips] == [False, True], llama.public_ips
    assert llama.public_ip == llama.public_ips[0], llama.public_ip
    assert llama.project == ORGANIZATION, llama.project
    assert set(paris_1) == {LLAMA, WEB}, list(paris_1)


def check_account():
    projects = AccountV3ProjectAPI(client())
    listed = declared(projects.list_projects(organization_id=ORGANIZATION, page_size=1, page=2))
    assert ([p.id for p in listed.projects], listed.total_count) == ([PROJECT], 2), listed
    # The default project has the id of the organization.
    default = declared(projects.get_project(project_id=ORGANIZATION))
    assert (default.name, default.organization_id) == ("default", ORGANIZATION), default
    iam = IamV1Alpha1API(client())
    key = declared(iam.get_api_key(access_key="SCWCLIENTS0000000001"))
    assert (key.secret_key, key.user_id, key.default_project_id) == (None, None, ORGANIZATION), key
    application = declared(iam.get_application(application_id=key.application_id))
    assert application.organization_id == ORGANIZATION, application


def check_audit_trail():
    trail = AuditTrailV1Alpha1API(client())
    asked = {
        "region": "fr-par",
        "organization_id": ORGANIZATION,
        "resource_type": "instance_server",
        "method_name": "ServerAction",
        "order_by": "recorded_at_desc",
        "page_size": 1,
    }
    assert declared(trail.list_events(**asked)).events == [], "only the last hour, unless asked"
    asked["recorded_after"] = datetime(2026, 11, 1, tzinfo=timezone.utc)
    first = declared(trail.list_events(**asked))
    second = declared(trail.list_events(page_token=first.next_page_token, **asked))
    events = first.events + second.events
    seen = [(event.resources[0].id, event.request_body["action"]) for event in events]
    assert seen == [(EMBEDDINGS, "poweroff"), (COMFYUI, "poweron")], seen
    assert second.next_page_token is None, second
    assert events[1].recorded_at == datetime(2026, 11, 17, 21, tzinfo=timezone.utc), events[1]
    assert events[0].principal.id, events[0]


def check_groups():
    autoscaling = AutoscalingV1Alpha2API(client())
    groups = declared(autoscaling.list_groups(zone="fr-par-2", project_id=ORGANIZATION))
    assert [(group.name, group.current_size) for group in groups.group_summaries] == [("trainers", 1)]
    group = groups.group_summaries[0]
    members = declared(autoscaling.list_servers(zone="fr-par-2", group_id=group.id))
    assert [member.server_id for member in members.servers] == [MEMBER], members
    assert declared(autoscaling.list_groups(zone="fr-par-1", project_id=ORGANIZATION)).total_count == 0


def check_billing():
    billing = BillingV2Beta1API(client())

    def page(per_page, **asked):
        return billing.list_consumptions(page_size=per_page, billing_period="2026-11", **asked)

    lines = everything(lambda **p: page(organization_id=ORGANIZATION, **p), "consumptions", 2)
    assert lines == billing.list_consumptions_all(organization_id=ORGANIZATION), lines
    found = {
        line.sku: (line.unit, line.billed_quantity, line.value.units, line.value.nanos)
        for line in lines
    }
    assert found == {
        # In standby, and in full: 505 hours.
        "/compute/l40s_1_48g/run_fr-par-2": ("minute", "30300", 742, 310000000),
        # From 31 to 20 hours ago.
        "/compute/h100_1_80g/run_fr-par-2": ("minute", "660", 31, 530000000),
        "/compute/l4_1_24g/run_fr-par-2": ("minute", "9600", 126, 0),
        "/compute/l4_2_24g/run_par1": ("minute", "14160", 371, 700000000),
        # A unit that does not mean what it says: one hour.
        "/compute/pro2_xxs/run_par1": ("minute", "1", 0, 60000000),
        "/storage/block/volume-5k/fr-par-2": ("gigabyte_hour", "13280", -6, -630000000),
    }, found
    assert all(line.value.currency_code == "EUR" for line in lines), lines
    own = declared(page(100, project_id=PROJECT))
    assert {line.project_id for line in own.consumptions} == {PROJECT}, own
    assert (own.total_count, own.updated_at.year) == (2, 2026), own
    assert refused(billing.list_consumptions, page_size=101, organization_id=ORGANIZATION)[0] == 400
    assert refused(billing.list_consumptions, organization_id=WEB)[:2] == (403, "permissions_denied")
    denied = BillingV2Beta1API(client("SCWDENIED00000000001", "70000000-1b8e-4c96-a2d4-90e65f1c3b78"))
    organization = "70000000-9d7b-4a63-8f20-6b1d3e8a7f01"
    assert refused(denied.list_consumptions, organization_id=organization)[0] == 403


def check_storage(instance):
    block = BlockV1API(client())
    zone = "fr-par-2"

    def by_id(call, key, **asked):
        def page(page, per_page):
            if call.__self__ is block:
                return call(
                    zone=zone, page=page, page_size=per_page, include_deleted=False, **asked
                )
            return call(zone=zone, page=page, per_page=per_page, **asked)

        return {one.id: one for one in everything(page, key, 2)}

    # Each API has its own volumes; a server's are among them.
    volumes = by_id(block.list_volumes, "volumes")
    assert set(volumes) == {
        f"{COMFYUI}-root",
        f"{EMBEDDINGS}-root",
        f"{MEMBER}-root",
        "b10c0000-0000-4000-8000-000000000001",
    }, list(volumes)
    left = volumes["b10c0000-0000-4000-8000-000000000001"]
    assert (left.references, left.status, left.size) == ([], "available", 100 * 10**9), left
    assert left.last_detached_at == datetime(2026, 11, 10, 9, tzinfo=timezone.utc), left
    root = volumes[f"{COMFYUI}-root"]
    (reference,) = root.references
    assert (reference.product_resource_type, reference.product_resource_id) == (
        "instance_server",
        COMFYUI,
    ), reference
    assert (root.status, root.last_detached_at) == ("in_use", None), root
    own = by_id(block.list_volumes, "volumes", project_id=PROJECT)
    assert list(own) == [f"{EMBEDDINGS}-root", left.id], list(own)
    local = by_id(instance.list_volumes, "volumes")
    servers = {id: volume.server and volume.server.id for id, volume in local.items()}
    assert servers == {
        f"{COMFYUI}-scratch": COMFYUI,
        "10ca0000-0000-4000-8000-000000000001": None,
    }, servers

    snapshots = by_id(block.list_snapshots, "snapshots")
    parents = [snapshot.parent_volume and snapshot.parent_volume.id for snapshot in snapshots.values()]
    assert parents == [left.id, None], "a block snapshot forgets a volume that is gone"
    (snapshot,) = by_id(instance.list_snapshots, "snapshots").values()
    assert snapshot.base_volume.id == "10ca0000-0000-4000-8000-000000000001", snapshot
    (image,) = by_id(instance.list_images, "images", public=False).values()
    assert (image.from_server, image.root_volume.volume_type) == (COMFYUI, "sbs_snapshot"), image
    assert image.extra_volumes["1"].id == snapshot.id, image
    (address,) = by_id(instance.list_ips, "ips").values()
    assert (address.server, address.state) == (None, "detached"), address

    kinds = declared(block.list_volume_types(zone=zone)).volume_types
    prices = {kind.type_: (kind.pricing.nanos, kind.pricing.currency_code) for kind in kinds}
    assert prices == {"sbs_5k": (118000, "EUR"), "sbs_15k": (177000, "EUR")}, prices
    gone = "5c1e0c4e-9d7b-4a63-8f20-6b1d3e8a7f09"
    assert refused(block.list_snapshots, zone=zone, include_deleted=False, project_id=gone)[:2] == (403, "permissions_denied")


def check_refusals(instance):
    unknown = InstanceV1API(client(secret_key="00000000-1b8e-4c96-a2d4-90e65f1c3b78"))
    expired = InstanceV1API(client("SCWEXPIRED0000000001", "60000000-1b8e-4c96-a2d4-90e65f1c3b78"))
    denied = AuditTrailV1Alpha1API(client("SCWDENIED00000000001", "70000000-1b8e-4c96-a2d4-90e65f1c3b78"))
    organization = "70000000-9d7b-4a63-8f20-6b1d3e8a7f01"
    assert refused(unknown.list_servers, zone="fr-par-1") == (401, "denied_authentication", "not_found")
    assert refused(expired.list_servers, zone="fr-par-1") == (401, "denied_authentication", "expired")
    assert refused(denied.list_events, region="fr-par", organization_id=organization)[:2] == (
        403,
        "permissions_denied",
    )
    assert refused(instance.get_server, zone="fr-par-1", server_id=COMFYUI) == (
        404,
        "not_found",
        "instance_server",
    )
    assert refused(instance.list_servers, zone="xx-new-1") == (404, None, None)
    status, kind, details = refused(instance.list_servers, zone="fr-par-1", per_page=101)
    assert (status, kind, details[0]["argument_name"]) == (400, "invalid_arguments", "per_page")


def shown(server, kind):
    """A server as the audit document shows it."""
    return {
        "name": server.name,
        "provider_state": server.state,
        "machine_type": server.commercial_type,
        "location": server.zone,
        "raw_tags": sorted(server.tags),
        "gpu": {"count": kind.gpu, "memory_gib": kind.gpu * kind.gpu_info.gpu_memory // 2**30},
        "price": {"hourly": {"amount": str(kind.hourly_price), "currency": "EUR"}},
    }


def act():
    """Powers servers off and changes tags, and reads each back."""
    instance = InstanceV1API(client())

    def order(server_id, action, zone="fr-par-2"):
        return declared(instance.server_action(zone=zone, server_id=server_id, action=action)).task

    def read(server_id, zone="fr-par-2"):
        return declared(instance.get_server(zone=zone, server_id=server_id)).server

    task = order(COMFYUI, "poweroff")
    assert (task.status, task.zone, task.progress) == ("pending", "fr-par-2", 0), task
    assert task.href_result == f"/servers/{COMFYUI}", task
    stopping = read(COMFYUI)
    assert (stopping.state, stopping.state_detail) == ("stopping", "stopping"), stopping
    stopped = read(COMFYUI)
    assert (stopped.state, stopped.location) == ("stopped", None), stopped
    assert list(stopped.volumes) == ["0"], "scratch is erased"
    assert stopped.allowed_actions == ["poweron", "backup"], stopped

    tags = ["project=helios", "reaper-keep=2026-12-24"]
    patched = declared(instance._update_server(zone="fr-par-2", server_id=COMFYUI, tags=tags)).server
    assert read(COMFYUI) == patched and patched.tags == tags, patched

    order(LLAMA, "stop_in_place", zone="fr-par-1")
    standby = read(LLAMA, zone="fr-par-1")
    assert (standby.state, len(standby.public_ips)) == ("stopped in place", 2), standby
    order(LLAMA, "poweroff", zone="fr-par-1")
    off = read(LLAMA, zone="fr-par-1")
    assert (off.state, [ip.dynamic for ip in off.public_ips]) == ("stopped", [False]), off
    order(WEB, "terminate", zone="fr-par-1")
    gone = refused(instance.get_server, zone="fr-par-1", server_id=WEB)
    assert gone == (404, "not_found", "instance_server"), gone

    def refusal(server_id, action):
        return refused(instance.server_action, zone="fr-par-2", server_id=server_id, action=action)[:2]

    assert refusal(EMBEDDINGS, "terminate") == (400, "precondition_failed"), "protected"
    assert refusal(COMFYUI, "poweroff") == (400, "invalid_request_error"), "off already"
    assert refusal(LLAMA, "poweroff") == (404, "not_found"), "in another zone"
    json.dump({id: read(id).state for id in (COMFYUI, EMBEDDINGS)}, sys.stdout)


def main():
    instance = InstanceV1API(client())
    paris_1, paris_2 = servers(instance, "fr-par-1"), servers(instance, "fr-par-2")
    check_servers(paris_1, paris_2)
    assert servers(instance, "pl-waw-2") == {}
    one = declared(instance.get_server(zone="fr-par-2", server_id=COMFYUI)).server
    assert one == paris_2[COMFYUI], one
    assert everything(
        lambda **pages: instance.list_servers(zone="fr-par-2", project=PROJECT, **pages), "servers", 100
    ) == [paris_2[EMBEDDINGS]]

    def types(**pages):
        return instance.list_servers_types(zone="fr-par-2", **pages)

    products = dict(everything(types, "servers", 10))
    h100 = products["H100-1-80G"]
    assert (h100.gpu, h100.gpu_info.gpu_memory) == (1, 80 * 2**30), h100
    assert h100.scratch_storage_max_volumes_count == 1, h100
    assert (products["PRO2-XXS"].gpu, products["PRO2-XXS"].gpu_info) == (0, None), products["PRO2-XXS"]

    check_account()
    check_audit_trail()
    check_groups()
    check_billing()
    check_storage(instance)
    check_refusals(instance)
    machines = {
        server.id: shown(server, products[server.commercial_type])
        for server in (*paris_1.values(), *paris_2.values())
        if products[server.commercial_type].gpu
    }
    json.dump({"machines": machines}, sys.stdout)


act() if "act" in sys.argv[2:] else main()
