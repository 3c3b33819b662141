"""Debian's pebble, the test authority of Let's Encrypt: an ACME server that we did not write."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from tests.support.certificates import authority, pem
from tests.support.eventually import eventually
from tests.support.service import free_port


class Pebble(msgspec.Struct, frozen=True):
    directory: str
    ca_file: Path


@asynccontextmanager
async def pebble(folder: Path, http_port: int, resolver: str, **environment: str) -> AsyncIterator[Pebble]:
    """`resolver`: the name server that it asks; `environment`: see pebble's manual."""
    port = free_port()
    issued = authority().issue("localhost")
    files = {"cert.pem": issued.cert, "key.pem": issued.key, "ca.pem": pem(authority().certificate)}
    for name, text in files.items():
        (folder / name).write_text(text)
    config = {
        "listenAddress": f"127.0.0.1:{port}",
        "managementListenAddress": f"127.0.0.1:{free_port()}",
        "certificate": str(folder / "cert.pem"),
        "privateKey": str(folder / "key.pem"),
        "httpPort": http_port,
        "tlsPort": free_port(),
        "ocspResponderURL": "",
        "externalAccountBindingRequired": False,
    }
    (folder / "pebble.json").write_text(json.dumps({"pebble": config}))
    with (folder / "pebble.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            "pebble", "-config", folder / "pebble.json", "-dnsserver", resolver, "-strict",
            env=os.environ | {"PEBBLE_VA_NOSLEEP": "1"} | environment, stdout=log, stderr=log,
        )  # fmt: skip
    try:
        await eventually(lambda: _accepts(port))
        yield Pebble(f"https://localhost:{port}/dir", folder / "ca.pem")
    finally:
        process.kill()
        await process.wait()


async def _accepts(port: int) -> bool:
    with suppress(OSError):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.close()
        return True
    return False
