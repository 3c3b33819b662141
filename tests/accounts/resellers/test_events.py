"""Events about resellers."""

import httpx

from tests.accounts.resellers.shapes import create_reseller_with_credentials, edit_reseller
from tests.support.emitted import emitted
from tests.support.users import OwnerConnection


async def test_every_change_of_a_reseller_is_an_event(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    ref, _ = await create_reseller_with_credentials(owner)
    changes = {"name": "Another name", "loginURL": "https://another.example/", "enabled": 0}
    for _ in range(2):
        await edit_reseller(owner, ref, **changes)
    assert (await owner.delete(f"/resellers/{ref}")).status_code == 204
    assert await emitted(owner_connection) == [
        ("reseller.created", {"resellerRef": ref}),
        ("reseller.updated", {"resellerRef": ref, "fields": ["enabled", "loginURL", "name"]}),
        ("reseller.deleted", {"resellerRef": ref}),
    ]
