"""The name server asked and changed by Knot's programs."""

import pytest

from sitewright.demo.name_server.service import NameServer, name_server
from tests.demo.name_server.test_updates import KEY
from tests.support.commands import run

pytestmark = pytest.mark.system


async def kdig(server: NameServer, *query: str) -> str:
    host, port = server.address.split(":")
    return await run("kdig", f"@{host}", "-p", port, *query)


async def test_kdig_reads_and_knsupdate_writes() -> None:
    async with name_server(zones=["shop.example"], keys={"demo": KEY}) as server:
        host, port = server.address.split(":")
        server.set("shop.example", "A", ["192.0.2.1"])
        assert await kdig(server, "+short", "shop.example") == "192.0.2.1\n"
        assert await kdig(server, "+tcp", "+short", "shop.example", "NS") == "ns1.name-server.test.\n"
        assert "NXDOMAIN" in await kdig(server, "none.shop.example")
        changes = f'server {host} {port}\nzone shop.example.\nadd new.shop.example. 60 TXT "changed"\nsend\n'
        await run("knsupdate", "-y", f"hmac-sha256:demo:{KEY}", entered=changes)
        assert await kdig(server, "+short", "new.shop.example", "TXT") == '"changed"\n'
