"""Sitewright on a test's machine, from the source of the test: a copy of the demo's data, and the command."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from tests.support.eventually import eventually
from tests.support.guides import ROOT
from tests.support.machines.machine import SETTINGS_FILE, Machine
from tests.support.service import PATIENT, make_demo

DATA = "/var/lib/sitewright/data"
SETTINGS = " ".join(f"SITEWRIGHT_{name.upper()}={value}" for name, value in PATIENT.items())
COMMAND = f"""#!/bin/sh
export SITEWRIGHT_CONFIG={SETTINGS_FILE} SITEWRIGHT_DATA_DIR={DATA} PYTHONPATH={ROOT / "src"}
export SITEWRIGHT_WORKERS=1 SITEWRIGHT_EDGE_PROCESSES=1 {SETTINGS}
exec {sys.executable} -m sitewright "$@"
"""
READY = "curl --silent --fail http://127.0.0.1:8080/health/ready"


class Installed(msgspec.Struct, frozen=True):
    machine: Machine
    demo: dict[str, Any]

    async def serve(self, command: str = "sitewright serve") -> None:
        """Start the service in the background, and wait until it is ready."""
        await self.machine.run(f"({command}) >>/var/log/sitewright.log 2>&1 & echo $! >/run/sitewright.pid")
        await eventually(self._is_ready)

    async def stop(self) -> None:
        await self.machine.run(
            "kill $(pgrep -P 1 -f 'sitewright serve$'); while pgrep -f 'sitewright serve$'; do sleep 0.1; done"
        )

    async def _is_ready(self) -> bool:
        log = self.machine.path("/var/log/sitewright.log").read_text()
        assert await self.machine.run("pgrep -f 'sitewright serve$'", ok=False), log[-2000:]
        return "ready" in await self.machine.run(READY, ok=False)

    async def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """A signed request of the demo's first brand."""
        content = "" if body is None else f"'{json.dumps(body)}'"
        output = await self.machine.run(f"sitewright call {method} {path} {content}")
        document: dict[str, Any] = json.loads(output[output.index("{") :])
        return document


async def install(machine: Machine, folder: Path) -> Installed:
    await make_demo(folder)
    demo = json.loads((folder / "demo.json").read_text())
    await machine.run("useradd --system --create-home --home-dir /var/lib/sitewright sitewright")
    copying = await asyncio.create_subprocess_exec("cp", "--archive", str(folder), str(machine.path(DATA)))
    assert await copying.wait() == 0
    machine.write("/usr/local/bin/sitewright", COMMAND)
    machine.path("/usr/local/bin/sitewright").chmod(0o755)
    return Installed(machine, demo)
