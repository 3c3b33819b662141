"""Requests of callers, and what is served after them."""

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


async def put_certificate(client: httpx.AsyncClient, issued: Issued, domain: str = HOST, **others: Any) -> None:
    response = await put(client, body_of(issued, **others), domain)
    assert response.status_code == 204, response.text


async def served(resources: Resources, host: str = HOST) -> bytes | None:
    """The certificate chain that the service serves for the host."""
    async with resources.database.connection() as connection:
        found = await certificate_for_host(connection, resources.sealer, host)
    return None if found is None else found.chain


async def is_served(resources: Resources, issued: Issued, host: str = HOST) -> bool:
    return await served(resources, host) == issued.chain.encode()


def reason(response: httpx.Response, field: str) -> str:
    """The error message of the only field with one."""
    assert response.status_code == 400, response.text
    errors = response.json()["errors"]
    assert list(errors) == [field], errors
    [message] = errors[field].values()
    assert response.json()["detail"] == f"{field}: {message}"
    return str(message)
