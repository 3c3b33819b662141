"""PUT /sites/:siteRef with `redirectToPrimary`, the field's name in responses."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.compatibility.conftest import Send
from tests.sites.sites.shapes import edit_site, get_site
from tests.support.responses import object_in, problem_in
from tests.support.sites import make_site
from tests.support.users import OwnerConnection


@pytest.fixture
async def site_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_site(owner_connection, resources)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"redirectToPrimary": 1}, True),
        ({"redirectToPrimary": 0}, False),
        ({"redirectToPrimary": 0, "alwaysRedirectToPrimaryDomain": 1}, True),
        ({"alwaysRedirectToPrimaryDomain": 0, "redirectToPrimary": 1}, False),
    ],
)
async def test_the_documented_field_takes_precedence(
    send: Send, owner: httpx.AsyncClient, site_ref: int, sent: dict[str, Any], expected: bool
) -> None:
    await edit_site(owner, site_ref, alwaysRedirectToPrimaryDomain=not expected)
    before = await get_site(owner, site_ref)
    site = object_in(await send("PUT", f"/sites/{site_ref}", **sent), "site")
    assert site["redirectToPrimary"] is expected
    assert await get_site(owner, site_ref) == before | {"redirectToPrimary": expected}


@pytest.mark.parametrize("value", [2, "x", None, []])
async def test_an_invalid_flag_is_reported(owner: httpx.AsyncClient, site_ref: int, value: Any) -> None:
    fields = {"redirectToPrimary": value, "alwaysRedirectToPrimaryDomain": 1}
    assert problem_in(await owner.put(f"/sites/{site_ref}", json=fields)) == (400, "invalidRedirectToPrimary")
    assert (await get_site(owner, site_ref))["redirectToPrimary"] is False


async def test_the_audit_has_the_field_name_that_was_sent(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, site_ref: int
) -> None:
    await edit_site(owner, site_ref, redirectToPrimary=1)
    details = await owner_connection.fetchval("select details from audit_entries where action = 'edit'")
    assert details == '{"fields": ["redirectToPrimary"]}'
