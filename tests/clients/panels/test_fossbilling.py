"""The FOSSBilling server manager, through the methods that the panel calls, against the running service."""

from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from tests.clients.panels.php import ROOT, run_php
from tests.support.cast import OWN_BRAND, Cast
from tests.support.http_clients import http_client
from tests.support.lossy_relay import lossy_relay
from tests.support.receiver import never, open_receiver
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system
MODULE = ROOT / "integrations" / "fossbilling" / "library" / "Server" / "Manager" / "Sitewright.php"
SECRET = "fb-First-Secret-1"
MASKED = "********"
"""What the panel has of a password after the activation."""
Call = str | tuple[str, dict[str, Any] | None, Any]


class Panel(msgspec.Struct):
    server: dict[str, Any]
    account: dict[str, Any]

    async def run(self, *calls: Call) -> "Ran":
        given = [(call, self.account, None) if isinstance(call, str) else call for call in calls]
        return Ran(
            **await run_php("fossbilling_panel.php", {"module": str(MODULE), "server": self.server, "calls": given})
        )

    def with_(self, **fields: Any) -> dict[str, Any]:
        return self.account | fields


class Ran(msgspec.Struct):
    results: list[Any]
    log: list[str]


def panel_of(url: str, cast: Cast, package_ref: int, **config: Any) -> Panel:
    parts = urlsplit(url)
    username, password = cast.owner_operator
    server = {
        "host": parts.hostname, "port": parts.port, "secure": False, "username": username, "password": password,
        "accesshash": str(OWN_BRAND), "config": config,
    }  # fmt: skip
    account = {
        "username": "ada-example", "password": SECRET, "domain": "ada.example",
        "client": {"email": "ada@mail.example", "fullName": "Ada Müller", "city": "Springfield", "company": "Ada & Co"},
        "package": {"package": package_ref, "language": "en"},
    }  # fmt: skip
    return Panel(server, account)


@pytest.fixture
async def package_refs(owner_connection: OwnerConnection) -> dict[str, int]:
    found = await owner_connection.fetch("select name, ref from packages where brand_ref = $1", OWN_BRAND)
    return {row["name"]: row["ref"] for row in found}


@pytest.fixture
def panel(base_url: str, cast: Cast, clean: None, package_refs: dict[str, int]) -> Panel:
    return panel_of(base_url, cast, package_refs["Starter"])


async def accounts(owner: httpx.AsyncClient) -> list[dict[str, Any]]:
    response = await owner.get(f"/brands/{OWN_BRAND}/accounts", params={"showDeleted": 1})
    found: list[dict[str, Any]] = response.json()["accounts"]
    return found


async def test_settings(panel: Panel, base_url: str) -> None:
    ran = await panel.run("getForm", "testConnection", ("generateUsername", None, "Joe's.Bäckerei.example"))
    form, connection, username = ran.results
    assert [each["name"] for each in form["form"]["credentials"]["fields"]] == ["username", "password", "accesshash"]
    assert connection is True and username == "joe-s-b-ckerei-example"
    without = await panel.run(("getLoginUrl", None, None), ("getResellerLoginUrl", None, None))
    assert without.results == [f"{base_url}/login", f"{base_url}/console"] and without.log == []


async def test_the_life_of_an_order(
    panel: Panel, owner: httpx.AsyncClient, package_refs: dict[str, int], owner_connection: OwnerConnection
) -> None:
    assert (await panel.run("createAccount", "createAccount")).results == [True, True]
    [created] = await accounts(owner)
    user = (await owner.get(f"/users/{created['userRef']}")).json()["accountHolder"]
    assert (user["firstName"], user["lastName"], user["company"]) == ("Ada", "Müller", "Ada & Co")
    assert await owner_connection.fetchval("select count(*) from charges") == 1

    later = panel.with_(password=MASKED)
    ran = await panel.run(("suspendAccount", later, None), ("synchronizeAccount", later, None))
    assert ran.results == [True, {"username": "ada-example", "suspended": True}]
    pro = {"package": package_refs["Pro"], "months": 12}
    ran = await panel.run(
        ("unsuspendAccount", later, None),
        ("changeAccountPackage", later, pro),
        ("changeAccountPassword", later, "another Secret 2"),
        ("changeAccountIp", later, "192.0.2.1"),
    )
    assert ran.results[:3] == [True] * 3 and "no address of their own" in ran.results[3]["exception"]
    [changed] = await accounts(owner)
    assert (changed["suspended"], changed["package"]) == (
        False,
        {"packageRef": package_refs["Pro"], "billingFrequency": 12},
    )

    assert (await panel.run(("cancelAccount", later, None), ("cancelAccount", later, None))).results == [True, True]
    assert (await accounts(owner))[0]["deleted"]
    reactivated = panel.with_(username=None, password="a third Secret 3")
    assert (await panel.run(("createAccount", reactivated, None))).results == [True]
    [again] = await accounts(owner)
    assert (again["userRef"], again["deleted"]) == (created["userRef"], False)


async def test_a_user_is_renamed_and_a_name_is_free_again(panel: Panel, owner: httpx.AsyncClient) -> None:
    await panel.run("createAccount")
    renamed = panel.with_(username="ada")
    ran = await panel.run(
        ("changeAccountUsername", panel.account, "ada"),
        ("changeAccountUsername", panel.account, "ada"),
        ("suspendAccount", renamed, None),
        ("createAccount", panel.with_(domain="other.example"), None),
    )
    assert ran.results == [True] * 4
    first, second = await accounts(owner)
    assert (first["suspended"], second["suspended"]) == (True, False)
    names = [
        (await owner.get(f"/users/{each['userRef']}")).json()["accountHolder"]["username"] for each in (first, second)
    ]
    assert names == ["ada", "ada-example"]


async def test_the_domain_is_changed(panel: Panel, owner: httpx.AsyncClient) -> None:
    await panel.run("createAccount")
    [created] = await accounts(owner)
    path = f"/sites/{created['siteRefs'][0]}"
    await owner.post(f"{path}/domains", json={"domain": "www.ada.example"})
    change = ("changeAccountDomain", panel.account, "New.example")
    assert (await panel.run(change, change)).results == [True, True]
    site = (await owner.get(path)).json()["site"]
    assert site["primaryDomain"]["domainName"] == "new.example"
    assert sorted(site["domains"].values()) == ["new.example", "www.ada.example"]
    assert (await accounts(owner))[0]["siteRefs"] == created["siteRefs"]


async def test_log_in(panel: Panel) -> None:
    url = (await panel.run("createAccount", "getLoginUrl")).results[1]
    async with http_client() as browser:
        response = await browser.get(url)
    assert response.status_code in (302, 303) and "set-cookie" in response.headers


async def test_a_lost_response_is_made_good(
    base_url: str, cast: Cast, clean: None, package_refs: dict[str, int], owner_connection: OwnerConnection
) -> None:
    async with lossy_relay(base_url) as relay:
        ran = await panel_of(relay.url, cast, package_refs["Starter"]).run("createAccount")
        assert relay.lost[0].startswith(b"HTTP/1.1 201")
    assert ran.results == [True]
    assert await owner_connection.fetchval("select count(*) from users where username = 'ada-example'") == 1
    assert await owner_connection.fetchval("select count(*) from charges") == 1


async def test_an_activation_that_timed_out_is_run_again(
    cast: Cast, panel: Panel, owner: httpx.AsyncClient, package_refs: dict[str, int]
) -> None:
    async with open_receiver() as stalled:
        stalled.respond = lambda _arrived: never()
        ran = await panel_of(stalled.url, cast, package_refs["Starter"], timeout=1).run("createAccount")
    assert "did not respond" in ran.results[0]["exception"]
    assert len(stalled.arrived) == 3
    assert (await panel.run("createAccount")).results == [True]
    assert (await accounts(owner))[0]["externalId"] == stalled.arrived[0].path.rpartition("/")[2]


async def test_errors_are_for_staff(panel: Panel) -> None:
    bad = panel.with_(client=panel.account["client"] | {"email": "nowhere"}, package={"package": 1, "language": "xx"})
    no_package = panel.with_(package={})
    ran = await panel.run(("createAccount", bad, None), ("createAccount", no_package, None), "suspendAccount")
    texts = [each["exception"] for each in ran.results]
    assert "accountHolder.email" in texts[0] and "accountHolder.languageCode" in texts[0] and "(request " in texts[0]
    assert 'parameter "package"' in texts[1] and "no account ada-example" in texts[2]
    panel.server["password"] = "wrong"
    assert "exception" in (await panel.run("testConnection")).results[0]
    panel.server["accesshash"] = "Northwind"
    assert "number of your brand" in (await panel.run("testConnection")).results[0]["exception"]


async def test_secrets_are_masked_in_the_log(panel: Panel, cast: Cast) -> None:
    ran = await panel.run("createAccount", "getLoginUrl", ("changeAccountPassword", panel.account, "another Secret 2"))
    text, url = "\n".join(ran.log), ran.results[1]
    assert "PUT /brands/1/accounts/fossbilling-" in text and MASKED in text
    for secret in (SECRET, "another Secret 2", cast.owner_operator[1], url, url.partition("hash=")[2]):
        assert secret not in text
