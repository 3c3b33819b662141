"""Data folders as a first start leaves them: each kind is made once by every test process, and then copied.

Creating a cluster, migrating it and filling it takes several seconds; copying the result takes a fraction of one.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sitewright.kit.embedded import EmbeddedPostgres

_templates: dict[str, Path] = {}
_folder: Path | None = None


@contextmanager
def keeping_templates() -> Iterator[None]:
    """Keep what is made until the end of the block; outside of it, every folder is made anew."""
    global _folder  # noqa: PLW0603 - of the whole process, like the templates
    with tempfile.TemporaryDirectory(prefix="sitewright-templates-") as folder:
        _folder = Path(folder)
        yield
        _folder = None
        _templates.clear()


async def make_or_copy(kind: str, target: Path, make: Callable[[Path], Awaitable[None]]) -> None:
    """`make` leaves the folder without running processes."""
    if _folder is None:
        await make(target)
        return
    if kind not in _templates:
        await make(_folder / kind)
        _stop_waiting_for_the_disk(_folder / kind)
        _templates[kind] = _folder / kind
    target.mkdir(parents=True, exist_ok=True)
    copying = await asyncio.create_subprocess_exec(
        "cp", "--archive", "--reflink=auto", "--no-target-directory", str(_templates[kind]), str(target)
    )
    assert await copying.wait() == 0


def _stop_waiting_for_the_disk(data_dir: Path) -> None:
    """Commits of the tests need not survive a crash of the machine; those that survive a killed server still do."""
    with (data_dir / "postgres" / "data" / "postgresql.auto.conf").open("a") as settings:
        settings.write("fsync = off\n")


async def make_cluster(data_dir: Path) -> None:
    """A data folder as the first command leaves it: with an empty database."""
    await make_or_copy("cluster", data_dir, _start_and_stop)


async def new_server(data_dir: Path) -> EmbeddedPostgres:
    """A server of its own that is not started, with an empty database."""
    await make_cluster(data_dir)
    return EmbeddedPostgres(data_dir)


async def _start_and_stop(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    server.stop()
