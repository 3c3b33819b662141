"""Temporary files of uploads: deleted with the upload, and later where a process was killed."""

import os
from datetime import timedelta
from pathlib import Path

import pytest

from sitewright.kit import clock
from sitewright.settings import Settings
from sitewright.sites.media.errors import MediaUnreadable
from sitewright.sites.media.jobs import prune_spool_files
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.spooling import folder_of, open_spool
from sitewright.sites.media.storage.interface import CHUNK_BYTES
from tests.support.pictures import picture


async def test_a_spool_holds_what_was_written_and_is_deleted(tmp_path: Path) -> None:
    settings, content = Settings(data_dir=str(tmp_path)), picture(Format.JPEG) + b"\0" * (2 * CHUNK_BYTES)
    async with open_spool(settings) as spool:
        for start in range(0, len(content), 100_000):
            await spool.write(content[start : start + 100_000])
        await spool.finish()
        assert spool.path.read_bytes() == content
        assert spool.path.stat().st_mode & 0o777 == 0o600
        assert [len(chunk) async for chunk in spool.chunks()][:2] == [CHUNK_BYTES, CHUNK_BYTES]
    assert list(folder_of(settings).iterdir()) == []


async def test_what_is_no_picture_is_refused_at_its_beginning(tmp_path: Path) -> None:
    async with open_spool(Settings(data_dir=str(tmp_path))) as spool:
        with pytest.raises(MediaUnreadable):
            await spool.write(b"no picture" * 100)


def test_old_files_are_deleted(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for file in (old, new):
        file.write_bytes(b"x")
    long_ago = (clock.real_now() - timedelta(hours=3)).timestamp()
    os.utime(old, (long_ago, long_ago))
    prune_spool_files(tmp_path, clock.real_now() - timedelta(hours=2))
    assert list(tmp_path.iterdir()) == [new]
    prune_spool_files(tmp_path / "no folder", clock.real_now())
