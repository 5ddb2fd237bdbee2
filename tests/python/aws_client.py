"""Reads the simulated AWS with boto3 as far as an audit does, to compare the two.

Usage: aws_client.py ENDPOINT_URL
The world is the one in clients.toml. Prints the machines with accelerators as `reaper audit` should
show them. That the wire as a whole is as boto3 wants it has a test of its own in the simulator.
"""

import json
import sys

import boto3

KINDS = ("GpuInfo", "NeuronInfo", "InferenceAcceleratorInfo", "FpgaInfo", "MediaAcceleratorInfo")


def client(region):
    return boto3.client(
        "ec2",
        region_name=region,
        endpoint_url=sys.argv[1],
        aws_access_key_id="AKIARESEARCH",
        aws_secret_access_key="any",
    )


def machines(region):
    ec2 = client(region)
    pages = ec2.get_paginator("describe_instance_types").paginate()
    accelerated = {
        kind["InstanceType"]
        for page in pages
        for kind in page["InstanceTypes"]
        if any(field in kind for field in KINDS)
    }
    pages = ec2.get_paginator("describe_instances").paginate(IncludeManagedResources=True)
    listed = [i for page in pages for r in page["Reservations"] for i in r["Instances"]]
    for machine in listed:
        tags = {tag["Key"]: tag["Value"] for tag in machine.get("Tags", [])}
        if machine["InstanceType"] in accelerated:
            yield machine["InstanceId"], {
                "name": tags.get("Name"),
                "provider_state": machine["State"]["Name"],
                "machine_type": machine["InstanceType"],
                "location": region,
                "tags": tags,
            }


def main():
    found = {id: shown for region in ("eu-west-1", "us-east-1") for id, shown in machines(region)}
    json.dump({"machines": found}, sys.stdout)


main()
