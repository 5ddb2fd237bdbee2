"""Serves moto on a free loopback port with a fleet seeded through boto3, until stdin closes.

Prints one JSON line: {"url": …, "now": …, "machines": {name: id}, "python": …}. Called in other
ways, it serves nothing, asks a fleet that is being served, and prints the answer as JSON:
`moto_fleet.py seen URL REGION ID` what boto3 sees of a machine, `moto_fleet.py states URL` the state
of every machine by id, `moto_fleet.py leave URL REGION ID` leaves things beside that machine, used
and not, `moto_fleet.py bucket URL NAME` makes a bucket. The fleet is the one that
tests/product/moto.rs expects; moto's own deviations from EC2 (instances run at once, launch times
are now) are worked round here and there, never in the product.
"""

import json
import logging
import os
import sys
import urllib.request
from datetime import datetime, timedelta, timezone

os.environ.setdefault("MOTO_EC2_LOAD_DEFAULT_AMIS", "false")
import boto3
from moto.server import ThreadedMotoServer

ACCOUNT = "123456789012"  # moto's own


def client(service, url, region):
    return boto3.client(
        service,
        region_name=region,
        endpoint_url=url,
        aws_access_key_id="AKIATEST",
        aws_secret_access_key="test",
    )


def tags(pairs):
    return [{"Key": key, "Value": value} for key, value in pairs]


# (name, region, type, tags, what happens to it afterwards)
FLEET = [
    ("no-tags", "eu-west-1", "p3.2xlarge", None, None),
    ("ownerless", "eu-west-1", "g5.xlarge", [("project", "atlas")], None),
    ("owned", "eu-west-1", "g5.xlarge", [("owner", "alice@example.org"), ("project", "atlas")], None),
    ("owner-empty", "eu-west-1", "g5.2xlarge", [("owner", ""), ("project", "atlas")], None),
    ("owner-blank", "eu-west-1", "g5.2xlarge", [("owner", "\u00a0 "), ("project", "atlas")], None),
    ("owner-spelled", "eu-west-1", "g5.2xlarge", [("Created_By", "bob"), ("project", "atlas")], None),
    ("owner-conflict", "eu-west-1", "g5.2xlarge", [("Owner", "a@example.org"), ("owner", "b@example.org"), ("project", "atlas")], None),
    ("owner-departed", "eu-west-1", "g4dn.xlarge", [("owner", "carol"), ("project", "atlas")], None),
    ("owner-unknown", "eu-west-1", "g4dn.xlarge", [("owner", "mallory"), ("project", "atlas")], None),
    ("owner-several", "eu-west-1", "g4dn.xlarge", [("owner", "alice; bob"), ("project", "atlas")], None),
    ("project-none", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "none")], None),
    ("project-missing", "eu-west-1", "g4dn.xlarge", [("owner", "alice")], None),
    ("project-empty", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "")], None),
    ("keep", "eu-west-1", "g4dn.xlarge", [("reaper-keep", "")], None),
    ("keep-shouted", "eu-west-1", "g4dn.xlarge", [("REAPER-KEEP", "yes")], None),
    ("keep-false", "eu-west-1", "g4dn.xlarge", [("reaper-keep", "false")], None),
    ("keep-lapsed", "eu-west-1", "g4dn.xlarge", [("reaper-keep", "2024-12-25")], None),
    ("expired", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "atlas"), ("expires", "2024-01-31")], None),
    ("expires-later", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "atlas"), ("expires", "2099-01-31")], None),
    ("expires-soon", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "atlas"), ("expires", "soon")], None),
    ("expires-7d", "eu-west-1", "g4dn.xlarge", [("owner", "alice"), ("project", "atlas"), ("expires", "7d")], None),
    ("demo-booth", "eu-west-1", "g4dn.xlarge", [("project", "atlas")], None),
    ("asg-member", "us-east-1", "p3.8xlarge", [("aws:autoscaling:groupName", "trainers")], None),
    ("eks-node", "us-east-1", "g4dn.xlarge", [("eks:nodegroup-name", "gpu"), ("eks:cluster-name", "ml")], None),
    ("karpenter-node", "us-east-1", "g5.xlarge", [("karpenter.sh/nodepool", "gpu")], None),
    ("emr-node", "us-east-1", "g4dn.xlarge", [("aws:elasticmapreduce:job-flow-id", "j-1")], None),
    ("spot", "us-east-1", "g5.xlarge", [("project", "atlas")], "spot"),
    ("stop-protected", "us-east-1", "g5.xlarge", [("project", "atlas")], "protect"),
    ("stopped", "us-east-1", "g5.xlarge", [("project", "atlas")], "stop"),
    ("terminated", "us-east-1", "g5.xlarge", [("project", "atlas")], "terminate"),
    ("p4d", "us-east-1", "p4d.24xlarge", [("project", "atlas")], None),
    ("inferentia", "us-east-1", "inf1.xlarge", [("project", "atlas")], None),
    ("trainium", "us-east-1", "trn1.2xlarge", [("project", "atlas")], None),
    ("fpga", "us-east-1", "f1.2xlarge", [("project", "atlas")], None),
    ("gaudi", "us-east-1", "dl1.24xlarge", [("project", "atlas")], None),
    ("radeon", "us-east-1", "g4ad.xlarge", [("project", "atlas")], None),
    ("web", "us-east-1", "t3.micro", [("project", "atlas")], None),
    ("db", "us-east-1", "m5.large", None, None),
    ("batch", "eu-west-1", "c5.xlarge", None, None),
    ("far-away", "ap-southeast-2", "g4dn.12xlarge", None, None),
    ("far-owned", "ap-southeast-2", "g4dn.xlarge", [("owner", "alice"), ("project", "atlas")], None),
    ("far-web", "ap-southeast-2", "t3.small", None, None),
    ("unicode", "ap-southeast-2", "g4dn.xlarge", [("owner", "alice"), ("project", "größe-日本 <b>&amp;")], None),
]


def launch(url, name, region, kind, pairs, fate):
    ec2 = client("ec2", url, region)
    what = {"ImageId": "ami-12345678", "InstanceType": kind}
    if fate == "spot":
        # moto's run_instances makes spot machines without a request behind them.
        asked = ec2.request_spot_instances(LaunchSpecification=what, Type="one-time")
        instance = asked["SpotInstanceRequests"][0]["InstanceId"]
    else:
        ran = ec2.run_instances(**what, MinCount=1, MaxCount=1)
        instance = ran["Instances"][0]["InstanceId"]
    # moto lets everybody write aws: keys, which AWS itself would write.
    if pairs is not None:
        ec2.create_tags(Resources=[instance], Tags=tags([("Name", name), *pairs]))
    if fate == "protect":
        ec2.modify_instance_attribute(InstanceId=instance, DisableApiStop={"Value": True})
    if fate == "stop":
        ec2.stop_instances(InstanceIds=[instance])
    if fate == "terminate":
        ec2.terminate_instances(InstanceIds=[instance])
    return instance


def seen(url, region, instance):
    """A machine as boto3 sees it."""
    ec2 = client("ec2", url, region)
    found = ec2.describe_instances(InstanceIds=[instance])["Reservations"][0]["Instances"][0]

    def attribute(name, key):
        asked = ec2.describe_instance_attribute(InstanceId=instance, Attribute=name)
        return asked[key]["Value"]

    return {
        "state": found["State"]["Name"],
        "tags": {tag["Key"]: tag["Value"] for tag in found.get("Tags", [])},
        "stop_protection": attribute("disableApiStop", "DisableApiStop"),
        "termination_protection": attribute("disableApiTermination", "DisableApiTermination"),
    }


def states(url):
    """The state of every machine, by id, as boto3 sees it."""
    regions = sorted({row[1] for row in FLEET})
    found = {}
    for region in regions:
        pages = client("ec2", url, region).get_paginator("describe_instances").paginate()
        for page in pages:
            for reservation in page["Reservations"]:
                for machine in reservation["Instances"]:
                    found[machine["InstanceId"]] = machine["State"]["Name"]
    return found


def leave(url, region, machine):
    """Leaves behind a volume, an address, a snapshot and an image, and uses one of each."""
    ec2 = client("ec2", url, region)

    def volume(**more):
        made = ec2.create_volume(AvailabilityZone=f"{region}a", VolumeType="gp3", **more)
        return made["VolumeId"]

    named = [{"ResourceType": "volume", "Tags": tags([("Name", "old data"), ("owner", "bob")])}]
    free, used, gone = volume(Size=500, TagSpecifications=named), volume(Size=20), volume(Size=40)
    ec2.attach_volume(VolumeId=used, InstanceId=machine, Device="/dev/sdf")
    orphan = ec2.create_snapshot(VolumeId=gone)["SnapshotId"]
    kept = ec2.create_snapshot(VolumeId=used)["SnapshotId"]
    ec2.delete_volume(VolumeId=gone)
    address = ec2.allocate_address(Domain="vpc")["PublicIp"]
    other = ec2.allocate_address(Domain="vpc")
    ec2.associate_address(AllocationId=other["AllocationId"], InstanceId=machine)
    image = ec2.create_image(InstanceId=machine, Name="torch-1.9")["ImageId"]
    busy = ec2.create_image(InstanceId=machine, Name="torch-2.9")["ImageId"]
    ran = ec2.run_instances(ImageId=busy, InstanceType="t3.micro", MinCount=1, MaxCount=1)
    return {
        "left": {"volume": free, "address": address, "snapshot": orphan, "image": image},
        "used": {"volume": used, "address": other["PublicIp"], "snapshot": kept, "image": busy},
        "gone": gone,
        "launched": ran["Instances"][0]["InstanceId"],
    }


def bucket(url, name):
    """Makes a bucket."""
    client("s3", url, "us-east-1").create_bucket(Bucket=name)
    return name


def bill(url, results):
    """What Cost Explorer is to answer to the next question; moto keeps no costs of its own."""
    body = json.dumps({"results": [{"ResultsByTime": json.loads(results)}]}).encode()
    path = "/moto-api/static/ce/cost-and-usage-results"
    request = urllib.request.Request(url + path, data=body, method="POST")
    with urllib.request.urlopen(request) as answer:
        return {"status": answer.status}


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    machines = {row[0]: launch(url, *row) for row in FLEET}
    # Thirty days from now, so that everything that was launched just now is old.
    now = datetime.now(timezone.utc) + timedelta(days=30)
    line = {
        "url": url,
        "account": ACCOUNT,
        "now": now.isoformat(),
        "machines": machines,
        "python": sys.executable,
    }
    print(json.dumps(line), flush=True)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    questions = {"seen": seen, "states": states, "leave": leave, "bucket": bucket, "bill": bill}
    if sys.argv[1:]:
        print(json.dumps(questions[sys.argv[1]](*sys.argv[2:])))
    else:
        main()
