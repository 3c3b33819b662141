from collections.abc import AsyncIterator, Iterator

import pytest

from sitewright.settings import Settings
from sitewright.sites.media.storage.s3.media_store import S3MediaStore
from tests.support.s3_server import Bucket, running_s3


@pytest.fixture(scope="session")
def s3_url() -> Iterator[str]:
    with running_s3() as url:
        yield url


@pytest.fixture
def bucket(s3_url: str) -> Bucket:
    return Bucket(s3_url)


@pytest.fixture
async def s3(bucket: Bucket, settings: Settings) -> AsyncIterator[S3MediaStore]:
    store = S3MediaStore(bucket.settings(settings))
    yield store
    await store.close()
