"""Builds the container image without an engine or a registry, and runs it as an engine would.

The base is a Debian with Python that mmdebstrap makes; buildah builds the Containerfile on it. A container has the
image as its read-only root, the image's user, no privileges, a process namespace of its own and one volume. It shares
the machine's network.
"""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.support.service import children_of
from tests.support.third_party import ROOT
from tests.support.timeouts import HANG_SECONDS

BASE = "localhost/base"
IMAGE = "localhost/sitewright"
CONTEXT = ("deploy/container/Containerfile", "deploy/container/healthcheck.py", "requirements/runtime.txt")
LEFT_OUT = ("doc", "locale", "man")
ENTER = """
set -e
root=$1 volume=$2 secrets=$3 user=$4
shift 4
mount --make-rprivate /
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/dev"
for name in null zero full random urandom; do
  touch "$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/shm"
for folder in tmp run dev/shm; do mount -t tmpfs -o mode=1777 tmpfs "$root/$folder"; done
mkdir "$root/run/secrets"
mount --bind "$secrets" "$root/run/secrets"
mount --bind "$volume" "$root/var/lib/sitewright"
exec /usr/sbin/chroot "$root" /usr/bin/setpriv --reuid="${user%:*}" --regid="${user#*:}" --clear-groups \\
  --no-new-privs --bounding-set=-all -- "$@"
"""


def may_mount() -> bool:
    return subprocess.run(["unshare", "--mount", "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0


class Image:
    """The image in a storage of its own, below `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = Path()
        self.config: dict[str, Any] = {}

    def build(self, wheel: Path, wheelhouse: Path) -> None:
        base, context, pip = self.folder / "base", self.folder / "context", self.folder / "pip.conf"
        _make_base(base)
        self._buildah("build", "--isolation=chroot", f"--tag={BASE}", str(base))
        _make_context(context, wheel)
        pip.write_text("[global]\nno-index = true\nfind-links = /wheels\n")
        mounts = [f"--volume={pip}:/etc/pip.conf:ro", f"--volume={wheelhouse}:/wheels:ro"]
        options = [
            "--isolation=chroot",
            "--format=docker",
            "--pull-never",
            f"--build-arg=BASE={BASE}",
            f"--tag={IMAGE}",
        ]
        file = context / "deploy/container/Containerfile"
        self._buildah("build", *options, *mounts, f"--file={file}", str(context))
        self.config = json.loads(self._buildah("inspect", "--type=image", IMAGE))["Docker"]["config"]
        container = self._buildah("from", "--pull-never", IMAGE)
        self.root = Path(self._buildah("mount", container))

    def _buildah(self, command: str, *arguments: str) -> str:
        storage = [f"--root={self.folder / 'storage'}", f"--runroot={self.folder / 'run'}", "--storage-driver=vfs"]
        ended = subprocess.run(["buildah", *storage, command, *arguments], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
        return ended.stdout.strip()

    @property
    def environment(self) -> dict[str, str]:
        return dict(each.split("=", 1) for each in self.config["Env"])

    async def start(
        self, volume: Path, command: Sequence[str], *, secrets: Path | None = None, environment: Mapping[str, str]
    ) -> "Container":
        """`command`: as after the name of the image on an engine's command line."""
        return await self._run(
            volume, [*self.config["Entrypoint"], *command], secrets or self.folder / "none", environment
        )

    async def run(self, volume: Path, program: Sequence[str], **environment: str) -> tuple[int, str]:
        """Another program of the image, to its end; returns its exit code and its output."""
        container = await self._run(volume, program, self.folder / "none", environment)
        return await container.wait(), container.output

    async def _run(
        self, volume: Path, program: Sequence[str], secrets: Path, environment: Mapping[str, str]
    ) -> "Container":
        secrets.mkdir(exist_ok=True)
        if not volume.exists():
            volume.mkdir()
            os.chown(volume, *map(int, self.config["User"].split(":")))
        log = volume.parent / f"{volume.name}-{len(list(volume.parent.iterdir()))}.log"
        isolated = ["unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "sh", "-c", ENTER, "enter"]
        places = [str(self.root), str(volume), str(secrets), self.config["User"]]
        chosen = {**self.environment, **environment}
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                *isolated, *places, *program, env=chosen, cwd="/", stdout=output, stderr=output
            )
        return Container(process, log)


class Container:
    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    async def wait(self) -> int:
        return await asyncio.wait_for(self._process.wait(), HANG_SECONDS)

    async def stop(self) -> int:
        """As an engine does: SIGTERM to the first process of the container."""
        for pid in children_of(self._process.pid):
            os.kill(pid, signal.SIGTERM)
        return await self.wait()

    async def kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()


def _make_base(folder: Path) -> None:
    folder.mkdir()
    left_out = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in LEFT_OUT]
    options = ["--quiet", "--variant=essential", "--include=python3,python3-venv", *left_out]
    subprocess.run(["mmdebstrap", *options, "bookworm", str(folder / "base.tar")], check=True)
    (folder / "Containerfile").write_text("FROM scratch\nADD base.tar /\n")


def _make_context(folder: Path, wheel: Path) -> None:
    """What .containerignore leaves of the repository, and the wheel."""
    for name in CONTEXT:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "dist").mkdir()
    (folder / "dist" / wheel.name).hardlink_to(wheel)
