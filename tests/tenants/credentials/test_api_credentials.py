"""API credentials over the API."""

import httpx

from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND, Cast
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


async def test_a_use_is_recorded_for_the_brand_of_the_credential(
    owner: httpx.AsyncClient, cast: Cast, resources: Resources, owner_connection: OwnerConnection
) -> None:
    """An imported brand may have a credential with the same ref."""
    await resources.authenticator.uses.write(resources.database)
    await owner_connection.execute("update api_credentials set last_used_at = null")
    assert (await owner.get(f"/brands/{OWN_BRAND}/languages")).status_code == 200
    await owner_connection.execute(
        "insert into api_credentials (brand_ref, ref, role, label, consumer_key, consumer_secret, access_token,"
        " access_secret, created_at) overriding system value"
        " select $1, ref, role, label, 'imported', consumer_secret, access_token, access_secret, created_at"
        " from api_credentials where consumer_key = $2",
        OTHER_BRAND,
        cast.owner.consumer_key,
    )
    await resources.authenticator.uses.write(resources.database)
    rows = await owner_connection.fetch("select brand_ref from api_credentials where last_used_at is not null")
    assert [row["brand_ref"] for row in rows] == [OWN_BRAND]
