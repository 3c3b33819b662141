"""The profile page: details, e-mail address, password, sessions, deletion."""

import re
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from sitewright.kit import mail
from sitewright.kit.resources import Resources
from tests.support.browsing import browser, forms, log_in, page_text
from tests.support.cast import OWN_BRAND, PASSWORD
from tests.support.users import OwnerConnection, make_user

PROFILE = "/account/profile"
NEW_PASSWORD = "another long password"


async def send(visitor: httpx.AsyncClient, name: str, **typed: str) -> httpx.Response:
    """The form with this name, as the page has it, with other input."""
    address = f"{PROFILE}/{name}"
    form = forms(await visitor.get(PROFILE))[address]
    return await visitor.post(address, data={"languageCode": "en"} | form | typed)


async def mails(owner: OwnerConnection, resources: Resources) -> list[tuple[str, dict[str, str]]]:
    rows = await owner.fetch("select kind, brand_ref, facts from mails order by ref")
    return [(row["kind"], mail.open_facts(resources.sealer, row["brand_ref"], row["facts"])) for row in rows]


async def test_changed_details_are_saved_and_audited_without_values(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    response = await send(visitor, "details", firstName="Anna", phoneNumber="+44 20 7946 0000", postcode="N1 1AA")
    assert (response.status_code, response.headers["location"]) == (303, f"{PROFILE}?done=details")
    assert "Your details are saved." in page_text(await visitor.get(f"{PROFILE}?done=details"))
    holder = (await owner.get(f"/users/{user}")).json()["accountHolder"]
    assert (holder["firstName"], holder["phoneNumber"], holder["postcode"]) == ("Anna", "+44 20 7946 0000", "N1 1AA")
    assert holder["city"] == ""
    [entry] = await owner_connection.fetch("select * from audit_entries where action = 'edit'")
    assert (entry["actor"], "Anna" in entry["details"]) == (f"user:{user}", False)
    await send(visitor, "details")
    assert await owner_connection.fetchval("select count(*) from audit_entries where action = 'edit'") == 1


async def test_keeps_what_others_changed_since_the_form_was_shown(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int
) -> None:
    address = f"{PROFILE}/details"
    form = {"languageCode": "en"} | forms(await visitor.get(PROFILE))[address]
    theirs = {"phoneNumber": "+49 30 5550100", "city": "Bremen"}
    assert (await owner.put(f"/users/{user}", json=theirs | {"state": "Bremen"})).status_code == 200
    mine = {"company": "New Co", "state": "Oregon"}
    refused = await visitor.post(address, data=form | mine | {"postcode": "<b>"})
    assert refused.status_code == 400
    assert forms(refused)[address]["shown"] == form["shown"]
    assert (await visitor.post(address, data=form | mine)).status_code == 303
    holder = (await owner.get(f"/users/{user}")).json()["accountHolder"]
    assert {name: holder[name] for name in theirs | mine} == theirs | mine


@pytest.mark.parametrize("shown", ["", "{", "[]", '{"city": 1}'])
async def test_without_shown_values_the_stored_ones_count(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, shown: str
) -> None:
    assert (await send(visitor, "details", city="Bremen", shown=shown)).status_code == 303
    assert (await owner.get(f"/users/{user}")).json()["accountHolder"]["city"] == "Bremen"


async def test_the_language_changes_at_once(visitor: httpx.AsyncClient, user: int) -> None:
    await send(visitor, "details", languageCode="de")
    assert "Ihr Profil" in page_text(await visitor.get(PROFILE))


async def test_a_language_that_the_brand_no_longer_offers_stays_until_another_is_chosen(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    await owner_connection.execute("update users set language_code = 'xx'")
    form = (await visitor.get(PROFILE)).text.partition('id="languageCode"')[2].partition("</select>")[0]
    [shown] = re.findall(r'<option value="([^"]*)" selected>', form)
    assert shown == "xx"
    assert (await send(visitor, "details", city="Bremen", languageCode=shown)).status_code == 303
    holder = (await owner.get(f"/users/{user}")).json()["accountHolder"]
    assert (holder["city"], holder["languageCode"]) == ("Bremen", "xx")
    assert (await send(visitor, "details", languageCode="de")).status_code == 303
    assert (await owner.get(f"/users/{user}")).json()["accountHolder"]["languageCode"] == "de"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("firstName", "", "Please enter your first name"),
        ("lastName", "x" * 151, "Please enter your last name"),
        ("phoneNumber", "call me", "Please enter a telephone number"),
        ("phoneNumber", "12", "Please enter a telephone number"),
        ("postcode", "<b>", "Please enter a postal code"),
        ("languageCode", "xx", "Please choose one of the languages."),
    ],
)
async def test_errors_are_shown_at_their_field_and_input_is_kept(
    visitor: httpx.AsyncClient, owner: httpx.AsyncClient, user: int, field: str, value: str, message: str
) -> None:
    response = await send(visitor, "details", **{"city": "Springfield", field: value})
    assert response.status_code == 400
    assert f'id="{field}-error"' in response.text
    assert message in page_text(response)
    kept = forms(response)[f"{PROFILE}/details"]
    assert kept["city"] == "Springfield"
    assert kept.get(field, value) == value
    assert (await owner.get(f"/users/{user}")).json()["accountHolder"]["city"] == ""


async def test_a_new_address_counts_once_its_link_was_used(
    visitor: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
) -> None:
    response = await send(visitor, "email", email="anna@new.example")
    assert response.headers["location"] == f"{PROFILE}?done=email"
    [(kind, facts)] = await mails(owner_connection, resources)
    assert (kind, facts["to"]) == ("emailChange", "anna@new.example")
    assert facts["url"].startswith(f"{resources.settings.service_url}/verify-email?email=anna%40new.example&token=1-")
    path = facts["url"].removeprefix(resources.settings.service_url)
    page = await anonymous.get(path)
    assert "will use the address anna@new.example" in page_text(page)
    assert (await owner.get(f"/users/{user}")).json()["accountHolder"]["email"] == "ann@mail.example"
    form = forms(page)["/verify-email"]
    assert (await anonymous.post("/verify-email", data=form | {"email": "evil@new.example"})).status_code == 400
    assert "Your account uses this address" in page_text(await anonymous.post("/verify-email", data=form))
    holder = (await owner.get(f"/users/{user}")).json()["accountHolder"]
    assert (holder["email"], holder["emailVerified"]) == ("anna@new.example", True)
    kind, facts = (await mails(owner_connection, resources))[-1]
    assert (kind, facts) == ("emailChanged", {"to": "ann@mail.example", "newEmail": "anna@new.example"})
    assert (await anonymous.post("/verify-email", data=form)).status_code == 400


@pytest.mark.parametrize(("email", "message"), [("nobody", "like ann@example.com"), ("ann@mail.example", "already")])
async def test_an_invalid_address_is_refused_at_its_field(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, email: str, message: str
) -> None:
    response = await send(visitor, "email", email=email)
    assert response.status_code == 400
    assert message in page_text(response)
    assert 'id="email-error"' in response.text
    assert await owner_connection.fetchval("select count(*) from mails") == 0


async def test_mails_to_new_addresses_are_limited(visitor: httpx.AsyncClient, user: int) -> None:
    responses = [await send(visitor, "email", email=f"a{number}@new.example") for number in range(6)]
    assert [each.status_code for each in responses] == [303] * 5 + [429]
    assert "Please try again in" in page_text(responses[-1])


async def test_a_changed_password_ends_other_sessions_and_links(
    visitor: httpx.AsyncClient, resources: Resources, owner_connection: OwnerConnection, user: int
) -> None:
    async with browser(resources) as elsewhere:
        await log_in(elsewhere)
        await send(visitor, "email", email="anna@new.example")
        typed = {"currentPassword": PASSWORD, "password": NEW_PASSWORD}
        response = await send(visitor, "password", **typed)
        assert response.headers["location"] == f"{PROFILE}?done=password"
        assert (await visitor.get(PROFILE)).status_code == 200
        assert (await elsewhere.get(PROFILE)).status_code == 303
        assert (await log_in(elsewhere)).status_code == 401
        assert (await log_in(elsewhere, password=NEW_PASSWORD)).status_code == 303
    (_, change), (kind, _) = await mails(owner_connection, resources)
    assert kind == "passwordChanged"
    link = {name: values[0] for name, values in parse_qs(urlsplit(change["url"]).query).items()}
    assert (await visitor.post("/verify-email", data=link)).status_code == 400


@pytest.mark.parametrize(
    ("typed", "status", "field"),
    [
        ({"currentPassword": "a wrong guess", "password": NEW_PASSWORD}, 400, "currentPassword"),
        ({"currentPassword": PASSWORD, "password": "short"}, 400, "password"),
        ({"currentPassword": "", "password": NEW_PASSWORD}, 400, "currentPassword"),
    ],
)
async def test_a_wrong_or_short_password_changes_nothing(
    visitor: httpx.AsyncClient, user: int, typed: dict[str, str], status: int, field: str
) -> None:
    response = await send(visitor, "password", **typed)
    assert response.status_code == status
    assert f'id="{field}-error"' in response.text
    assert NEW_PASSWORD not in response.text
    assert (await log_in(visitor)).status_code == 303


async def test_guesses_of_the_current_password_are_limited(visitor: httpx.AsyncClient, user: int) -> None:
    typed = {"currentPassword": "a wrong guess", "password": NEW_PASSWORD}
    statuses = [(await send(visitor, "password", **typed)).status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]


async def test_sessions_are_listed_and_ended_everywhere(
    visitor: httpx.AsyncClient, resources: Resources, user: int
) -> None:
    async with browser(resources) as elsewhere:
        agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
        await log_in(elsewhere, headers={"user-agent": agent})
        text = page_text(await visitor.get(PROFILE))
        assert "Firefox, Linux since" in text
        assert "Unknown device this device since" in text
        response = await send(visitor, "log-out")
        assert response.headers["location"] == f"/login?brandRef={OWN_BRAND}"
        for each in (visitor, elsewhere):
            assert (await each.get(PROFILE)).status_code == 303


async def test_deletion_is_requested_once_where_the_brand_allows_it(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    path, token = f"{PROFILE}/deletion", {"token": hidden_token(await visitor.get(PROFILE))}
    assert path not in (await visitor.get(PROFILE)).text
    assert (await visitor.get(path)).status_code == 404
    assert (await visitor.post(path, data=token)).status_code == 403
    await owner_connection.execute(
        "update brands set self_service_deletion = 'request', support_email = 'help@northwind.example'"
    )
    assert path in (await visitor.get(PROFILE)).text
    page = await visitor.get(path)
    assert "What will be lost" in page_text(page)
    for _ in range(2):
        response = await visitor.post(path, data=forms(page)[path])
        assert response.headers["location"] == f"{PROFILE}?done=deletion"
    stored = await mails(owner_connection, resources)
    assert stored == [
        ("deletionRequested", {"to": "help@northwind.example", "userRef": str(user)}),
        ("deletionReceived", {}),
    ]
    assert "You asked for the deletion on" in page_text(await visitor.get(PROFILE))
    actions = [row["action"] for row in await owner_connection.fetch("select action from audit_entries")]
    assert actions.count("request deletion") == 1
    assert (await visitor.get("/account")).status_code == 200, "nothing is deleted"


def hidden_token(page: httpx.Response) -> str:
    return forms(page)["/logout"]["token"]


async def test_forms_need_the_sessions_token_and_get_changes_nothing(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    names = ("details", "email", "verification", "password", "log-out", "data", "deletion")
    before = await owner_connection.fetchval("select count(*) from audit_entries")
    for name in names:
        typed = {"token": "x", "email": "x@new.example", "currentPassword": PASSWORD, "password": NEW_PASSWORD}
        assert (await visitor.post(f"{PROFILE}/{name}", data=typed)).status_code == 403, name
    assert await owner_connection.fetchval("select count(*) from audit_entries") == before


async def test_an_unverified_address_gets_a_link(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
) -> None:
    assert "Not confirmed" in page_text(await visitor.get(PROFILE))
    assert (await send(visitor, "verification")).headers["location"] == f"{PROFILE}?done=verification"
    [(kind, facts)] = await mails(owner_connection, resources)
    assert kind == "verification"
    page = await visitor.get(facts["url"].removeprefix(resources.settings.service_url))
    assert "Thank you." in page_text(await visitor.post("/verify-email", data=forms(page)["/verify-email"]))
    assert (await owner.get(f"/users/{user}")).json()["accountHolder"]["emailVerified"] is True
    await owner_connection.execute("update brands set redirect_url = 'https://northwind.example/links?a=1'")
    await owner_connection.execute("update users set email_verified_at = null")
    await send(visitor, "verification")
    assert (await mails(owner_connection, resources))[-1][1]["url"].startswith(
        "https://northwind.example/links?a=1&token="
    )


async def test_other_account_holders_are_not_touched(
    visitor: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    user: int,
) -> None:
    bea = await make_user(owner_connection, resources, username="bea", email="bea@mail.example")
    await send(visitor, "details", firstName="Anna")
    assert (await owner.get(f"/users/{bea}")).json()["accountHolder"]["firstName"] != "Anna"
