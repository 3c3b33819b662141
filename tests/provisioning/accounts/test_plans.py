"""Plans are what the call then does: of adoptions, of smaller packages, after trials, and while an account vanishes."""

from typing import Any

import httpx
import pytest

from sitewright.provisioning.accounts import service
from tests.provisioning.accounts.calls import account, converged, holder, put
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection


async def adoptable(owner: httpx.AsyncClient, owner_connection: OwnerConnection) -> int:
    """A user with a site that no external id claims."""
    user_ref: int = (await converged(owner, account(), "former"))["account"]["userRef"]
    await owner_connection.execute("delete from provisioned_accounts")
    return user_ref


async def test_the_plan_of_an_adoption_can_be_carried_out(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    body = {"adopt": {"userRef": await adoptable(owner, owner_connection)}}
    planned = await put(owner, body, dry_run=True)
    refused = await put(owner, body, if_match='"another"')
    assert problem_in(refused) == (412, "accountChanged")
    adopted = await put(owner, body, if_match=planned.headers["etag"])
    assert adopted.status_code == 200, adopted.text
    assert planned.json()["account"] == adopted.json()["account"]
    assert None not in adopted.json()["account"]["siteRefs"]


async def test_changes_compare_with_the_account_before_the_call(owner: httpx.AsyncClient) -> None:
    """The default package allows one live site, so assigning it takes the other offline."""
    sites: list[dict[str, Any]] = [{"domain": f"www.{name}.example", "published": True} for name in ("one", "two")]
    await converged(owner, account(sites=sites))
    sites[0]["published"] = False
    planned = await put(owner, {"package": None, "sites": sites}, dry_run=True)
    changes = planned.json()["changes"]
    of_sites = [(each["path"], each["from"], each["to"]) for each in changes if each["path"] != "package"]
    assert of_sites == [("sites[0].published", True, False)]
    done = await put(owner, {"package": None, "sites": sites}, if_match=planned.headers["etag"])
    assert done.json()["changes"] == changes


async def test_a_description_is_repeated_after_its_trial_has_ended(other_brand: httpx.AsyncClient) -> None:
    """The site that the ended trial took offline stays offline, and everything else is still changed."""
    path = "/brands/2/accounts/trial-1"
    description = {
        "accountHolder": holder(),
        "package": {"packageRef": 7},
        "sites": [{"domain": "www.trial.example", "published": True}],
    }
    created = (await other_brand.put(path, json=description)).json()
    user_ref = created["account"]["userRef"]
    await other_brand.post(f"/users/{user_ref}/account-packages", json={"packageRef": 6})
    again = await other_brand.put(path, json=description)
    assert again.status_code == 200, again.text
    assert again.json()["changes"] == []
    assert "trialEnded" in {each["code"] for each in again.json()["pending"]}
    suspended = await other_brand.put(path, json=description | {"suspended": True})
    assert [each["path"] for each in suspended.json()["changes"]] == ["suspended"]


async def test_an_account_that_vanishes_meanwhile_is_not_taken_for_a_new_one(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_ref = (await converged(owner, account()))["account"]["userRef"]
    really_differs = service._differs

    async def differs_while_anonymized(*arguments: Any) -> bool:
        found = await really_differs(*arguments)
        await owner.post(f"/users/{user_ref}/anonymise")
        return found

    monkeypatch.setattr(service, "_differs", differs_while_anonymized)
    assert (await put(owner, {"suspended": True})).status_code == 400
