"""Resellers in the console: the list, creating, changing and deleting one, and its prices."""

import csv
import io
import re

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import assert_loads_nothing_else, forms, page_text
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.operators import send
from tests.support.users import OwnerConnection, insert, make_reseller, make_user
from tests.web.console.conftest import LogIn

RESELLERS = "/console/resellers"
NEW = f"{RESELLERS}/new"
REF = 40
FORM = {"name": "partner-42", "displayName": "Corner Web Studio", "defaultCurrencyRef": "1", "defaultLanguageRef": "1"}
PRICE = {"packageRef": "2", "billingPeriodMonths": "12", "currencyRef": "1", "price": "99", "offerPrice": ""}


@pytest.fixture
async def reseller_ref(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    """With two customers."""
    await make_user(owner_connection, resources, reseller_ref=REF, username="one")
    await make_user(owner_connection, resources, reseller_ref=REF, username="two")
    return REF


@pytest.fixture
async def price_ref(owner_connection: OwnerConnection, reseller_ref: int) -> int:
    row = {"package_ref": 2, "currency_ref": 1, "billing_period_months": 1, "price": 7}
    return await insert(
        owner_connection, "reseller_prices", {"brand_ref": OWN_BRAND, "reseller_ref": reseller_ref} | row
    )


def refs(response: httpx.Response) -> list[int]:
    assert response.status_code == 200, response.text
    return [int(row["ref"]) for row in csv.DictReader(io.StringIO(response.text))]


async def test_lists_filters_and_sorts(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int
) -> None:
    for ref, name in ((41, "Zebra"), (42, "apple"), (43, "Mango")):
        await make_reseller(owner_connection, OWN_BRAND, ref)
        await owner_connection.execute("update resellers set reseller_name = $2 where ref = $1", ref, name)
    await owner_connection.execute("update resellers set enabled = false where ref = 41")
    await owner_connection.execute("update resellers set deleted_at = now() where ref = 43")
    await make_reseller(owner_connection, OTHER_BRAND, 44)
    assert refs(await admin.get(f"{RESELLERS}.csv?sort=name"))[:2] == [42, reseller_ref]
    assert refs(await admin.get(f"{RESELLERS}.csv?sort=-customers"))[0] == reseller_ref
    assert refs(await admin.get(f"{RESELLERS}.csv?search=ZEB")) == [41]
    assert refs(await admin.get(f"{RESELLERS}.csv?search=42")) == [42]
    assert refs(await admin.get(f"{RESELLERS}.csv?state=disabled")) == [41]
    assert {43, 44}.isdisjoint(refs(await admin.get(f"{RESELLERS}.csv")))
    page = await admin.get(f"{RESELLERS}?search=reseller%20{reseller_ref}")
    assert f'href="/console/customers?reseller={reseller_ref}"' in page.text
    assert_loads_nothing_else(page)


async def test_creates_a_reseller_and_shows_its_credentials_once(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    assert_loads_nothing_else(await admin.get(NEW))
    response = await send(admin, NEW, **FORM, accountCreateLimit="", loginURL="")
    assert response.status_code == 200
    assert_loads_nothing_else(response)
    assert response.text.count("<code>") == 4
    row = await owner_connection.fetchrow("select * from resellers order by ref desc limit 1")
    assert row is not None
    assert (row["reseller_name"], row["display_name"], row["enabled"]) == ("partner-42", "Corner Web Studio", True)
    [key] = await owner_connection.fetch(
        "select consumer_key from api_credentials where reseller_ref = $1 and revoked_at is null", row["ref"]
    )
    assert key["consumer_key"] in response.text
    page = await admin.get(f"{RESELLERS}/{row['ref']}")
    assert "Corner Web Studio" in page_text(page)
    assert key["consumer_key"] not in page.text


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": ""}, "name"),
        ({"displayName": ""}, "displayName"),
        ({"accountCreateLimit": "many"}, "accountCreateLimit"),
        ({"defaultCurrencyRef": "999"}, "defaultCurrencyRef"),
        ({"defaultLanguageRef": "999"}, "defaultLanguageRef"),
        ({"resellerSupportEmail": "nobody"}, "resellerSupportEmail"),
        ({"loginURL": "javascript:alert(1)"}, "loginURL"),
        ({"resellerHelpURL": "nonsense"}, "resellerHelpURL"),
    ],
)
async def test_says_at_the_field_what_is_wrong(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int, changed: dict[str, str], field: str
) -> None:
    before = await owner_connection.fetch("select * from resellers order by ref")
    for path in (NEW, f"{RESELLERS}/{reseller_ref}/edit"):
        response = await send(admin, path, **(FORM | changed))
        assert response.status_code == 400
        assert f'id="{field}-error"' in response.text
        assert "Corner Web Studio" in response.text or field == "displayName", "what was typed is shown again"
    assert await owner_connection.fetch("select * from resellers order by ref") == before


async def test_changes_a_reseller(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int
) -> None:
    form = await admin.get(f"{RESELLERS}/{reseller_ref}/edit")
    assert_loads_nothing_else(form)
    assert f'value="reseller {reseller_ref}"' in form.text
    sent = FORM | {"enabled": "0", "accountCreateLimit": "10", "resellerSupportEmail": "help@studio.example"}
    done = await send(admin, f"{RESELLERS}/{reseller_ref}/edit", **sent)
    assert done.headers["location"] == f"{RESELLERS}/{reseller_ref}?done=saved"
    row = await owner_connection.fetchrow("select * from resellers where ref = $1", reseller_ref)
    assert row is not None
    assert (row["reseller_name"], row["account_create_limit"], row["enabled"]) == ("partner-42", 10, False)
    assert row["reseller_support_email"] == "help@studio.example"
    page = page_text(await admin.get(done.headers["location"]))
    assert "The details are saved." in page
    assert "Access disabled" in page
    entry = await owner_connection.fetchrow("select actor, action from audit_entries where subject = 'reseller'")
    assert entry is not None
    assert entry["actor"].startswith("operator:")
    again = await send(admin, f"{RESELLERS}/{reseller_ref}/edit", **FORM, enabled="1")
    assert again.status_code == 303
    row = await owner_connection.fetchrow("select * from resellers where ref = $1", reseller_ref)
    assert row is not None
    assert (row["enabled"], row["account_create_limit"], row["reseller_support_email"]) == (True, 0, "")


async def test_keeps_what_others_changed_since_the_form_was_opened(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, reseller_ref: int
) -> None:
    path = f"{RESELLERS}/{reseller_ref}/edit"
    first = forms(await admin.get(path))[path] | FORM
    other = await log_in("brand-admin")
    second = forms(await other.get(path))[path] | {"defaultCurrencyRef": "1", "defaultLanguageRef": "1"}
    assert (await admin.post(path, data=first | {"enabled": "0"})).status_code == 303
    refused = await other.post(path, data=second | {"enabled": "1", "accountCreateLimit": "many"})
    assert (refused.status_code, forms(refused)[path]["shown"]) == (400, second["shown"])
    assert (await other.post(path, data=second | {"enabled": "1", "accountCreateLimit": "7"})).status_code == 303
    row = await owner_connection.fetchrow("select * from resellers where ref = $1", reseller_ref)
    assert row is not None
    assert (row["reseller_name"], row["display_name"]) == (FORM["name"], FORM["displayName"])
    assert (row["account_create_limit"], row["enabled"]) == (7, False)


async def test_deletes_a_reseller_after_asking(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int
) -> None:
    asked = await admin.get(f"{RESELLERS}/{reseller_ref}/delete")
    assert "Its customers stay with the brand" in page_text(asked)
    assert (await admin.get(f"{RESELLERS}/{reseller_ref}")).status_code == 200
    done = await send(admin, f"{RESELLERS}/{reseller_ref}/delete")
    assert done.headers["location"] == f"{RESELLERS}?done=deleted"
    assert (await admin.get(f"{RESELLERS}/{reseller_ref}")).status_code == 404
    assert await owner_connection.fetchval("select deleted_at is not null from resellers where ref = $1", reseller_ref)


async def test_prices_are_created_changed_and_deleted(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int
) -> None:
    path = f"{RESELLERS}/{reseller_ref}"
    assert_loads_nothing_else(await admin.get(f"{path}/prices/new"))
    assert (await send(admin, f"{path}/prices/new", **PRICE)).headers["location"] == f"{path}?done=price_saved"
    page = await admin.get(path)
    assert "$99.00" in page_text(page)
    [edit] = re.findall(rf'href="({path}/prices/\d+)"', page.text)
    form = await admin.get(edit)
    assert 'value="99.00"' in form.text
    changed = await send(admin, edit, **(PRICE | {"price": "9,50", "offerPrice": "8.25"}))
    assert changed.headers["location"] == f"{path}?done=price_saved"
    row = await owner_connection.fetchrow("select price::text, offer_price::text from reseller_prices")
    assert tuple(row or ()) == ("9.50", "8.25")
    assert "Delete the price of" in page_text(await admin.get(f"{edit}/delete"))
    assert (await send(admin, f"{edit}/delete")).headers["location"] == f"{path}?done=price_deleted"
    assert await owner_connection.fetchval("select count(*) from reseller_prices") == 0
    actions = await owner_connection.fetch(
        "select actor, action from audit_entries where subject = 'reseller price' order by ref"
    )
    assert [row["action"] for row in actions] == ["create", "edit", "delete"]
    assert all(row["actor"].startswith("operator:") for row in actions)


@pytest.mark.parametrize(
    ("changed", "status", "shown"),
    [
        ({"price": "cheap"}, 400, 'id="price-error"'),
        ({"price": "1.234"}, 400, 'id="price-error"'),
        ({"offerPrice": "-1"}, 400, 'id="offerPrice-error"'),
        ({"billingPeriodMonths": "1201"}, 400, 'id="billingPeriodMonths-error"'),
        ({"packageRef": "9"}, 400, 'id="packageRef-error"'),
        ({"currencyRef": "999"}, 400, 'id="currencyRef-error"'),
        ({"billingPeriodMonths": "1"}, 409, "There is a price for this package"),
    ],
)
async def test_a_wrong_price_is_explained(
    admin: httpx.AsyncClient, reseller_ref: int, price_ref: int, changed: dict[str, str], status: int, shown: str
) -> None:
    response = await send(admin, f"{RESELLERS}/{reseller_ref}/prices/new", **(PRICE | changed))
    assert response.status_code == status
    assert shown in response.text


@pytest.mark.parametrize("username", ["support", "viewer"])
async def test_only_brand_admins_change_resellers(
    admin: httpx.AsyncClient,
    log_in: LogIn,
    owner_connection: OwnerConnection,
    reseller_ref: int,
    price_ref: int,
    username: str,
) -> None:
    client, path = await log_in(username), f"{RESELLERS}/{reseller_ref}"
    price = f"{path}/prices/{price_ref}"
    before = [
        await owner_connection.fetch(f"select * from {each} order by ref") for each in ("resellers", "reseller_prices")
    ]
    forms = {
        NEW: FORM, f"{path}/edit": FORM, f"{path}/delete": {}, f"{path}/prices/new": PRICE, price: PRICE,
        f"{price}/delete": {},
    }  # fmt: skip
    for address, form in forms.items():
        assert (await send(client, address, **form)).status_code == 403
        assert (await client.get(address)).status_code == 403
        assert (await admin.post(address, data=form | {"token": ""})).status_code == 403, "without the token"
    shown = await client.get(path)
    assert shown.status_code == 200
    assert not [address for address in forms if f'href="{address}"' in shown.text]
    assert NEW not in (await client.get(RESELLERS)).text
    after = [
        await owner_connection.fetch(f"select * from {each} order by ref") for each in ("resellers", "reseller_prices")
    ]
    assert after == before


async def test_a_reseller_of_another_brand_does_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, price_ref: int, reseller_ref: int
) -> None:
    await make_reseller(owner_connection, OTHER_BRAND, 60)
    for ref in (60, 999_999_999):
        path = f"{RESELLERS}/{ref}"
        for address in (path, f"{path}/edit", f"{path}/delete", f"{path}/prices/new", f"{path}/prices/{price_ref}"):
            assert (await admin.get(address)).status_code == 404
        for address, form in (
            (f"{path}/edit", FORM),
            (f"{path}/delete", {}),
            (f"{path}/prices/new", PRICE),
            (f"{path}/prices/{price_ref}", PRICE),
            (f"{path}/prices/{price_ref}/delete", {}),
        ):
            assert (await send(admin, address, **form)).status_code == 404
    assert (await admin.get(f"{RESELLERS}/{reseller_ref}/prices/999999")).status_code == 404


async def test_in_other_languages(admin: httpx.AsyncClient, reseller_ref: int, price_ref: int) -> None:
    path = f"{RESELLERS}/{reseller_ref}"
    price = f"{path}/prices/{price_ref}"
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for address in (RESELLERS, NEW, path, f"{path}/edit", f"{path}/delete", price, f"{price}/delete"):
            assert (await admin.get(address)).status_code == 200


@pytest.mark.parametrize(("path", "field"), [("/prices/new", "packageRef"), ("/edit", "defaultLanguageRef")])
async def test_a_package_or_language_of_another_brand_is_like_an_unknown_one(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, reseller_ref: int, path: str, field: str
) -> None:
    theirs = (
        "9"
        if field == "packageRef"
        else str(await owner_connection.fetchval("select ref from languages where code = 'fr'"))
    )
    texts = []
    for ref in (theirs, "999999"):
        response = await send(admin, f"{RESELLERS}/{reseller_ref}{path}", **(FORM | PRICE | {field: ref}))
        assert response.status_code == 400
        texts.append(page_text(response))
    assert texts[0] == texts[1]
