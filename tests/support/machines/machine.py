"""A machine of the test's own: a process tree, a network, and files that are thrown away, on top of this machine's.

Guides use fixed paths, ports and addresses (`/etc/powerdns/pdns.conf`, port 53, 192.0.2.53). In namespaces of their
own, their blocks run as they stand, side by side, and change nothing outside. It needs root and the right to mount.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType

from tests.support.guides import ROOT, Block
from tests.support.timeouts import HANG_SECONDS

SETUP = """
set -eu
mount -t tmpfs -o mode=755 tmpfs "$1"
cd "$1" && mkdir upper work root
mount -t overlay -o lowerdir=/,upperdir=upper,workdir=work overlay root
for each in /dev /sys $2; do mkdir -p "root$each" && mount --rbind "$each" "root$each"; done
mount -t proc proc root/proc
mount -t tmpfs -o mode=755 tmpfs root/run
mount -t tmpfs -o mode=1777 tmpfs root/tmp
cp --dereference /etc/resolv.conf root/run/resolv.conf 2>/dev/null || true
rm -f root/etc/resolv.conf && cp root/run/resolv.conf root/etc/resolv.conf 2>/dev/null || true
rm -rf root/var/lib/apt/lists/* root/var/cache/apt/*.bin  # the packages of this machine are the newest ones
mkdir -p root/former && cd root && pivot_root . former && exec chroot . bash -c '
  umount --lazy /former && rmdir /former
  ip link set lo up && hostname "$0" && echo ready && cat >/dev/null' "$3"
"""
EMPTY: Mapping[str, str] = MappingProxyType({})
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
SYSTEMCTL = Path(__file__).with_name("systemctl.py")
OUTSIDE, OUTSIDE_TOO = "192.0.2.1", "192.0.2.2"
SETTINGS_FILE = "/etc/sitewright/sitewright.toml"


class Machine:
    def __init__(self, name: str, pid: int) -> None:
        self.name = name
        self.pid = pid
        self.root = Path(f"/proc/{pid}/root")

    def path(self, inside: str) -> Path:
        """A file of the machine, for the test."""
        return self.root / inside.removeprefix("/")

    def write(self, inside: str, text: str, mode: int = 0o644) -> None:
        file = self.path(inside)
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.touch(mode)
        file.write_text(text)

    async def run(
        self,
        script: str,
        *,
        ok: bool = True,
        outside: bool = False,
        foreign_pids: bool = False,
        limit: float = HANG_SECONDS,
        environment: Mapping[str, str] = EMPTY,
    ) -> str:
        """Run a shell script as root; returns what it printed. `outside`: with the network of the test's machine."""
        process = await self.start(script, outside=outside, foreign_pids=foreign_pids, environment=environment)
        output, _ = await asyncio.wait_for(process.communicate(), limit)
        text = output.decode(errors="replace")
        assert not ok or process.returncode == 0, f"{self.name}: exit code {process.returncode}\n{script}\n{text}"
        return text

    async def start(
        self,
        script: str,
        *,
        outside: bool = False,
        foreign_pids: bool = False,
        environment: Mapping[str, str] = EMPTY,
    ) -> asyncio.subprocess.Process:
        namespaces = ["--net"] * (not outside) + ["--mount", "--pid"] * (not foreign_pids)
        command = ["nsenter", f"--target={self.pid}", "--uts", *namespaces, "bash", "-euc", f"cd /root\n{script}"]
        return await asyncio.create_subprocess_exec(
            *command,
            env={"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", "COLUMNS": "200", **environment},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )

    async def follow(self, block: Block) -> str:
        """Do what a reader of the guide does with a block: run it, add it to the settings, or write it to its file."""
        if block.language == "sh":
            return await self.run(block.code)
        if block.language == "toml":
            former = self.path(SETTINGS_FILE)
            self.write(SETTINGS_FILE, "\n".join([former.read_text() if former.exists() else "", block.code]))
            return ""
        assert block.path is not None, f"line {block.line}: neither commands nor a file"
        self.write(block.path, block.code)
        return ""

    async def trust(self, roots: Sequence[str]) -> None:
        """Add certificate authorities to those that the machine trusts, as update-ca-certificates would."""
        bundle = self.path("/etc/ssl/certs/ca-certificates.crt")
        bundle.write_text("\n".join([bundle.read_text(), *roots]))
        for number, root in enumerate(roots):
            file = f"/usr/local/share/ca-certificates/test-{number}.crt"
            self.write(file, root)
            await self.run(f"ln -s {file} /etc/ssl/certs/$(openssl x509 -hash -noout -in {file}).{number}")

    def resolve_by(self, address: str) -> None:
        """From now on the machine asks this name server."""
        self.write("/etc/resolv.conf", f"nameserver {address}\n")


@cache
def missing_right() -> str | None:
    """Why no machine can be made here; None where it can."""
    if os.geteuid() != 0:
        return "only root can make machines of its own (namespaces, overlay mounts)"
    layers = "lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work"
    probe = f"mount -t tmpfs tmpfs /mnt && mkdir /mnt/upper /mnt/work && mount -t overlay -o {layers} overlay /mnt"
    tried = subprocess.run(
        ["unshare", "--mount", "--net", "--pid", "--uts", "--fork", "bash", "-c", f"{probe} && ip link set lo up"],
        capture_output=True,
        text=True,
        check=False,
    )
    return None if tried.returncode == 0 else f"no machine can be made here: {tried.stderr.strip()}"


@asynccontextmanager
async def machine(name: str, folder: Path) -> AsyncIterator[Machine]:
    """A machine without a network; everything that runs on it ends with it, also when the test itself is killed."""
    layers = folder / name
    layers.mkdir()
    elsewhere = {ROOT, Path(sys.base_prefix), Path(sys.prefix)}
    bound = " ".join(str(each) for each in elsewhere if each.stat().st_dev != Path("/").stat().st_dev)
    process = await asyncio.create_subprocess_exec(
        "unshare", "--mount", "--net", "--pid", "--uts", "--fork", "--kill-child",
        "bash", "-c", SETUP, "setup", str(layers), bound, name,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"ready\n"
        [pid] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        made = Machine(name, int(pid))
        made.write("/usr/local/bin/systemctl", f"#!/usr/bin/python3\n{SYSTEMCTL.read_text()}")
        made.path("/usr/local/bin/systemctl").chmod(0o755)
        yield made
    finally:
        process.kill()
        await process.wait()


@asynccontextmanager
async def network(folder: Path, **addresses: str) -> AsyncIterator[list[Machine]]:
    """Machines by name on one Ethernet, each with its address. The first one is everything outside, and routes."""
    async with AsyncExitStack() as stack:
        made = [await stack.enter_async_context(machine(name, folder)) for name in addresses]
        outside, *others = made
        await outside.run("ip link add eth0 type bridge && ip link set eth0 up")
        for each in others:
            link = f"ip link add {each.name} type veth peer name eth0 netns {each.pid}"
            await outside.run(f"{link} && ip link set {each.name} master eth0 up", foreign_pids=True)
        for each, address in zip(made, addresses.values(), strict=True):
            await each.run(f"ip addr add {address}/24 dev eth0 && ip link set eth0 up")
        yield made


@asynccontextmanager
async def internet(folder: Path, host_name: str, host_address: str) -> AsyncIterator[tuple[Machine, Machine]]:
    """Everything outside, and one machine to which all names lead; it trusts the certificate authorities."""
    async with network(folder, internet=OUTSIDE, **{host_name: host_address}) as (outside, host):
        await outside.run(f"ip addr add {OUTSIDE_TOO}/24 dev eth0")
        command = f"cd {ROOT} && exec {sys.executable} -m tests.support.machines.internet"
        running = await outside.start(f"{command} /root/authorities {OUTSIDE} {OUTSIDE_TOO} {host_address}")
        assert running.stdout is not None
        assert await running.stdout.readline() == b"ready\n"
        roots = [file.read_text() for file in outside.path("/root/authorities").glob("*/root.pem")]
        for each in (outside, host):
            await each.trust(roots)
        yield outside, host
