"""Uses the simulated CloudWatch through boto3, AWS's own client, and checks what comes out.

Usage: boto3_cloudwatch.py ENDPOINT_URL PROTOCOL
The world is the one in boto3_cloudwatch.toml. Exits with 1 and the failed assertion when something
is not as it should be. boto3 prefers JSON; with PROTOCOL it is told to prefer another one.
"""

import sys
from datetime import datetime, timedelta, timezone

import botocore.model
from botocore.config import Config
from botocore.exceptions import ClientError

ENDPOINT, PROTOCOL = sys.argv[1:]
botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS = (PROTOCOL,) + tuple(
    botocore.model.PRIORITY_ORDERED_SUPPORTED_PROTOCOLS
)

import boto3  # noqa: E402

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def client(region="eu-west-1", key="AKIAEXAMPLE", attempts=1):
    return boto3.client(
        "cloudwatch",
        region_name=region,
        endpoint_url=ENDPOINT,
        aws_access_key_id=key,
        aws_secret_access_key="any",
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}),
    )


def refused(call, **arguments):
    """The code and HTTP status of an expected error."""
    try:
        call(**arguments)
    except ClientError as error:
        answer = error.response
        assert answer["ResponseMetadata"]["RequestId"], answer
        return answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]
    raise AssertionError(f"{call} was not refused")


def everything(cloudwatch, **arguments):
    pages = cloudwatch.get_paginator("list_metrics").paginate(**arguments)
    return [metric for page in pages for metric in page["Metrics"]]


def dimensions(metric):
    return {dimension["Name"]: dimension["Value"] for dimension in metric["Dimensions"]}


def query(metric, stat, period=300, id="m0"):
    return {"Id": id, "MetricStat": {"Metric": metric, "Stat": stat, "Period": period}}


def ec2(name, machine="i-eight", **more):
    names = {"InstanceId": machine, **more}
    return {
        "Namespace": "AWS/EC2",
        "MetricName": name,
        "Dimensions": [{"Name": name, "Value": value} for name, value in names.items()],
    }


def data(cloudwatch, queries, start=timedelta(hours=6), end=timedelta(0), **more):
    pages = cloudwatch.get_paginator("get_metric_data").paginate(
        MetricDataQueries=queries, StartTime=NOW - start, EndTime=NOW - end, **more
    )
    results = {}
    for page in pages:
        for result in page["MetricDataResults"]:
            points = list(zip(result["Timestamps"], result["Values"], strict=True))
            found = results.setdefault(result["Id"], {"points": []})
            found["points"] += points
            found["status"] = result["StatusCode"]
    return results


def lists(cloudwatch):
    power = everything(cloudwatch, Namespace="AWS/EC2", MetricName="GPUPowerUtilization")
    assert len(power) == 9, power
    by_gpu = everything(
        cloudwatch,
        Namespace="AWS/EC2",
        MetricName="GPUPowerUtilization",
        Dimensions=[{"Name": "GpuId"}],
        RecentlyActive="PT3H",
    )
    assert sorted(dimensions(metric)["GpuId"] for metric in by_gpu) == list("01234567"), by_gpu
    agent = everything(
        cloudwatch, Namespace="CWAgent", Dimensions=[{"Name": "InstanceId", "Value": "i-eight"}]
    )
    names = {metric["MetricName"] for metric in agent}
    assert names == {"nvidia_smi_utilization_gpu", "nvidia_smi_memory_used"}, names
    expected = {"InstanceId", "InstanceType", "host", "index", "name"}
    assert all(set(dimensions(metric)) == expected for metric in agent), agent
    cpu = {"Namespace": "AWS/EC2", "MetricName": "CPUUtilization"}
    assert len(everything(cloudwatch, **cpu)) == 2
    recent = everything(cloudwatch, **cpu, RecentlyActive="PT3H")
    assert [dimensions(metric)["InstanceId"] for metric in recent] == ["i-eight"], recent
    return agent


def values(cloudwatch, agent):
    [busy] = [
        metric
        for metric in agent
        if metric["MetricName"] == "nvidia_smi_utilization_gpu" and dimensions(metric)["index"] == "3"
    ]
    memory = {**busy, "MetricName": "nvidia_smi_memory_used"}
    shorter = {**busy, "Dimensions": busy["Dimensions"][:-1]}
    queries = [
        query(busy, "Maximum", id="busy"),
        query(memory, "Maximum", id="memory"),
        query(shorter, "Maximum", id="shorter"),
        query(ec2("GPUPowerUtilization"), "Maximum", id="all"),
        query(ec2("GPUPowerUtilization"), "Average", id="mean"),
        query(ec2("GPUPowerUtilization", GpuId="7"), "Minimum", id="seven"),
        query(ec2("NetworkIn"), "Sum", id="network"),
        query(ec2("CPUUtilization"), "SampleCount", period=60, id="minutes"),
        query(ec2("CPUUtilization", "i-off"), "Average", id="off"),
        query(ec2("CPUUtilization", "i-nowhere"), "Average", id="nowhere"),
    ]
    found = data(cloudwatch, queries, ScanBy="TimestampAscending")
    assert all(result["status"] == "Complete" for result in found.values()), found
    times = [time for time, _ in found["busy"]["points"]]
    assert (times[0], times[-1]) == (NOW - timedelta(hours=6), NOW - timedelta(minutes=5)), times
    assert len(times) == 72
    last = lambda id, count=3: [value for _, value in found[id]["points"][-count:]]
    assert last("busy") == [0.0, 92.0, 92.0], last("busy")
    assert last("memory", 1) == [512.0]
    assert last("all", 1) == [60.0] and last("mean", 1) == [11.0] and last("seven", 1) == [60.0]
    assert last("network", 1) == [300_000.0]
    # EC2's own metrics come every five minutes, however short the period.
    assert len(found["minutes"]["points"]) == 72 and last("minutes", 1) == [5.0]
    off = [time for time, _ in found["off"]["points"]]
    assert max(off) <= NOW - timedelta(hours=4), off
    assert found["shorter"]["points"] == found["nowhere"]["points"] == []
    newest = data(cloudwatch, queries[:1])["busy"]["points"]
    assert newest == found["busy"]["points"][::-1]
    paged = data(cloudwatch, queries, ScanBy="TimestampAscending", MaxDatapoints=50)
    assert paged == found, "pages hold together what one answer does"
    first = cloudwatch.get_metric_data(
        MetricDataQueries=queries,
        StartTime=NOW - timedelta(hours=6),
        EndTime=NOW,
        MaxDatapoints=50,
    )
    assert first["MetricDataResults"][0]["StatusCode"] == "PartialData", first
    uneven = data(cloudwatch, queries[:1], start=timedelta(minutes=13, seconds=20))["busy"]
    assert [time.minute for time, _ in uneven["points"]] == [55, 50], uneven
    # So old a start asks for periods of five minutes.
    old = timedelta(days=20)
    assert data(cloudwatch, [query(ec2("CPUUtilization"), "Average", 60)], start=old)["m0"][
        "points"
    ] == []


def errors(cloudwatch):
    cpu = query(ec2("CPUUtilization"), "Average")
    span = {"StartTime": NOW - timedelta(hours=1), "EndTime": NOW}
    many = [{**cpu, "Id": f"m{number}"} for number in range(501)]
    ask = cloudwatch.get_metric_data
    found = {
        "501 queries": refused(ask, MetricDataQueries=many, **span),
        "no span": refused(ask, MetricDataQueries=[cpu], StartTime=NOW, EndTime=NOW),
        "an id twice": refused(ask, MetricDataQueries=[cpu, cpu], **span),
        "bad token": refused(ask, MetricDataQueries=[cpu], NextToken="x", **span),
        "bad age": refused(cloudwatch.list_metrics, RecentlyActive="PT4H"),
        "unknown key": refused(client(key="AKIANOBODY").list_metrics),
        "denied": refused(
            client("eu-west-3").get_metric_data, MetricDataQueries=[cpu], **span
        ),
        "throttled": refused(client("us-east-1").list_metrics),
    }
    assert found == {
        "501 queries": ("ValidationError", 400),
        "no span": ("ValidationError", 400),
        "an id twice": ("ValidationError", 400),
        "bad token": ("InvalidNextToken", 400),
        "bad age": ("InvalidParameterValue", 400),
        "unknown key": ("InvalidClientTokenId", 403),
        "denied": ("AccessDenied", 403),
        "throttled": ("Throttling", 400),
    }, found


def main():
    cloudwatch = client()
    values(cloudwatch, lists(cloudwatch))
    errors(cloudwatch)
    assert everything(client(key="AKIAOTHER")) == []
    elsewhere = client("us-east-1")
    names = [metric["MetricName"] for metric in everything(elsewhere)]
    assert names == ["GPUPowerUtilization"], names
    failed = data(elsewhere, [query(ec2("GPUPowerUtilization", "i-other"), "Maximum")])
    assert failed["m0"]["status"] == "InternalError", failed


main()
