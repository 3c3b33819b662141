from collections.abc import AsyncIterator

import pytest

from sitewright.settings import Settings
from sitewright.sites.media.storage.s3.media_store import S3MediaStore
from tests.support.s3_server import Bucket, bucket, s3_url

__all__ = ["bucket", "s3_url"]


@pytest.fixture
async def s3(bucket: Bucket, settings: Settings) -> AsyncIterator[S3MediaStore]:
    store = S3MediaStore(bucket.settings(settings))
    yield store
    await store.close()
