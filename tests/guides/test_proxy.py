"""Runs the nginx example of the production guide, unchanged, in front of the real API."""

import asyncio
import os
import re
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from sitewright.app import ENDPOINTS, create_app
from sitewright.kit.http.server import listen
from sitewright.kit.origin import Proxies
from sitewright.kit.resources import Resources
from tests.support import probe
from tests.support.cast import OWN_BRAND, Cast, SignedBy
from tests.support.certificates import certificate_for
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import free_port
from tests.support.serving import serve

pytestmark = pytest.mark.system

GUIDE = Path(__file__).parents[2] / "docs" / "operate" / "production.md"
LANGUAGES = f"/brands/{OWN_BRAND}/languages"
FORGED = {
    "X-Forwarded-Host": "elsewhere.example",
    "X-Forwarded-For": "127.0.0.1",
    "X-Forwarded-Proto": "http",
    "Forwarded": "for=127.0.0.1;host=localhost",
}
AROUND = """
{user}
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{ worker_connections 64; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
{server}
}}
"""


@pytest.fixture
async def behind_proxy(resources: Resources, clean: None) -> AsyncIterator[int]:
    """The port of an API that trusts the proxy on this machine."""
    listener = listen("127.0.0.1", 0)
    trusting = msgspec.structs.replace(resources, proxies=Proxies(["127.0.0.1"]))
    async with serve(create_app(trusting, [*ENDPOINTS, *probe.endpoints]), listener):
        yield listener.getsockname()[1]


@pytest.fixture
async def proxy(behind_proxy: int, tmp_path: Path) -> AsyncIterator[str]:
    """The address of the guide's nginx, with generated certificate and ports."""
    port = free_port()
    issued = certificate_for("service.example.com")
    (tmp_path / "proxy.pem").write_text(issued.cert)
    (tmp_path / "proxy.key").write_text(issued.key)
    block = re.search(r"^```nginx\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    assert block is not None
    server = (
        block[1]
        .replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        .replace("/etc/ssl/service.example.com.pem", f"{tmp_path}/proxy.pem")
        .replace("/etc/ssl/private/service.example.com.key", f"{tmp_path}/proxy.key")
        .replace("127.0.0.1:8080", f"127.0.0.1:{behind_proxy}")
        .replace("Host $host;", "Host $http_host;")  # $host does not contain the test's port
    )
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = tmp_path / "nginx.conf"
    configuration.write_text(AROUND.format(user=user, folder=tmp_path, server=server))
    process = await asyncio.create_subprocess_exec(
        "nginx", "-c", str(configuration), env=os.environ | {"PATH": f"{os.environ['PATH']}:/usr/sbin"}
    )
    try:
        await eventually(lambda: _responds(port))
        yield f"https://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


async def _responds(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True


@pytest.fixture
def any_certificate() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def test_clients_cannot_say_through_the_proxy_who_and_where_they_are(
    proxy: str, any_certificate: ssl.SSLContext, cast: Cast
) -> None:
    """Signatures cover scheme and host, so a signed request fails as soon as one forged header is trusted."""
    async with http_client(proxy, verify=any_certificate, headers=FORGED) as client:
        signed = await client.get(LANGUAGES, auth=SignedBy(cast.owner))
        metrics = await client.get("/metrics")
        over_https = await client.delete("/ssl-certs/nobody.example", auth=cast.owner_operator)
    assert signed.status_code == 200
    assert metrics.status_code == 401
    assert over_https.json()["code"] != "httpsRequired"
