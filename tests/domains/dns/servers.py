"""Debian's name servers, started with the blocks of docs/operate/dns.md, on free ports and in folders of the test."""

import asyncio
import os
import re
import sqlite3
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import dns.asyncquery
import dns.message
import dns.rdatatype
import msgspec

from tests.support.eventually import eventually
from tests.support.service import free_port

GUIDE = Path(__file__).parents[3] / "docs" / "operate" / "dns.md"
SCHEMA = Path("/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql")
PATH = {"PATH": f"{os.environ['PATH']}:/usr/sbin"}
_CONF = re.compile(r"^```conf\n# ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOML = re.compile(r"^```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def configuration(title: str) -> str:
    blocks: dict[str, str] = dict(_CONF.findall(GUIDE.read_text()))
    return blocks[title]


def settings_for(provider: str) -> dict[str, Any]:
    """The guide's settings of the service."""
    blocks = [tomllib.loads(text) for text in _TOML.findall(GUIDE.read_text())]
    [found] = [block for block in blocks if block["dns_provider"] == provider]
    return found


class NameServer(msgspec.Struct, frozen=True):
    port: int
    api_port: int = 0

    async def ask(self, name: str, kind: str) -> list[str]:
        """The values that the server itself has; none while it does not respond."""
        query = dns.message.make_query(name, kind)
        try:
            response = await dns.asyncquery.tcp(query, "127.0.0.1", port=self.port, timeout=2)
        except (OSError, EOFError, dns.exception.DNSException):
            return []
        wanted = dns.rdatatype.from_text(kind)
        return sorted(rdata.to_text() for each in response.answer if each.rdtype == wanted for rdata in each)

    async def responds(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True


@asynccontextmanager
async def _running(server: NameServer, *command: str, log: Path) -> AsyncIterator[NameServer]:
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output, env=os.environ | PATH)
    try:
        await eventually(server.responds)
        yield server
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


@asynccontextmanager
async def powerdns(folder: Path, secondary: NameServer | None = None) -> AsyncIterator[NameServer]:
    folder.mkdir()
    database = folder / "pdns.sqlite3"
    with sqlite3.connect(database) as connection:
        connection.executescript(SCHEMA.read_text())
    connection.close()
    server = NameServer(free_port(), free_port())
    other = f"127.0.0.1:{secondary.port}" if secondary else ""
    text = (
        configuration("/etc/powerdns/pdns.conf")
        .replace("/var/lib/powerdns/pdns.sqlite3", str(database))
        .replace("local-address=0.0.0.0, ::", "local-address=127.0.0.1")
        .replace("local-port=53", f"local-port={server.port}")
        .replace("webserver-port=8053", f"webserver-port={server.api_port}")
        .replace("allow-axfr-ips=192.0.2.54", "allow-axfr-ips=127.0.0.1")
        .replace("also-notify=192.0.2.54", f"also-notify={other}")
    )
    (folder / "pdns.conf").write_text(f"{text}socket-dir={folder}\n")
    command = ("pdns_server", f"--config-dir={folder}", "--daemon=no", "--guardian=no")
    async with _running(server, *command, log=folder / "pdns.log"):
        yield server


@asynccontextmanager
async def knot(
    folder: Path, title: str, server: NameServer, primary: NameServer | None = None, *, transfers: bool = True
) -> AsyncIterator[NameServer]:
    for name in ("run", "state"):
        (folder / name).mkdir(parents=True)
    text = (
        configuration(f"/etc/knot/knot.conf ({title})")
        .replace("listen: [ 0.0.0.0@53, ::@53 ]", f"listen: 127.0.0.1@{server.port}")
        .replace("/run/knot", str(folder / "run"))
        .replace("/var/lib/knot", str(folder / "state"))
        .replace("192.0.2.53@53", f"127.0.0.1@{primary.port if primary else 53}")
        .replace("192.0.2.53", "127.0.0.1")
        .replace("[ update, transfer ]", "[ update, transfer ]" if transfers else "update")
    )
    (folder / "knot.conf").write_text(text)
    async with _running(server, "knotd", "-c", str(folder / "knot.conf"), log=folder / "knot.log"):
        yield server


async def create_zone(folder: Path) -> None:
    """Run the guide's commands that create a zone at Knot DNS."""
    [commands] = [text for text in _SHELL.findall(GUIDE.read_text()) if text.startswith("knotc ")]
    socket = folder / "run" / "knot.sock"
    script = commands.replace("knotc ", f"knotc -s {socket} ")
    process = await asyncio.create_subprocess_exec(
        "bash", "-euc", script, env=os.environ | PATH, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
