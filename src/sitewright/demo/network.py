"""The demo's own name server and certificate authority: one process, on the loopback interface, for use offline.

Every name has the address of the demo's sites, so any domain can be mapped and gets its certificate.
"""

import asyncio
import secrets
import signal
import socket
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from sitewright.demo.name_server.records import SERVER_NAME, Records
from sitewright.demo.name_server.service import NameServer, Sockets, address_of, bind, serving
from sitewright.kit.atomic_files import replacing
from sitewright.kit.http.server import listen
from sitewright.kit.supervisor import Part
from sitewright.settings import Settings

T = TypeVar("T")
KEY_NAME = "sitewright-demo"
LOOPBACK = "127.0.0.1"
FILE = "network.json"


class Kept(msgspec.Struct, frozen=True):
    """What stays the same over restarts, as far as the ports are free."""

    name_port: int = 0
    primary_port: int = 0
    authority_port: int = 0
    key: str = ""
    """The TSIG key of updates, base64."""

    def configure(self, settings: Settings) -> Settings:
        """The settings with this network, unless the operator has set others."""
        changed: dict[str, object] = {}
        if not settings.dns_resolvers:
            changed |= {"dns_resolvers": [f"{LOOPBACK}:{self.name_port}"]}
        if not settings.acme_directory:
            changed |= {
                "acme_directory": f"https://{LOOPBACK}:{self.authority_port}/directory",
                "acme_ca_file": str(_folder(settings) / "root.pem"),
            }
        if settings.dns_provider == "none" and settings.site_addresses:
            changed |= {
                "dns_provider": "rfc2136",
                "dns_nameservers": [SERVER_NAME.to_text(omit_final_dot=True)],
                "rfc2136_server": f"{LOOPBACK}:{self.primary_port}",
                "rfc2136_key_name": KEY_NAME,
                "rfc2136_key": self.key,
            }
        return msgspec.structs.replace(settings, **changed)


class DemoNetwork(msgspec.Struct, frozen=True):
    folder: Path
    names: Sockets
    """Where every name has an address."""
    primary: Sockets
    """Where only records exist that were set, for updates."""
    authority: socket.socket
    kept: Kept

    def part(self, settings: Settings) -> Part:
        """For the supervisor, which keeps the listeners open while the process restarts."""
        listeners = [*self.names, *self.primary, self.authority]
        return Part("demo-network", lambda _pulse: asyncio.run(self._run(settings)), listeners, ends_last=True)

    async def _run(self, settings: Settings) -> None:
        from sitewright.demo.authority.service import authority  # noqa: PLC0415 - aiohttp takes 0.15 s to import

        stopping = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
        records = Records([], settings.site_addresses, LOOPBACK, self.folder / "records.json")
        keys = {KEY_NAME: self.kept.key}
        names = NameServer(records, keys, address_of(self.names))
        primary = NameServer(records, keys, address_of(self.primary), fallback=False)
        certifying = authority(
            resolver=names.address,
            http_port=settings.site_port,
            folder=self.folder,
            listener=self.authority,
        )
        async with serving(names, self.names), serving(primary, self.primary), certifying:
            await stopping.wait()


def open_network(settings: Settings) -> DemoNetwork:
    """Bind the ports of the previous start, or others where they are taken; the authority's root exists afterwards."""
    from sitewright.demo.authority.keys import open_keys  # noqa: PLC0415 - only the demo needs it

    folder = _folder(settings)
    open_keys(folder)
    kept = _read_kept(settings)
    names, primary = _bound(bind, kept.name_port), _bound(bind, kept.primary_port)
    listener = _bound(lambda port: listen(LOOPBACK, port), kept.authority_port)
    key = kept.key or b64encode(secrets.token_bytes(32)).decode()
    now = Kept(names[0].getsockname()[1], primary[0].getsockname()[1], listener.getsockname()[1], key)
    if now != kept:
        with replacing(folder / FILE) as opened:
            opened.write(msgspec.json.encode(now))
    return DemoNetwork(folder, names, primary, listener, now)


def demo_settings(settings: Settings) -> Settings:
    """Those of `serve --demo` as it was started last, for commands."""
    return _read_kept(settings).configure(settings.for_demo())


def _read_kept(settings: Settings) -> Kept:
    file = _folder(settings) / FILE
    return msgspec.json.decode(file.read_bytes(), type=Kept) if file.exists() else Kept()


def _folder(settings: Settings) -> Path:
    return settings.data_path / "demo-network"


def _bound(binding: Callable[[int], T], port: int) -> T:
    try:
        return binding(port)
    except OSError:  # another program has it by now
        return binding(0)
