"""A second machine, as a network namespace whose packets can be dropped silently."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from uuid import uuid4

US = "198.18.213.1"  # a range for network tests (RFC 2544), which is not routed
SILENT, ALIVE = "198.18.213.2", "198.18.213.3"


class Namespace:
    def __init__(self) -> None:
        self.name = f"sw{uuid4().hex[:8]}"

    def drop_replies(self, address: str) -> None:
        """Drop all packets from this address; packets to it still arrive."""
        _ip("-n", self.name, "rule", "add", "from", address, "blackhole", "pref", "10")

    @asynccontextmanager
    async def running(self, *arguments: str) -> AsyncIterator[None]:
        """Start a Python program in it, and wait for its first line."""
        program = await asyncio.create_subprocess_exec(
            "ip", "netns", "exec", self.name, sys.executable, *arguments, stdout=asyncio.subprocess.PIPE
        )
        try:
            assert program.stdout is not None
            assert await program.stdout.readline()
            yield
        finally:
            program.kill()
            await program.wait()


@contextmanager
def namespace() -> Iterator[Namespace]:
    made = Namespace()
    ours, theirs = f"{made.name}a", f"{made.name}b"
    with ExitStack() as undo:
        _ip("netns", "add", made.name)
        undo.callback(_ip, "netns", "del", made.name)
        _ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", made.name)
        undo.callback(_ip, "link", "del", ours)  # otherwise its address stays until the last socket is closed
        _ip("addr", "add", f"{US}/24", "dev", ours)
        _ip("link", "set", ours, "up")
        for address in (SILENT, ALIVE):
            _ip("-n", made.name, "addr", "add", f"{address}/24", "dev", theirs)
        _ip("-n", made.name, "link", "set", theirs, "up")
        yield made


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
