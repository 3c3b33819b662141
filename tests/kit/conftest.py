"""Fixtures of the embedded server's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit.embedded import EmbeddedPostgres
from tests.kit.embedded_support import new_folder


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    # One for all of a file: making and removing a cluster takes seconds where the disk is slow, starting it does not.
    with new_folder(0o755) as folder:
        yield folder / "var"


@pytest.fixture
def embedded(data_dir: Path) -> Iterator[EmbeddedPostgres]:
    embedded = EmbeddedPostgres(data_dir)
    yield embedded
    embedded.stop()
