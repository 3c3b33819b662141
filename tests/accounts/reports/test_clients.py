"""Python's HTTP clients poll a report to its end, on one connection each, and never mix up responses."""

import asyncio
import base64
import http.client
import urllib.request
from urllib.parse import urlsplit

import aiohttp
import httpx
import requests
import urllib3

from tests.accounts.reports.conftest import BlockedReport
from tests.accounts.reports.polling import POLLS, Get, Response, poll, poll_async
from tests.support.http_clients import http_client
from tests.support.timeouts import HANG_SECONDS


def authorization(blocked: BlockedReport) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(':'.join(blocked.basic).encode()).decode()}"}


async def poll_in_thread(blocked: BlockedReport, get: Get, status: int, polls: int = POLLS) -> None:
    loop = asyncio.get_running_loop()

    def release() -> None:
        asyncio.run_coroutine_threadsafe(blocked.release(), loop).result()

    await asyncio.to_thread(poll, get, blocked.path, status, polls, release)


async def test_http_client(blocked: BlockedReport) -> None:
    address = urlsplit(blocked.url)
    connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=HANG_SECONDS)

    def get(path: str, request_id: str) -> Response:
        connection.request("GET", path, headers=authorization(blocked) | {"X-Request-Id": request_id})
        response = connection.getresponse()
        return response.status, response.headers["X-Request-Id"], response.read()

    await poll_in_thread(blocked, get, 102)
    connection.close()


async def test_urllib3(blocked: BlockedReport) -> None:
    with urllib3.PoolManager(maxsize=1, block=True, timeout=HANG_SECONDS, retries=False) as pool:

        def get(path: str, request_id: str) -> Response:
            headers = authorization(blocked) | {"X-Request-Id": request_id}
            response = pool.request("GET", f"{blocked.service.api_url}{path}", headers=headers)
            return response.status, response.headers.get("X-Request-Id"), response.data

        await poll_in_thread(blocked, get, 102)
        [connections] = [each.num_connections for each in pool.pools._container.values()]
        assert connections == 1


async def test_requests(blocked: BlockedReport) -> None:
    with requests.Session() as session:
        session.trust_env = False
        session.auth = blocked.basic

        def get(path: str, request_id: str) -> Response:
            url = f"{blocked.service.api_url}{path}"
            response = session.get(url, headers={"X-Request-Id": request_id}, timeout=HANG_SECONDS)
            return response.status_code, response.headers.get("X-Request-Id"), response.content

        await poll_in_thread(blocked, get, 102)


async def test_urllib_request(blocked: BlockedReport) -> None:
    """It closes every connection, and would take a 102 for an error; so it gets none."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(path: str, request_id: str) -> Response:
        headers = authorization(blocked) | {"X-Request-Id": request_id}
        request = urllib.request.Request(f"{blocked.service.api_url}{path}", headers=headers)  # noqa: S310
        with opener.open(request, timeout=HANG_SECONDS) as response:
            return response.status, response.headers["X-Request-Id"], response.read()

    await poll_in_thread(blocked, get, 202, polls=100)


async def test_httpx(blocked: BlockedReport) -> None:
    async with http_client(blocked.service.api_url, auth=blocked.basic) as client:

        async def get(path: str, request_id: str) -> Response:
            response = await client.get(path, headers={"X-Request-Id": request_id})
            return response.status_code, response.headers.get("X-Request-Id"), response.content

        await poll_async(get, blocked.path, 202, blocked.release)


async def test_httpx_in_threads(blocked: BlockedReport) -> None:
    with httpx.Client(
        base_url=blocked.service.api_url, auth=blocked.basic, trust_env=False, timeout=HANG_SECONDS
    ) as client:

        def get(path: str, request_id: str) -> Response:
            response = client.get(path, headers={"X-Request-Id": request_id})
            return response.status_code, response.headers.get("X-Request-Id"), response.content

        await poll_in_thread(blocked, get, 202, polls=100)


async def test_aiohttp(blocked: BlockedReport) -> None:
    async with aiohttp.ClientSession(
        blocked.service.api_url,
        headers=authorization(blocked),
        timeout=aiohttp.ClientTimeout(total=30),
        connector=aiohttp.TCPConnector(limit=1),
    ) as session:

        async def get(path: str, request_id: str) -> Response:
            async with session.get(path, headers={"X-Request-Id": request_id}) as response:
                return response.status, response.headers.get("X-Request-Id"), await response.read()

        await poll_async(get, blocked.path, 202, blocked.release)
