"""Searches through the API, and the comparison of all stored terms with those of the rows."""

from typing import Any

import httpx

from sitewright.accounts.search import rebuilding
from sitewright.accounts.search.rebuilding import Rebuilt
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.customers import new_user
from tests.support.users import OwnerConnection

STORED = "select brand_ref, user_ref, source, term from search_terms order by 1, 2, 3, 4"
STORED_OF_RESELLERS = "select brand_ref, reseller_ref, term from reseller_search_terms order by 1, 2, 3"


async def create(client: httpx.AsyncClient, username: str, **changes: Any) -> int:
    """A user who is found by `username` and `changes` only."""
    plain = {"firstName": "-", "lastName": "-", "email": f"{username}@{username}.mail.example"}
    response = await client.post("/users", json=new_user(**{"username": username} | plain | changes))
    assert response.status_code == 201, response.text
    ref: int = response.json()["accountHolder"]["ref"]
    return ref


def new_site(user_ref: int, domain: str) -> dict[str, Any]:
    return {"accountHolderRef": user_ref, "brandRef": OWN_BRAND, "domain": domain}


async def found(client: httpx.AsyncClient, search: str, **query: Any) -> list[str]:
    """The usernames."""
    response = await client.get("/users", params={"search": search} | query)
    assert response.status_code == 200, response.text
    names = [each["username"] for each in response.json()["accountHolders"]]
    assert response.json()["count"] == str(len(names))
    return names


async def stored(owner: OwnerConnection) -> list[Any]:
    return [*await owner.fetch(STORED), *await owner.fetch(STORED_OF_RESELLERS)]


async def rebuild(resources: Resources) -> Rebuilt:
    """Everything must be rebuilt: `corrected` is 0 where the stored terms equal those of the rows."""
    return await rebuilding.rebuild_all(resources)
