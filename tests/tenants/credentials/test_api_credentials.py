"""API credentials over the API."""

import httpx

from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def test_a_system_owner_revokes_one_of_a_brand(
    system_owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    brand = {"X-Brand-Ref": str(OWN_BRAND)}
    wanted = {"label": "billing panel", "role": "brand-admin"}
    made = await system_owner.post("/api-credentials", json=wanted, headers=brand)
    assert made.status_code == 201, made.text
    path = f"/api-credentials/{made.json()['credential']['ref']}"
    assert (await system_owner.delete(path, headers=brand)).status_code == 204
    assert problem_in(await system_owner.delete(path, headers=brand)) == (404, "credentialNotFound")
    entry = await owner_connection.fetchrow(
        "select brand_ref, actor, request_id is not null from audit_entries where action = 'revoke' order by ref desc"
    )
    assert entry is not None
    assert (entry[0], entry[1].partition(":")[0], entry[2]) == (OWN_BRAND, "operator", True)
