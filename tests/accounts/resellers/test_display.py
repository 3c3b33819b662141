"""The branding that a reseller's users see: names, help, support and links."""

from typing import Any

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.accounts.resellers.shapes import edit_reseller
from tests.support.browsing import hidden, log_in, page_text
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.packages import PRO
from tests.support.users import OwnerConnection, assign_package, make_user

STUDIO = "https://studio.example"
BRANDING = {
    "displayName": "Corner Web Studio",
    "resellerHelpURL": f"{STUDIO}/help",
    "resellerSupportEmail": "help@studio.example",
}
LINKS = {
    "externalPaymentURL": f"{STUDIO}/buy",
    "externalSubscriptionURL": f"{STUDIO}/subscription",
    "externalPaymentCancellationURL": f"{STUDIO}/cancel?why=ü",
}


@pytest.fixture
async def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_user(owner_connection, resources, reseller_ref=RESELLER_REF)


@pytest.fixture
async def visitor(anonymous: httpx.AsyncClient, user: int) -> httpx.AsyncClient:
    """The reseller's user, logged in."""
    assert (await log_in(anonymous)).status_code == 303
    return anonymous


async def test_pages_show_the_resellers_branding(owner: httpx.AsyncClient, visitor: httpx.AsyncClient) -> None:
    before = await visitor.get("/account")
    assert "https://northwind.example/help" in before.text
    await edit_reseller(owner, RESELLER_REF, **BRANDING)
    page = await visitor.get("/account")
    assert (page.status_code, "Northwind" in page.text) == (200, False)
    assert "Corner Web Studio" in page_text(page)
    for link in (f"{STUDIO}/help", "mailto:help@studio.example"):
        assert f'href="{link}"' in page.text


async def test_unset_branding_falls_back_to_the_brand(owner: httpx.AsyncClient, visitor: httpx.AsyncClient) -> None:
    await edit_reseller(owner, RESELLER_REF, displayName="Corner Web Studio")
    page = await visitor.get("/account")
    for link in ("https://northwind.example/help", "mailto:support@northwind.example"):
        assert f'href="{link}"' in page.text


async def test_a_rejected_log_in_shows_the_resellers_branding(
    owner: httpx.AsyncClient, anonymous: httpx.AsyncClient, user: int
) -> None:
    await edit_reseller(owner, RESELLER_REF, **BRANDING)
    login_hash = (await owner.post(f"/users/{user}/auto-login")).json()["hash"]
    assert (await anonymous.get("/login", params={"hash": login_hash})).status_code == 303
    used = await anonymous.get("/login", params={"hash": login_hash})
    assert (used.status_code, "Corner Web Studio" in page_text(used)) == (400, True)
    await owner.post(f"/users/{user}/suspend")
    response = await log_in(anonymous, brandRef=OWN_BRAND)
    assert (response.status_code, "Please ask Corner Web Studio for help." in page_text(response)) == (403, True)


@pytest.mark.parametrize(("package", "cancels"), [(None, False), (PRO, True)])
async def test_buttons_link_to_the_resellers_pages(
    owner: httpx.AsyncClient, visitor: httpx.AsyncClient, user: int, owner_connection: OwnerConnection,
    package: int | None, cancels: bool,
) -> None:  # fmt: skip
    assert STUDIO not in (await visitor.get("/account/package")).text
    await edit_reseller(owner, RESELLER_REF, **LINKS)
    if package is not None:
        await assign_package(owner_connection, OWN_BRAND, user, package, price=15, currency_ref=1)
    page = await visitor.get("/account/package")
    assert f'href="{STUDIO}/buy"' in page.text
    assert f'href="{STUDIO}/subscription"' in page.text
    assert (f'href="{STUDIO}/cancel?why=%C3%BC"' in page.text) is cancels


async def test_its_account_page_replaces_the_built_in_one(owner: httpx.AsyncClient, visitor: httpx.AsyncClient) -> None:
    await edit_reseller(owner, RESELLER_REF, externalAccountURL=f"{STUDIO}/mein-bäcker?a=b")
    response = await visitor.get("/account")
    assert (response.status_code, response.headers["location"]) == (303, f"{STUDIO}/mein-b%C3%A4cker?a=b")


async def test_an_account_url_of_the_service_does_not_redirect_in_a_loop(
    owner: httpx.AsyncClient, visitor: httpx.AsyncClient, base_url: str
) -> None:
    await edit_reseller(owner, RESELLER_REF, externalAccountURL=f"{base_url}/account")
    assert (await visitor.get("/account")).status_code == 200


@pytest.mark.parametrize(
    ("url", "location"), [("", f"/login?brandRef={OWN_BRAND}"), (f"{STUDIO}/login", f"{STUDIO}/login")]
)
async def test_logging_out_redirects_to_its_log_in_page(
    owner: httpx.AsyncClient, visitor: httpx.AsyncClient, url: str, location: str
) -> None:
    await edit_reseller(owner, RESELLER_REF, loginURL=url)
    page = await visitor.get("/account/profile")
    assert ("form-action 'self' http: https:;" in page.headers["content-security-policy"]) is bool(url)
    response = await visitor.post("/logout", data={"token": hidden(page, "token")})
    assert (response.status_code, response.headers["location"]) == (303, location)
    assert (await visitor.get("/account")).headers["location"].startswith("/login")


@pytest.mark.parametrize("ended", [True, False])
async def test_users_of_a_deleted_reseller_see_the_brand_again(
    owner: httpx.AsyncClient, visitor: httpx.AsyncClient, ended: bool
) -> None:
    """One that is only disabled is still theirs."""
    everything: dict[str, Any] = BRANDING | LINKS
    await edit_reseller(owner, RESELLER_REF, **everything, enabled=0)
    if ended:
        await owner.delete(f"/resellers/{RESELLER_REF}")
    page = await visitor.get("/account")
    assert ("Northwind Hosting" in page_text(page)) is ended
    assert (STUDIO in page.text) is not ended
