"""Three machines: network namespaces on a bridge, which can be cut off; without the rights for that, loopback ports."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from uuid import uuid4

import msgspec

from tests.support.service import free_port

RANGE = "198.18.214"  # a range for network tests (RFC 2544), which is not routed
COUNT = 3


class Machine(msgspec.Struct, frozen=True):
    address: str
    prefix: list[str]
    """Of every command that runs on this machine."""
    link: str | None
    """The network interface that connects it; None if it cannot be cut off."""

    def cut_off(self) -> None:
        assert self.link is not None
        _ip("link", "set", self.link, "down")

    def reconnect(self) -> None:
        assert self.link is not None
        _ip("link", "set", self.link, "up")


class Network(msgspec.Struct, frozen=True):
    here: str
    """The address of etcd and of the service."""
    allowed: str
    """The network of all machines, for pg_hba.conf."""
    machines: list[Machine]


@contextmanager
def network() -> Iterator[Network]:
    if not _may_make_namespaces():
        machines = [Machine("127.0.0.1", [], None) for _ in range(COUNT)]
        yield Network("127.0.0.1", "127.0.0.1/32", machines)
        return
    name = f"ha{uuid4().hex[:6]}"
    with ExitStack() as undo:
        _ip("link", "add", name, "type", "bridge")
        undo.callback(_ip, "link", "del", name)
        _ip("addr", "add", f"{RANGE}.1/24", "dev", name)
        _ip("link", "set", name, "up")
        machines = [_machine(undo, name, number) for number in range(1, COUNT + 1)]
        yield Network(f"{RANGE}.1", f"{RANGE}.0/24", machines)


def _machine(undo: ExitStack, bridge: str, number: int) -> Machine:
    space, link, inside = f"{bridge}n{number}", f"{bridge}a{number}", f"{bridge}b{number}"
    address = f"{RANGE}.{10 + number}"
    _ip("netns", "add", space)
    undo.callback(_ip, "netns", "del", space)
    _ip("link", "add", link, "type", "veth", "peer", "name", inside, "netns", space)
    undo.callback(_ip, "link", "del", link)
    _ip("link", "set", link, "master", bridge, "up")
    _ip("-n", space, "addr", "add", f"{address}/24", "dev", inside)
    _ip("-n", space, "link", "set", inside, "up")
    _ip("-n", space, "link", "set", "lo", "up")
    return Machine(address, ["ip", "netns", "exec", space], link)


def as_postgres() -> list[str]:
    """PostgreSQL refuses to run as root; Debian's package has a user for it."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]


def ports(count: int) -> list[int]:
    return [free_port() for _ in range(count)]


def _may_make_namespaces() -> bool:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    probe = f"ha{uuid4().hex[:6]}"
    made = subprocess.run(["ip", "link", "add", probe, "type", "bridge"], capture_output=True, check=False)
    spaced = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    subprocess.run(["ip", "link", "del", probe], capture_output=True, check=False)
    return made.returncode == 0 and spaced.returncode == 0


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
