"""The form of a customer's details: what it changes, what it keeps, and how it explains what is wrong."""

import json

import httpx
import pytest

from sitewright.kit.resources import Resources
from tests.support.browsing import hidden, page_text
from tests.support.browsing import log_in as log_in_customer
from tests.support.customers import done
from tests.support.operators import send
from tests.support.users import OwnerConnection, make_user
from tests.web.console.test_customer_actions import PATH, details


async def form_of(client: httpx.AsyncClient, user: int) -> dict[str, str]:
    """What a browser would send from the form of the details, without changes."""
    response = await client.get(f"{PATH}/{user}/edit")
    page, shown = response.text, hidden(response, "shown")
    names = ("firstName", "lastName", "company", "username", "email", "phoneNumber", "address1", "address2", "city",
             "state", "postcode", "country", "cpfNumber")  # fmt: skip
    values = {name: page.partition(f'name="{name}"')[2].partition('value="')[2].partition('"')[0] for name in names}
    metadata = page.partition('name="metadata"')[2].partition(">")[2].partition("</textarea>")[0].strip()
    return values | {"languageCode": "en", "currencyRef": "1", "metadata": metadata, "password": "", "shown": shown}


async def test_edits_only_what_changed(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    form = await form_of(admin, user)
    entries = await owner_connection.fetchval("select count(*) from audit_entries where subject_ref = $1", user)
    assert (await send(admin, f"{PATH}/{user}/edit", **form)).status_code == 303
    unchanged = await owner_connection.fetchval("select count(*) from audit_entries where subject_ref = $1", user)
    assert unchanged == entries, "nothing changed"
    changes = {
        "firstName": "Anna", "company": "Pear & Co", "phoneNumber": "+44 20", "languageCode": "de", "currencyRef": "2",
        "newsletter": "1", "cpfNumber": "12-3", "cpfCompany": "1", "country": "GB", "email": "anna@mail.example",
        "metadata": "crm: C-2\nsource: fair: hall 7",
    }  # fmt: skip
    response = await send(admin, f"{PATH}/{user}/edit", **(form | changes))
    assert response.headers["location"] == f"{PATH}/{user}?done=saved", response.text
    stored = await details(owner, user)
    expected = {name: changes[name] for name in ("firstName", "company", "phoneNumber", "languageCode", "country")}
    assert {name: stored[name] for name in expected} == expected
    assert (stored["newsletter"], stored["currencyRef"], stored["cpfCompany"]) == (1, 2, 1)
    row = await owner_connection.fetchrow("select metadata, email_verified_at from users where ref = $1", user)
    assert row is not None
    assert row["metadata"] == '[{"name": "crm", "value": "C-2"}, {"name": "source", "value": "fair: hall 7"}]'
    audited = await owner_connection.fetchval(
        "select details ->> 'fields' from audit_entries where subject_ref = $1 order by ref desc limit 1", user
    )
    assert "lastName" not in audited
    assert "firstName" in audited
    cleared = await send(admin, f"{PATH}/{user}/edit", **(await form_of(admin, user) | {"phoneNumber": ""}))
    assert cleared.status_code == 303
    assert (await details(owner, user))["phoneNumber"] is None
    assert (await details(owner, user))["newsletter"] == 0, "a box that is not checked is not sent"


async def test_keeps_what_others_changed_since_the_form_was_opened(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, user: int
) -> None:
    form = await form_of(admin, user)
    theirs = {"phoneNumber": "+49 30 5550100", "city": "Bremen", "newsletter": 1, "state": "Bremen"}
    await done(owner.put(f"/users/{user}", json=theirs | {"metadata": [{"name": "crm", "value": "C-2"}]}))
    mine = {"company": "New Co", "state": "Oregon"}
    refused = await send(admin, f"{PATH}/{user}/edit", **(form | mine | {"firstName": ""}))
    assert refused.status_code == 400
    assert hidden(refused, "shown") == form["shown"]
    assert (await send(admin, f"{PATH}/{user}/edit", **(form | mine))).status_code == 303
    stored = await details(owner, user)
    assert {name: stored[name] for name in theirs | mine} == theirs | mine
    assert (await form_of(admin, user))["metadata"] == "crm: C-2"


@pytest.mark.parametrize("shown", ["", "{", "[]", "null", '{"city": 1}', '{"city": "\\ud800"}', "[" * 60_000])
async def test_without_shown_values_the_stored_ones_count(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, shown: str
) -> None:
    form = await form_of(admin, user) | {"shown": shown, "city": "Bremen"}
    refused = await send(admin, f"{PATH}/{user}/edit", **(form | {"firstName": ""}))
    assert refused.status_code == 400
    assert hidden(refused, "shown") == (await form_of(admin, user))["shown"]
    assert (await send(admin, f"{PATH}/{user}/edit", **form)).status_code == 303
    assert (await details(owner, user))["city"] == "Bremen"


async def test_names_of_metadata_may_hold_colons(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    pairs = {"crm:id": "42", "a: b": "c: d", "tier": "gold", "old:": "left"}
    await done(owner.put(f"/users/{user}", json={"metadata": pairs}))
    form = await form_of(admin, user)
    lines = form["metadata"].replace("gold", "silver").replace("old:: left", "new:id: 77\nplain:text")
    assert (await send(admin, f"{PATH}/{user}/edit", **(form | {"metadata": lines}))).status_code == 303
    stored = json.loads(await owner_connection.fetchval("select metadata from users where ref = $1", user))
    expected = {"crm:id": "42", "a: b": "c: d", "tier": "silver", "new:id": "77", "plain": "text"}
    assert {each["name"]: each["value"] for each in stored} == expected


async def test_much_metadata_fits_the_form(admin: httpx.AsyncClient, owner: httpx.AsyncClient, user: int) -> None:
    pairs = [{"name": f"name-{number}", "value": "v" * 200} for number in range(200)]
    await done(owner.put(f"/users/{user}", json={"metadata": pairs}))
    form = await form_of(admin, user) | {"city": "Bremen"}
    assert (await send(admin, f"{PATH}/{user}/edit", **form)).status_code == 303
    assert (await details(owner, user))["city"] == "Bremen"


async def test_a_new_password_works(
    admin: httpx.AsyncClient, anonymous: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    form = await form_of(admin, user) | {"password": "another long one"}
    assert (await send(admin, f"{PATH}/{user}/edit", **form)).status_code == 303
    assert (await log_in_customer(anonymous, "ann", "correct horse")).status_code != 303
    assert (await log_in_customer(anonymous, "ann", "another long one")).status_code == 303
    mails = "select count(*) from mails where user_ref = $1 and kind = 'passwordChanged'"
    assert await owner_connection.fetchval(mails, user) == 1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"firstName": ""}, "Please enter a first name"),
        ({"email": "nowhere"}, "Please enter an e-mail address"),
        ({"password": "short"}, "The password must have 7 to 100 characters."),
        ({"languageCode": "xx"}, "Please check this field."),
        ({"currencyRef": "99"}, "Please check this field."),
        ({"metadata": "x"}, "Write one pair a line"),
        ({"company": "x" * 256}, "Please check this field."),
    ],
)
async def test_errors_are_at_their_fields_and_input_is_kept(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, changes: dict[str, str], text: str
) -> None:
    form = await form_of(admin, user) | {"lastName": "Kept"}
    response = await send(admin, f"{PATH}/{user}/edit", **(form | changes))
    assert response.status_code == 400
    [name] = changes
    assert f'id="{name}-error"' in response.text
    assert text in page_text(response)
    assert 'value="Kept"' in response.text
    assert 'value="short"' not in response.text
    assert (await details(owner, user))["lastName"] == "Example"


async def test_a_taken_user_name_is_explained_at_its_field(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    await make_user(owner_connection, resources, username="bob")
    response = await send(admin, f"{PATH}/{user}/edit", **(await form_of(admin, user) | {"username": "BOB"}))
    assert response.status_code == 409
    assert 'id="username-error"' in response.text
    assert "Another customer of the brand has this user name." in page_text(response)
