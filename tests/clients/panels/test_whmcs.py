"""The WHMCS module, through the functions that the panel calls, against the running service."""

from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec
import pytest

from sitewright.kit.resources import Resources
from tests.clients.panels.php import ROOT, run_php
from tests.support.cast import OWN_BRAND, Cast
from tests.support.http_clients import http_client
from tests.support.lossy_relay import lossy_relay
from tests.support.receiver import never, open_receiver, reply
from tests.support.users import OwnerConnection, make_user

pytestmark = pytest.mark.system
MODULE = ROOT / "integrations" / "whmcs" / "modules" / "servers" / "sitewright"
SECRET = "wp-First-Secret-1"
CLIENT = {
    "firstname": "Ada", "lastname": "Müller", "companyname": "", "email": "ada@mail.example", "address1": "1 Main St",
    "address2": "", "city": "Springfield", "state": "", "postcode": "12345", "country": "US", "phonenumber": "",
}  # fmt: skip


class Panel(msgspec.Struct):
    """A service of the panel, and the server that it is on."""

    params: dict[str, Any]

    async def run(self, *calls: tuple[str, dict[str, Any]] | str, seconds: int | None = None) -> "Ran":
        given = [(call, {}) if isinstance(call, str) else call for call in calls]
        limit = {} if seconds is None else {"timeout": seconds}
        input_ = {"module": str(MODULE), "calls": [(name, self.params | more) for name, more in given]} | limit
        return Ran(**await run_php("whmcs_panel.php", input_))


class Ran(msgspec.Struct):
    results: list[dict[str, Any]]
    log: list[str]
    updates: list[dict[str, Any]]

    @property
    def returned(self) -> list[Any]:
        return [each["result"] for each in self.results]


def panel_of(url: str, cast: Cast, **more: Any) -> Panel:
    parts = urlsplit(url)
    username, password = cast.owner_operator
    server = {
        "serverid": 3, "serverhostname": parts.hostname, "serverip": "", "serverport": str(parts.port),
        "serversecure": False, "serverusername": username, "serverpassword": password,
        "serveraccesshash": str(OWN_BRAND),
    }  # fmt: skip
    service = {
        "serviceid": 4711, "username": "ada", "password": SECRET, "domain": "ada.example", "clientsdetails": CLIENT,
        "configoption1": "2", "configoption2": "", "configoption3": "", "configoption4": "en", "configoption5": "on",
    }  # fmt: skip
    return Panel(server | service | more)


@pytest.fixture
async def starter_ref(owner_connection: OwnerConnection) -> int:
    statement = "select ref from packages where brand_ref = $1 and name = $2"
    ref: int = await owner_connection.fetchval(statement, OWN_BRAND, "Starter")
    return ref


@pytest.fixture
async def pro_ref(owner_connection: OwnerConnection) -> int:
    statement = "select ref from packages where brand_ref = $1 and name = $2"
    ref: int = await owner_connection.fetchval(statement, OWN_BRAND, "Pro")
    return ref


@pytest.fixture
def panel(base_url: str, cast: Cast, clean: None, starter_ref: int) -> Panel:
    return panel_of(base_url, cast, configoption1=str(starter_ref))


async def account(owner: httpx.AsyncClient) -> dict[str, Any]:
    response = await owner.get(f"/brands/{OWN_BRAND}/accounts/whmcs-4711", params={"showDeleted": 1})
    found: dict[str, Any] = response.json()["account"]
    return found


async def test_settings(panel: Panel, starter_ref: int) -> None:
    ran = await panel.run("MetaData", "ConfigOptions", "PackageLoader", "TemplateLoader", "TestConnection")
    meta, options, packages, templates, connection = ran.returned
    assert meta["RequiresServer"] is True and meta["ListAccountsProductField"] == "configoption1"
    assert list(options) == ["Package", "Billing period", "Template", "Language", "Create a website"]
    assert options["Package"]["Loader"] == "sitewright_PackageLoader"
    assert packages[str(starter_ref)] == "Starter" and "A .com domain" not in packages.values()
    assert "Coffee House" in templates.values() and templates[""]
    assert connection == {"success": True, "error": ""}


async def test_the_life_of_a_service(
    panel: Panel, owner: httpx.AsyncClient, pro_ref: int, owner_connection: OwnerConnection
) -> None:
    assert (await panel.run("CreateAccount", "CreateAccount")).returned == ["success", "success"]
    created = await account(owner)
    user = (await owner.get(f"/users/{created['userRef']}")).json()["accountHolder"]
    assert (user["username"], user["lastName"], user["city"]) == ("ada", "Müller", "Springfield")
    site = (await owner.get(f"/sites/{created['siteRefs'][0]}")).json()["site"]
    assert site["primaryDomain"]["domainName"] == "ada.example"
    charges = await owner_connection.fetchval("select count(*) from charges where user_ref = $1", created["userRef"])
    assert charges == 1, "the repeated call charges nothing"

    await panel.run("SuspendAccount", "SuspendAccount")
    assert (await account(owner))["suspended"]
    await panel.run("UnsuspendAccount")
    assert not (await account(owner))["suspended"]

    annual = {"configoption1": str(pro_ref), "configoption2": "cycle", "billingcycle": "Annually"}
    ran = await panel.run(
        ("ChangePackage", annual), ("Renew", annual), ("ChangePassword", {"password": "another Secret 2"})
    )
    assert ran.returned == ["success"] * 3
    assert (await account(owner))["package"] == {"packageRef": pro_ref, "billingFrequency": 12}

    assert (await panel.run("TerminateAccount", "TerminateAccount")).returned == ["success", "success"]
    assert (await account(owner))["deleted"]
    assert (await panel.run("CreateAccount")).returned == ["success"], "an order that is reactivated"
    again = await account(owner)
    assert (again["userRef"], again["deleted"]) == (created["userRef"], False)


async def test_single_sign_on(panel: Panel, base_url: str) -> None:
    ran = await panel.run("CreateAccount", "ServiceSingleSignOn", "AdminSingleSignOn", "ClientArea")
    _, service, admin, area = ran.returned
    async with http_client() as browser:
        response = await browser.get(service["redirectTo"])
    assert service["success"] and response.status_code in (302, 303) and "set-cookie" in response.headers
    assert admin == {"success": True, "redirectTo": f"{base_url}/console"}
    assert area["templatefile"] == "templates/clientarea" and (MODULE / "templates" / "clientarea.tpl").exists()
    assert area["vars"]["sites"][0]["primaryDomain"]["domainName"] == "ada.example"
    assert area["vars"]["unavailable"] is False and "id=4711&dosinglesignon=1" in area["vars"]["signOn"]


async def test_lists_and_usage(panel: Panel, starter_ref: int) -> None:
    second = {"serviceid": 4712, "username": "", "domain": "", "configoption5": ""}
    ran = await panel.run(
        "CreateAccount",
        ("CreateAccount", second),
        ("SuspendAccount", second),
        "ListAccounts",
        "UsageUpdate",
        "usage",
        ("tenantUsage", {"tenant": "ada"}),
        ("tenantUsage", {"tenant": "nobody"}),
    )
    listed, _, usage, of_ada, of_nobody = ran.returned[3:]
    assert ran.results[1]["saved"] == {"Username": "service-4712"}
    assert [(each["username"], each["status"]) for each in listed["accounts"]] == [
        ("ada", "Active"),
        ("service-4712", "Suspended"),
    ]
    ada = listed["accounts"][0]
    assert (ada["email"], ada["domain"], ada["product"]) == ("ada@mail.example", "ada.example", str(starter_ref))
    assert [each["where"] for each in ran.updates] == [{"id": 4711, "server": 3}, {"id": 4712, "server": 3}]
    assert ran.updates[0]["values"]["disklimit"] > 0 and ran.updates[0]["values"]["diskusage"] >= 0
    assert {name: metrics[0]["usage"]["value"] for name, metrics in usage.items()} == {"ada": 1, "service-4712": 0}
    assert of_ada == usage["ada"] and of_nobody[0]["usage"] is None


async def test_a_lost_response_is_made_good(
    base_url: str, cast: Cast, clean: None, starter_ref: int, owner_connection: OwnerConnection
) -> None:
    async with lossy_relay(base_url) as relay:
        ran = await panel_of(relay.url, cast, configoption1=str(starter_ref)).run("CreateAccount")
        assert relay.lost[0].startswith(b"HTTP/1.1 201")
    assert ran.returned == ["success"]
    assert await owner_connection.fetchval("select count(*) from users where username = 'ada'") == 1
    assert await owner_connection.fetchval("select count(*) from charges") == 1


async def test_a_service_that_does_not_respond(cast: Cast, panel: Panel) -> None:
    async with open_receiver() as stalled:
        stalled.respond = lambda _arrived: never()
        away = panel_of(stalled.url, cast)
        ran = await away.run("CreateAccount", "ClientArea", seconds=1)
    assert "did not respond" in ran.returned[0] and "Run it again" in ran.returned[0]
    assert ran.returned[1]["vars"]["unavailable"] is True
    puts = [each for each in stalled.arrived if each.path.endswith("/accounts/whmcs-4711") and each.body]
    assert len(puts) == 3 and len({each.body for each in puts}) == 1, "the same description three times"
    assert (await panel.run("CreateAccount")).returned == ["success"]


async def test_a_busy_service_is_asked_again(cast: Cast, clean: None) -> None:
    async with open_receiver() as busy:
        replies = [reply(503, retry_after="0"), reply(200, b'{"accounts": []}')]
        busy.respond = lambda _arrived: replies[len(busy.arrived) - 1]
        assert (await panel_of(busy.url, cast).run("TestConnection")).returned == [{"success": True, "error": ""}]


async def test_errors_are_for_staff(
    panel: Panel, base_url: str, cast: Cast, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources, username="ada")
    bad = {"clientsdetails": CLIENT | {"email": "nowhere"}, "configoption4": "xx", "username": "bob"}
    ran = await panel.run("CreateAccount", ("CreateAccount", bad), "SuspendAccount", "ServiceSingleSignOn")
    taken, invalid, unknown, sign_on = ran.returned
    assert "has this username" in taken and "(request " in taken
    assert "accountHolder.email" in invalid and "accountHolder.languageCode" in invalid
    assert "is required for a new account" in unknown
    assert sign_on["success"] is False and "no account" in sign_on["errorMsg"]
    wrong = await panel_of(base_url, cast, serverpassword="wrong").run(
        "TestConnection", "ListAccounts", "PackageLoader"
    )
    assert [each.get("success", False) for each in wrong.returned] == [False] * 3
    assert wrong.returned[2]["exception"]
    without = await panel_of(base_url, cast, serveraccesshash="").run("TestConnection")
    assert "Access Hash" in without.returned[0]["error"]


async def test_secrets_are_masked_in_the_log(panel: Panel, cast: Cast) -> None:
    changed = ("ChangePassword", {"password": "another Secret 2"})
    ran = await panel.run("CreateAccount", "ServiceSingleSignOn", changed)
    text = "\n".join(ran.log)
    assert text.count("PUT /brands/1/accounts/whmcs-4711") == 2 and "********" in text
    url = ran.returned[1]["redirectTo"]
    for secret in (SECRET, "another Secret 2", cast.owner_operator[1], url, url.partition("hash=")[2]):
        assert secret not in text
