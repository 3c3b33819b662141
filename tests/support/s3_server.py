"""moto's S3 server in this process, on a free port, and settings for it. It does not check signatures."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import boto3
import msgspec
import pytest
from moto.server import ThreadedMotoServer

from sitewright.settings import Settings

ACCESS_KEY_ID = "AKIDEXAMPLE"
SECRET_ACCESS_KEY = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # the one of the documentation of AWS
REGION = "eu-central-1"


class Bucket:
    """A bucket of its own, looked into with boto3."""

    def __init__(self, url: str) -> None:
        self.url, self.name = url, f"media-{uuid4().hex}"
        self.client = boto3.client(
            "s3",
            endpoint_url=url,
            region_name=REGION,
            aws_access_key_id=ACCESS_KEY_ID,
            aws_secret_access_key=SECRET_ACCESS_KEY,
        )
        self.create()

    def create(self) -> None:
        self.client.create_bucket(Bucket=self.name, CreateBucketConfiguration={"LocationConstraint": REGION})

    def settings(self, settings: Settings) -> Settings:
        return msgspec.structs.replace(settings, **self.values())

    def values(self) -> dict[str, str]:
        return {
            "media_store": "s3",
            "s3_endpoint": self.url,
            "s3_region": REGION,
            "s3_bucket": self.name,
            "s3_access_key_id": ACCESS_KEY_ID,
            "s3_secret_access_key": SECRET_ACCESS_KEY,
        }

    def keys(self) -> list[str]:
        return [each["Key"] for each in self.client.list_objects_v2(Bucket=self.name).get("Contents", [])]

    def content(self, key: str) -> bytes:
        content: bytes = self.client.get_object(Bucket=self.name, Key=key)["Body"].read()
        return content

    def unfinished(self) -> list[str]:
        return [each["Key"] for each in self.client.list_multipart_uploads(Bucket=self.name).get("Uploads", [])]


@contextmanager
def running_s3() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        yield f"http://{host}:{port}"
    finally:
        server.stop()


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    with running_s3() as url:
        yield url


@pytest.fixture
def bucket(s3_url: str) -> Bucket:
    return Bucket(s3_url)
