"""Deletes the bytes of deleted media, and files that a killed process left behind."""

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from sitewright.kit import clock
from sitewright.kit.jobs import JobKind, PeriodicTask, Schedule
from sitewright.kit.resources import Resources
from sitewright.sites.media.spooling import folder_of
from sitewright.sites.media.storage import service as storage

SPOOL_AGE = timedelta(hours=2)
"""No upload, and no decoding of one, takes longer."""


class Purge(msgspec.Struct, frozen=True):
    """Everything that is due for deletion, of all brands."""


async def purge(_purge: Purge, resources: Resources) -> None:
    await storage.purge(resources)


async def _purge_pending(resources: Resources) -> None:
    await storage.purge(resources)


async def _prune_spool_files(resources: Resources) -> None:
    await asyncio.to_thread(prune_spool_files, folder_of(resources.settings), clock.real_now() - SPOOL_AGE)


def prune_spool_files(folder: Path, older_than: datetime) -> None:
    for file in folder.glob("*"):
        with suppress(FileNotFoundError):  # its upload has just ended
            if file.stat().st_mtime < older_than.timestamp():
                file.unlink()


PURGE = JobKind("purge-media", Purge, purge)
SCHEDULES = [Schedule("purge-media-uploads", "*/10 * * * *", _purge_pending)]
SPOOL_FILES = PeriodicTask("media-spool-files", 600.0, _prune_spool_files)
"""In every worker, since each may have its own data folder."""
