"""Serves moto's S3 on a free loopback port with one bucket, until stdin closes. Prints its URL."""

import logging
import sys

import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
url = f"http://{host}:{port}"
boto3.client(
    "s3",
    region_name="us-east-1",
    endpoint_url=url,
    aws_access_key_id="AKIATEST",
    aws_secret_access_key="test",
).create_bucket(Bucket="state")
print(url, flush=True)
sys.stdin.read()
server.stop()
