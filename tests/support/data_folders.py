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
        _templates[kind] = _folder / kind
    target.mkdir(parents=True, exist_ok=True)
    copying = await asyncio.create_subprocess_exec(
        "cp", "--archive", "--reflink=auto", "--no-target-directory", str(_templates[kind]), str(target)
    )
    assert await copying.wait() == 0


async def new_server(data_dir: Path) -> EmbeddedPostgres:
    """A server of its own that is not started, with an empty database."""
    await make_or_copy("cluster", data_dir, _make_cluster)
    return EmbeddedPostgres(data_dir)


async def _make_cluster(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.start()
    server.stop()
