"""A host that is healthy: its name server, the edge server that it leads to, and a published site."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from sitewright.domains.health.findings import Finding
from sitewright.domains.health.service import check_name
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from tests.edge.conftest import SwappableListener, edge_server, listener
from tests.edge.shops import Shop, open_shop
from tests.support.cast import OWN_BRAND
from tests.support.certificates import authority, certificate_for, make_certificate, pem
from tests.support.name_server import NameServer
from tests.support.users import OwnerConnection

__all__ = ["edge_server", "listener"]
HOST, WWW = "bakery.example", "www.bakery.example"
LOOPBACK = "127.0.0.1"
DIRECTORY = "https://acme-v02.api.letsencrypt.org/directory"


@pytest.fixture
def names(name_server: NameServer) -> Iterator[NameServer]:
    """Knows a healthy host; afterwards nothing."""
    name_server.clear()
    name_server.add_zone(HOST, f"ns1.{HOST}")
    name_server.set(f"ns1.{HOST}", "A", LOOPBACK)
    name_server.set(HOST, "A", LOOPBACK)
    name_server.set(WWW, "CNAME", f"{HOST}.")
    name_server.set("example", "SOA", "ns.example. admin.example. 1 3600 600 86400 300")
    yield name_server
    name_server.clear()


@pytest.fixture
async def outside(
    resources: Resources,
    names: NameServer,
    edge_server: tuple[SwappableListener, str],
    listener: object,
    tmp_path: Path,
) -> Resources:
    """Resources of a service whose edge server is reached at loopback."""
    ca_file = tmp_path / "ca.pem"
    ca_file.write_text(pem(authority().certificate))
    settings = msgspec.structs.replace(
        resources.settings,
        site_addresses=[LOOPBACK],
        site_public_port=int(edge_server[1].rpartition(":")[2]),
        site_public_tls_port=edge_server[0].tls_port,
        acme_directory=DIRECTORY,
        acme_ca_file=str(ca_file),
    )
    return msgspec.structs.replace(resources, settings=settings, opened=Opened())


@pytest.fixture
async def shop(outside: Resources, owner_connection: OwnerConnection) -> Shop:
    """A published site at both names, with a certificate."""
    opened = await open_shop(owner_connection, outside, HOST, WWW, protocol="https")
    issued = certificate_for(HOST, WWW)
    await make_certificate(owner_connection, outside, OWN_BRAND, issued, HOST, WWW)
    return opened


def by_code(findings: "list[Finding] | tuple[Finding, ...]") -> dict[str, Finding]:
    return {each.code: each for each in findings}


async def findings_of(outside: Resources, host: str = HOST) -> dict[str, Finding]:
    _, findings, _ = await check_name(outside, host)
    return by_code(list(findings))
