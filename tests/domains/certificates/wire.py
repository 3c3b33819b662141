"""What callers send, and what is served then."""

from typing import Any

import httpx

from sitewright.domains.certificates.service import certificate_for_host
from sitewright.kit.resources import Resources
from tests.domains.certificates.conftest import HOST
from tests.support.certificates import Issued


def body_of(issued: Issued, **others: Any) -> dict[str, Any]:
    return {"key": issued.key, "cert": issued.chain} | others


async def put(client: httpx.AsyncClient, body: Any, domain: str = HOST, **options: Any) -> httpx.Response:
    return await client.put(f"/ssl-certs/{domain}", json=body, **options)


async def put_well(client: httpx.AsyncClient, issued: Issued, domain: str = HOST, **others: Any) -> None:
    answer = await put(client, body_of(issued, **others), domain)
    assert answer.status_code == 204, answer.text


async def served(resources: Resources, host: str = HOST) -> bytes | None:
    """The chain."""
    async with resources.database.connection() as connection:
        found = await certificate_for_host(connection, resources.sealer, host)
    return None if found is None else found.chain


async def is_served(resources: Resources, issued: Issued, host: str = HOST) -> bool:
    return await served(resources, host) == issued.chain.encode()


def reason(answer: httpx.Response, field: str) -> str:
    """Why the field is refused; it is the only one."""
    assert answer.status_code == 400, answer.text
    told = answer.json()["errors"]
    assert list(told) == [field], told
    [words] = told[field].values()
    assert answer.json()["detail"] == f"{field}: {words}"
    return str(words)
