"""Uses the simulated AWS through boto3, AWS's own client, and checks what comes out.

Usage: boto3_client.py ENDPOINT_URL
The world is the one in boto3_world.toml. Prints what was read as JSON; exits with 1 and the
failed assertion when something is not as it should be.
"""

import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT = sys.argv[1]
ACCOUNT = "111122223333"


def client(service, region="eu-west-1", key="AKIAEXAMPLE", token=None, attempts=1):
    return boto3.client(
        service,
        region_name=region,
        endpoint_url=ENDPOINT,
        aws_access_key_id=key,
        aws_secret_access_key="any",
        aws_session_token=token,
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}),
    )


def refused(call, **arguments):
    """The code and HTTP status of an expected error."""
    try:
        call(**arguments)
    except ClientError as error:
        answer = error.response
        return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]
    raise AssertionError(f"{call} was not refused")


def everything(ec2, operation, key, **arguments):
    pages = ec2.get_paginator(operation).paginate(**arguments)
    return [item for page in pages for item in page[key]]


def act(ec2):
    """Stops, tags and terminates a machine, and reads each back."""

    def read():
        [reservation] = ec2.describe_instances(InstanceIds=["i-host"])["Reservations"]
        return reservation["Instances"][0]

    at_once = {"Delay": 0, "MaxAttempts": 3}
    [stop] = ec2.stop_instances(InstanceIds=["i-host"])["StoppingInstances"]
    assert stop["PreviousState"] == {"Code": 16, "Name": "running"}, stop
    assert stop["CurrentState"] == {"Code": 64, "Name": "stopping"}, stop
    assert read()["State"]["Name"] == "stopping"
    ec2.get_waiter("instance_stopped").wait(InstanceIds=["i-host"], WaiterConfig=at_once)
    stopped = read()
    assert stopped["StateTransitionReason"] == "User initiated (2026-01-01 00:00:00 GMT)", stopped
    assert stopped["StateReason"]["Code"] == "Client.UserInitiatedShutdown", stopped
    [again] = ec2.stop_instances(InstanceIds=["i-host"])["StoppingInstances"]
    assert again["PreviousState"] == again["CurrentState"] == {"Code": 80, "Name": "stopped"}, again

    ec2.create_tags(
        Resources=["i-host"],
        Tags=[{"Key": "reaper-keep", "Value": "größe <&>"}, {"Key": "other", "Value": "x"}],
    )
    ec2.delete_tags(Resources=["i-host"], Tags=[{"Key": "other", "Value": "y"}])
    tags = {tag["Key"]: tag["Value"] for tag in read()["Tags"]}
    assert tags == {"other": "x", "reaper-keep": "größe <&>"}, tags
    ec2.delete_tags(Resources=["i-host"], Tags=[{"Key": "other"}, {"Key": "reaper-keep"}])
    assert "Tags" not in read()

    [end] = ec2.terminate_instances(InstanceIds=["i-host"])["TerminatingInstances"]
    assert end["CurrentState"] == {"Code": 32, "Name": "shutting-down"}, end
    ec2.get_waiter("instance_terminated").wait(InstanceIds=["i-host"], WaiterConfig=at_once)


def money(ec2):
    """Reads spot prices, the price list and the costs of a day."""
    spot = everything(
        ec2,
        "describe_spot_price_history",
        "SpotPriceHistory",
        InstanceTypes=["g5.xlarge"],
        ProductDescriptions=["Linux/UNIX", "Linux/UNIX (Amazon VPC)"],
        StartTime="2026-01-01T00:00:00Z",
    )
    assert [(p["AvailabilityZone"], p["SpotPrice"]) for p in spot] == [
        ("eu-west-1b", "0.610000"),
        ("eu-west-1a", "0.451200"),
    ], spot
    assert spot[1]["Timestamp"].isoformat() == "2025-12-30T18:00:00+00:00", spot

    wanted = {
        "instanceType": "p4d.24xlarge",
        "regionCode": "eu-west-1",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
    }
    pricing = client("pricing", region="us-east-1", attempts=3)
    [text] = everything(
        pricing,
        "get_products",
        "PriceList",
        ServiceCode="AmazonEC2",
        Filters=[{"Type": "TERM_MATCH", "Field": f, "Value": v} for f, v in wanted.items()],
        PaginationConfig={"PageSize": 1},
    )
    [term] = json.loads(text)["terms"]["OnDemand"].values()
    [rate] = term["priceDimensions"].values()
    assert rate["pricePerUnit"] == {"USD": "23.7156900000"}, rate

    storage_prices(pricing)

    costs = client("ce", region="us-east-1", attempts=3)
    question = {
        "TimePeriod": {"Start": "2025-12-30", "End": "2026-01-01"},
        "Granularity": "DAILY",
        "Metrics": ["UnblendedCost", "UsageQuantity"],
        "GroupBy": [
            {"Type": "DIMENSION", "Key": "SERVICE"},
            {"Type": "DIMENSION", "Key": "USAGE_TYPE"},
        ],
        "Filter": {
            "And": [
                {"Dimensions": {"Key": "LINKED_ACCOUNT", "Values": [ACCOUNT]}},
                {"Not": {"Dimensions": {"Key": "RECORD_TYPE", "Values": ["Tax", "Credit"]}}},
            ]
        },
    }
    answer = costs.get_cost_and_usage(**question)
    [before, last] = answer["ResultsByTime"]
    assert before["TimePeriod"] == {"Start": "2025-12-30", "End": "2025-12-31"}, before
    found = {tuple(group["Keys"]): group["Metrics"] for group in last["Groups"]}
    machine = found[("Amazon Elastic Compute Cloud - Compute", "EU-BoxUsage:p4d.24xlarge")]
    assert machine["UsageQuantity"] == {"Amount": "24", "Unit": "Hrs"}, machine
    assert machine["UnblendedCost"] == {"Amount": "569.17656", "Unit": "USD"}, machine
    disk = found[("EC2 - Other", "EU-EBS:VolumeUsage.gp3")]
    assert disk["UnblendedCost"] == {"Amount": "3.1", "Unit": "USD"}, disk
    spot_hours = found[("Amazon Elastic Compute Cloud - Compute", "EU-SpotUsage:g5.xlarge")]
    assert spot_hours["UnblendedCost"]["Amount"] == "1.3536", spot_hours

    errors = {
        "no span": refused(
            costs.get_cost_and_usage,
            **{**question, "TimePeriod": {"Start": "2026-01-01", "End": "2026-01-01"}},
        ),
        "unknown key": refused(client("ce", key="AKIANOBODY").get_cost_and_usage, **question),
        "denied": refused(
            client("pricing", region="eu-central-1").get_products, ServiceCode="AmazonEC2"
        ),
    }
    assert errors == {
        "no span": ("ValidationException", 400),
        "unknown key": ("UnrecognizedClientException", 400),
        "denied": ("AccessDeniedException", 400),
    }, errors
    return {"spot prices": len(spot), "services": len(found)}


def beside_machines(ec2):
    """Reads volumes, addresses, snapshots and images."""

    def ids(operation, key, name, **arguments):
        return [item[name] for item in everything(ec2, operation, key, **arguments)]

    pages = {"PaginationConfig": {"PageSize": 5}}
    volumes = everything(ec2, "describe_volumes", "Volumes", **pages)
    volumes = {volume["VolumeId"]: volume for volume in volumes}
    assert sorted(volumes) == ["vol-1", "vol-free"], sorted(volumes)
    free = volumes["vol-free"]
    assert (free["State"], free["Attachments"], free["Size"]) == ("available", [], 1000), free
    assert (free["VolumeType"], free["Iops"], free["Throughput"]) == ("gp3", 3000, 125), free
    assert free["CreateTime"].isoformat() == "2025-10-03T00:00:00+00:00", free
    assert free["Tags"] == [{"Key": "Name", "Value": "scratch"}], free
    [attached] = volumes["vol-1"]["Attachments"]
    assert attached["InstanceId"] == "i-plain", attached
    assert (volumes["vol-1"]["State"], volumes["vol-1"]["Iops"]) == ("in-use", 6000)
    unused = [{"Name": "status", "Values": ["available"]}]
    assert ids("describe_volumes", "Volumes", "VolumeId", Filters=unused) == ["vol-free"]

    addresses = {a["PublicIp"]: a for a in ec2.describe_addresses()["Addresses"]}
    assert "AssociationId" not in addresses["198.51.100.4"], addresses
    assert addresses["198.51.100.4"]["AllocationId"].startswith("eipalloc-")
    assert addresses["198.51.100.5"]["InstanceId"] == "i-block", addresses
    assert addresses["198.51.100.6"]["ServiceManaged"] == "nlb", addresses
    [reservation] = ec2.describe_instances(InstanceIds=["i-block"])["Reservations"]
    [interface] = reservation["Instances"][0]["NetworkInterfaces"]
    assert interface["Association"]["PublicIp"] == "198.51.100.5", interface
    assert interface["Association"]["IpOwnerId"] == ACCOUNT, interface

    own = everything(ec2, "describe_snapshots", "Snapshots", OwnerIds=["self"], **pages)
    own = {snapshot["SnapshotId"]: snapshot for snapshot in own}
    assert sorted(own) == ["snap-image", "snap-orphan"], sorted(own)
    assert own["snap-orphan"]["VolumeId"] == "vol-gone", own
    assert own["snap-orphan"]["FullSnapshotSizeInBytes"] == 50 * 1024**3, own
    assert own["snap-image"]["VolumeId"] == "vol-ffffffff", own
    assert own["snap-image"]["StorageTier"] == "archive", own
    assert len(ids("describe_snapshots", "Snapshots", "SnapshotId")) == 3

    [image] = everything(ec2, "describe_images", "Images", Owners=["self"], **pages)
    assert (image["ImageId"], image["Public"], image["State"]) == ("ami-0own", False, "available")
    assert image["BlockDeviceMappings"][0]["Ebs"]["SnapshotId"] == "snap-image", image
    assert image["LastLaunchedTime"] == "2025-12-31T00:00:00.000Z", image
    assert image["SourceInstanceId"] == "i-plain", image
    launched = [{"Name": "image-id", "Values": ["ami-0own"]}]
    [reservation] = everything(ec2, "describe_instances", "Reservations", Filters=launched)
    assert reservation["Instances"][0]["InstanceId"] == "i-plain", reservation

    errors = {
        "volume": refused(ec2.describe_volumes, VolumeIds=["vol-theirs"]),
        "snapshot": refused(ec2.describe_snapshots, SnapshotIds=["snap-none"]),
        "image": refused(ec2.describe_images, ImageIds=["ami-none"]),
        "address": refused(ec2.describe_addresses, PublicIps=["192.0.2.1"]),
        "denied": refused(client("ec2", region="eu-west-3").describe_volumes),
    }
    assert errors == {
        "volume": ("InvalidVolume.NotFound", 400),
        "snapshot": ("InvalidSnapshot.NotFound", 400),
        "image": ("InvalidAMIID.NotFound", 400),
        "address": ("InvalidAddress.NotFound", 400),
        "denied": ("UnauthorizedOperation", 403),
    }, errors
    return {"volumes": len(volumes), "addresses": len(addresses), "snapshots": len(own)}


def storage_prices(pricing):
    """Reads what a disk costs in the price list."""
    wanted = {"regionCode": "us-east-1", "productFamily": "Provisioned Throughput"}
    [text] = everything(
        pricing,
        "get_products",
        "PriceList",
        ServiceCode="AmazonEC2",
        Filters=[{"Type": "TERM_MATCH", "Field": f, "Value": v} for f, v in wanted.items()],
    )
    product = json.loads(text)
    assert product["product"]["attributes"]["usagetype"] == "EBS:VolumeP-Throughput.gp3", product
    [term] = product["terms"]["OnDemand"].values()
    [rate] = term["priceDimensions"].values()
    assert (rate["unit"], rate["pricePerUnit"]) == ("GiBps-mo", {"USD": "40.9600000000"}), rate


def main():
    ec2, sts = client("ec2"), client("sts")
    seen = {"boto3": boto3.__version__}

    identity = sts.get_caller_identity()
    assert identity["Account"] == ACCOUNT, identity
    assert identity["Arn"] == f"arn:aws:iam::{ACCOUNT}:user/reaper", identity
    seen["identity"] = identity["Arn"]

    session = sts.assume_role(
        RoleArn="arn:aws:iam::444455556666:role/audit", RoleSessionName="boto3", ExternalId="x1"
    )["Credentials"]
    other = {"key": session["AccessKeyId"], "token": session["SessionToken"]}
    assert client("sts", **other).get_caller_identity()["Account"] == "444455556666"
    assert session["Expiration"].tzinfo is not None
    assert refused(
        sts.assume_role, RoleArn="arn:aws:iam::444455556666:role/audit", RoleSessionName="boto3"
    ) == ("AccessDenied", 403)

    regions = ec2.describe_regions(AllRegions=True)["Regions"]
    status = {region["RegionName"]: region["OptInStatus"] for region in regions}
    assert status["eu-west-1"] == "opt-in-not-required", status
    assert status["me-south-1"] == "opted-in", status
    assert status["af-south-1"] == "not-opted-in", status
    assert len(ec2.describe_regions()["Regions"]) == 18
    seen["regions"] = len(regions)

    types = {t["InstanceType"]: t for t in everything(ec2, "describe_instance_types", "InstanceTypes")}
    gpu = types["g6f.large"]["GpuInfo"]["Gpus"][0]
    assert (gpu["Count"], gpu["LogicalGpuCount"], gpu["GpuPartitionSize"]) == (0, 1, 0.125), gpu
    assert types["p4d.24xlarge"]["GpuInfo"]["TotalGpuMemoryInMiB"] == 8 * 40960
    assert types["p4d.24xlarge"]["InstanceStorageInfo"]["Disks"][0]["Count"] == 8
    assert types["trn1.2xlarge"]["NeuronInfo"]["NeuronDevices"][0]["CoreInfo"]["Count"] == 2
    inference = types["inf2.xlarge"]["InferenceAcceleratorInfo"]["Accelerators"]
    assert inference[0]["Name"] == "Inferentia2", inference
    assert types["f2.6xlarge"]["FpgaInfo"]["Fpgas"][0]["Count"] == 1
    assert types["vt1.3xlarge"]["MediaAcceleratorInfo"]["Accelerators"][0]["Count"] == 1
    assert types["m7i.large"]["InstanceStorageSupported"] is False
    one = ec2.describe_instance_types(InstanceTypes=["p4d.24xlarge", "g5.xlarge"])
    assert len(one["InstanceTypes"]) == 2
    assert refused(ec2.describe_instance_types, InstanceTypes=["p9x.1xlarge"]) == (
        "InvalidInstanceType",
        400,
    )
    seen["types"] = len(types)

    reservations = everything(
        ec2,
        "describe_instances",
        "Reservations",
        IncludeManagedResources=True,
        Filters=[{"Name": "instance-state-name", "Values": ["running", "stopped"]}],
        PaginationConfig={"PageSize": 5},
    )
    instances = {i["InstanceId"]: i for r in reservations for i in r["Instances"]}
    assert len(instances) == 12, sorted(instances)
    plain = instances["i-plain"]
    assert plain["LaunchTime"].isoformat() == "2025-12-02T00:00:00+00:00", plain
    attached = plain["NetworkInterfaces"][0]["Attachment"]["AttachTime"]
    assert attached.isoformat() == "2025-06-01T00:00:00+00:00", plain
    assert {t["Key"]: t["Value"] for t in plain["Tags"]} == {"Name": "a <b> & \"c\" ü"}, plain
    assert plain["State"] == {"Code": 16, "Name": "running"}, plain
    assert plain["Placement"]["AvailabilityZone"] == "eu-west-1a", plain
    assert plain["PublicIpAddress"] == "203.0.113.7", plain
    assert plain["BlockDeviceMappings"][0]["Ebs"]["VolumeId"] == "vol-1", plain
    spot = instances["i-spot"]
    assert (spot["InstanceLifecycle"], spot["SpotInstanceRequestId"]) == ("spot", "sir-1"), spot
    block = instances["i-block"]
    assert (block["InstanceLifecycle"], block["CapacityBlockId"]) == ("capacity-block", "cb-1")
    assert instances["i-host"]["Placement"]["Tenancy"] == "host"
    assert instances["i-host"]["Placement"]["HostId"] == "h-1"
    assert instances["i-managed"]["Operator"]["Principal"] == "eks.amazonaws.com"
    assert instances["i-managed"]["Operator"]["Managed"] is True
    stopped = instances["i-stopped"]
    assert stopped["StateReason"]["Code"] == "Client.UserInitiatedShutdown", stopped
    assert stopped["StateTransitionReason"].startswith("User initiated ("), stopped
    assert "Tags" not in instances["i-withheld"]
    seen["instances"] = sorted(instances)

    tags = everything(
        ec2,
        "describe_tags",
        "Tags",
        Filters=[{"Name": "resource-id", "Values": ["i-withheld"]}],
        PaginationConfig={"PageSize": 5},
    )
    assert [(t["Key"], t["Value"]) for t in tags] == [("owner", "alice"), ("project", "atlas")]

    protected = ec2.describe_instance_attribute(InstanceId="i-plain", Attribute="disableApiStop")
    assert protected["DisableApiStop"] == {"Value": True}, protected
    request = ec2.describe_spot_instance_requests(SpotInstanceRequestIds=["sir-1"])
    assert request["SpotInstanceRequests"][0]["Type"] == "one-time", request
    assert request["SpotInstanceRequests"][0]["InstanceId"] == "i-spot", request

    wildcard = [{"Name": "instance-type", "Values": ["p4d.*"]}]
    found = everything(ec2, "describe_instances", "Reservations", Filters=wildcard)
    assert [i["InstanceId"] for r in found for i in r["Instances"]] == ["i-plain"]

    seen["errors"] = {
        "unknown id": refused(ec2.describe_instances, InstanceIds=["i-none"]),
        "dry run": refused(ec2.describe_instances, DryRun=True),
        "unknown key": refused(client("ec2", key="AKIANOBODY").describe_instances),
        "unknown key at STS": refused(client("sts", key="AKIANOBODY").get_caller_identity),
        "region not enabled": refused(client("ec2", region="af-south-1").describe_instances),
        "denied": refused(client("ec2", region="eu-west-3").describe_tags),
        "stop of a protected one": refused(ec2.stop_instances, InstanceIds=["i-host", "i-plain"]),
        "stop of a spot one": refused(ec2.stop_instances, InstanceIds=["i-host", "i-spot"]),
        "stop of none": refused(ec2.stop_instances, InstanceIds=["i-none"]),
        "termination of a protected one": refused(ec2.terminate_instances, InstanceIds=["i-plain"]),
        "reserved tag": refused(
            ec2.create_tags, Resources=["i-host"], Tags=[{"Key": "aws:x", "Value": ""}]
        ),
        "throttled": refused(client("ec2", region="us-east-1").describe_instances),
    }
    assert seen["errors"] == {
        "unknown id": ("InvalidInstanceID.NotFound", 400),
        "dry run": ("DryRunOperation", 412),
        "unknown key": ("AuthFailure", 401),
        "unknown key at STS": ("InvalidClientTokenId", 403),
        "region not enabled": ("AuthFailure", 401),
        "denied": ("UnauthorizedOperation", 403),
        "stop of a protected one": ("OperationNotPermitted", 400),
        "stop of a spot one": ("UnsupportedOperation", 400),
        "stop of none": ("InvalidInstanceID.NotFound", 400),
        "termination of a protected one": ("OperationNotPermitted", 400),
        "reserved tag": ("InvalidParameterValue", 400),
        "throttled": ("RequestLimitExceeded", 503),
    }, seen["errors"]
    retried = client("ec2", region="us-east-1", attempts=3)
    assert everything(retried, "describe_instances", "Reservations") == []
    seen["money"] = money(ec2)
    seen["beside machines"] = beside_machines(ec2)
    act(ec2)

    json.dump(seen, sys.stdout, indent=1)
    print()


main()
