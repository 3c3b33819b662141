"""Fields that existing clients send under other names and in other forms, in every encoding, with Basic and OAuth."""

from typing import Any

import pytest

from tests.contract.conftest import CustomerPaths
from tests.contract.encoding import Sender
from tests.contract.users import NEW_USER

NEW_PAGE = {"pageUrl": "about", "type": "page", "title": "About us", "status": "active"}
NO_DEFAULTS = {"deleted": 0, "beta": 0}
"""The vendor-style clients add these to every update."""


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"seo_title": "About our shop"}, {"seoTitle": "About our shop"}),
        ({"menu": 0}, {"hiddenFromNavigation": 1}),
        ({"menu": 1}, {"hiddenFromNavigation": 0}),
        ({"menu": 0, "hiddenFromNavigation": 0}, {"hiddenFromNavigation": 0}),
        ({"menu": 1, "hiddenFromNavigation": 1}, {"hiddenFromNavigation": 1}),
        ({"menu": 1, "seo_title": "About us"}, {"hiddenFromNavigation": 0, "seoTitle": "About us"}),
    ],
    ids=str,
)
async def test_pages(sender: Sender, customer: CustomerPaths, sent: dict[str, Any], shown: dict[str, Any]) -> None:
    made = (await sender.send("POST", f"{customer.site}/pages", **NEW_PAGE, **sent)).expect(200)["page"]
    assert {name: made[name] for name in shown} == shown
    path = f"{customer.site}/pages/{customer.page_refs[0]}"
    changed = (await sender.send("PUT", path, status="active", **sent)).expect(200)["page"]
    assert {name: changed[name] for name in shown} == shown


@pytest.mark.parametrize("flag", [0, 1])
async def test_redirect_to_primary(sender: Sender, customer: CustomerPaths, flag: int) -> None:
    (await sender.send("PUT", customer.site, redirectToPrimary=1 - flag)).expect(200)
    site = (await sender.send("PUT", customer.site, redirectToPrimary=flag)).expect(200)["site"]
    assert site["redirectToPrimary"] is bool(flag)


async def test_a_widget_with_zero_refs(sender: Sender, customer: CustomerPaths) -> None:
    """0 means "not given"; the position is applied."""
    sent = {"collection": "widgets", "pageRef": 0, "libraryItemRef": 0, "position": 1}
    widget = (await sender.send("PUT", customer.widget, **sent)).expect(200)["widget"]
    assert widget["position"] == 1
    of_page = await sender.get(f"{customer.site}/widgets?pageRef={customer.page_refs[0]}")
    assert customer.widget_ref in [each["ref"] for each in of_page["widgets"]]


async def test_every_update_with_deleted_and_beta(sender: Sender, customer: CustomerPaths) -> None:
    """They leave everything else unchanged, also if the resource has no such fields."""
    page = f"{customer.site}/pages/{customer.page_refs[0]}"
    for path, thing in (
        (customer.user, "accountHolder"),
        (customer.site, "site"),
        (page, "page"),
        (customer.widget, "widget"),
    ):
        before = (await sender.get(path))[thing]
        (await sender.send("PUT", path, **NO_DEFAULTS)).expect(200)
        assert (await sender.get(path))[thing] == before


async def test_a_reseller_and_its_prices_with_deleted_and_beta(sender: Sender) -> None:
    new = {"name": "shop", "displayName": "Shop", "defaultCurrencyRef": 1, "defaultLanguageRef": 1}
    reseller = (await sender.send("POST", "/brands/1/resellers", accountCreateLimit=0, **new)).expect(201)["reseller"]
    path = f"/resellers/{reseller['ref']}"
    changed = (await sender.send("PUT", path, displayName="Shop 2", **NO_DEFAULTS)).expect(200)["reseller"]
    assert (changed["displayName"], changed["enabled"]) == ("Shop 2", True)
    amounts = {"price": 10, "offerPrice": 10}
    price = {"packageRef": 2, "billingPeriodMonths": 1, "currencyRef": 1, **amounts}
    ref = (await sender.send("POST", f"{path}/prices", **price)).expect(201)["price"]["ref"]
    edited = (await sender.send("PUT", f"{path}/prices/{ref}", **amounts, **NO_DEFAULTS)).expect(200)["price"]
    assert edited["price"] == "10.00"


async def test_a_user_with_every_field_that_clients_know(sender: Sender) -> None:
    more = {
        "address1": "1 High Street",
        "address2": "",
        "beta": 0,
        "city": "Bern",
        "company": "Zoë Ltd",
        "country": "CH",
        "currencyRef": "1",
        "metricsPath": "/",
        "metricsSource": "controlpanel",
        "newsletter": 0,
        "phoneNumber": "+41.311234567x12",
        "postcode": "3000",
        "state": "BE",
    }
    holder = (await sender.send("POST", "/users", **NEW_USER, **more)).expect(201)["accountHolder"]
    ours = more.keys() - {"metricsPath", "metricsSource", "beta", "currencyRef"}
    assert {name: holder[name] for name in ours} == {name: more[name] for name in ours}
    changes = {"languageCode": "en", "cpfCompany": 0, "storageBytesUsed": 9, "userStoragePath": "", "city": "Basel"}
    path = f"/users/{holder['ref']}"
    changed = (await sender.send("PUT", path, **changes, **NO_DEFAULTS)).expect(200)["accountHolder"]
    assert (changed["city"], changed["storageBytesUsed"], changed["company"]) == ("Basel", 0, "Zoë Ltd")


async def test_a_soft_delete_that_says_hard(sender: Sender, customer: CustomerPaths) -> None:
    """Unknown query parameters never change the meaning of a call."""
    (await sender.send("DELETE", f"{customer.user}?hard=1&source=Control%20Panel")).expect(204)
    (await sender.send("PUT", customer.user, **NO_DEFAULTS)).expect(200)
    assert (await sender.get(customer.user))["accountHolder"]["deleted"] is False
