"""Every action of a customer's page: what it does, how it is audited, and who may not."""

import io
import zipfile
from datetime import timedelta
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.reports.support import generate_all
from tests.support.browsing import log_in as log_in_customer
from tests.support.browsing import page_text
from tests.support.cast import OTHER_BRAND
from tests.support.customers import done, new_user
from tests.support.operators import send
from tests.support.packages import FREE, LEGACY, PRO, STARTER, TRIAL, assign
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/customers"
CHANGES = ("edit", "package", "packages/1/renewal", "restore", "export", "delete", "anonymise")
SUPPORTS = ("suspend", "unsuspend", "password-email")
FORMS: dict[str, dict[str, str]] = {
    "suspend": {"reason": "Spam"},
    "anonymise": {"name": "Ann Example"},
    "package": {"packageRef": str(PRO)},
    "packages/1/renewal": {"deleteOnExpiry": "1"},
    "edit": {"firstName": "Eve"},
}


async def details(owner: httpx.AsyncClient, user: int) -> dict[str, Any]:
    found: dict[str, Any] = (await done(owner.get(f"/users/{user}?showDeleted=1")))["accountHolder"]
    return found


async def last_action(owner: OwnerConnection, user: int) -> tuple[str, str]:
    row = await owner.fetchrow(
        "select action, actor from audit_entries where subject = 'user' and subject_ref = $1 order by ref desc limit 1",
        user,
    )
    assert row is not None
    return row["action"], row["actor"]


@pytest.mark.parametrize("action", [*CHANGES, *SUPPORTS])
async def test_viewers_may_nothing(log_in: LogIn, owner_connection: OwnerConnection, user: int, action: str) -> None:
    viewer = await log_in("viewer")
    before = await owner_connection.fetch("select * from users")
    assert (await send(viewer, f"{PATH}/{user}/{action}", **FORMS.get(action, {}))).status_code == 403
    assert await owner_connection.fetch("select * from users") == before


@pytest.mark.parametrize("action", CHANGES)
async def test_support_may_not_change(log_in: LogIn, user: int, action: str) -> None:
    support = await log_in("support")
    assert (await send(support, f"{PATH}/{user}/{action}", **FORMS.get(action, {}))).status_code == 403


async def test_questions_are_for_those_who_may_answer(log_in: LogIn, user: int) -> None:
    support, viewer = await log_in("support"), await log_in("viewer")
    for path in ("edit", "package", "package/confirm?packageRef=2", "delete", "anonymise", "export"):
        assert (await support.get(f"{PATH}/{user}/{path}")).status_code == 403, path
        assert (await viewer.get(f"{PATH}/{user}/{path}")).status_code == 403, path
    assert (await support.get(f"{PATH}/{user}/suspend")).status_code == 200
    assert (await viewer.get(f"{PATH}/{user}/suspend")).status_code == 403


@pytest.mark.parametrize("action", [*CHANGES, *SUPPORTS])
async def test_forms_need_the_token(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, action: str
) -> None:
    before = await owner_connection.fetch("select * from users")
    response = await admin.post(f"{PATH}/{user}/{action}", data={"token": ""} | FORMS.get(action, {}))
    assert response.status_code == 403
    assert await owner_connection.fetch("select * from users") == before


@pytest.mark.parametrize("action", [*CHANGES, *SUPPORTS])
async def test_other_brands_customers_are_not_found(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, action: str
) -> None:
    other = await make_user(owner_connection, resources, OTHER_BRAND)
    before = await owner_connection.fetch("select * from users")
    for ref in (other, 999999):
        assert (await send(admin, f"{PATH}/{ref}/{action}", **FORMS.get(action, {}))).status_code == 404
    assert await owner_connection.fetch("select * from users") == before


async def test_suspends_with_a_reason_and_ends_it(
    log_in: LogIn,
    owner: httpx.AsyncClient,
    anonymous: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    user: int,
) -> None:
    support = await log_in("support")
    operator = await owner_connection.fetchval("select ref from operators where username = 'support'")
    missing = await send(support, f"{PATH}/{user}/suspend", reason="")
    assert missing.status_code == 400
    assert "Please say why" in page_text(missing)
    response = await send(support, f"{PATH}/{user}/suspend", reason="Unpaid <invoices>")
    assert response.headers["location"] == f"{PATH}/{user}?done=suspended"
    assert "The customer is suspended." in page_text(await support.get(response.headers["location"]))
    assert "Reason: Unpaid <invoices>" in page_text(await support.get(f"{PATH}/{user}"))
    assert (await details(owner, user))["accountStatus"] == "suspended"
    assert (await log_in_customer(anonymous, "ann", "correct horse")).status_code != 303
    assert await last_action(owner_connection, user) == ("suspend", f"operator:{operator}")
    await send(support, f"{PATH}/{user}/suspend", reason="Paid in part")
    assert "Reason: Paid in part" in page_text(await support.get(f"{PATH}/{user}"))
    response = await send(support, f"{PATH}/{user}/unsuspend")
    assert response.headers["location"] == f"{PATH}/{user}?done=unsuspended"
    assert (await details(owner, user))["accountStatus"] == "allowed"
    assert "Reason" not in page_text(await support.get(f"{PATH}/{user}"))
    assert await last_action(owner_connection, user) == ("unsuspend", f"operator:{operator}")


async def test_mails_a_password_link_at_most_five_times_an_hour(
    log_in: LogIn, owner_connection: OwnerConnection, user: int
) -> None:
    support = await log_in("support")
    for _ in range(5):
        response = await send(support, f"{PATH}/{user}/password-email")
        assert response.headers["location"] == f"{PATH}/{user}?done=mailed"
    mails = "select count(*) from mails where user_ref = $1 and kind = 'passwordReset'"
    assert await owner_connection.fetchval(mails, user) == 5
    assert (await last_action(owner_connection, user))[0] == "mail reset link"
    for page in (f"{PATH}/{user}", f"/console/mail?user={user}"):  # a kind of mail has the same name on each page
        assert "Link for a new password" in page_text(await support.get(page))
    refused = await send(support, f"{PATH}/{user}/password-email")
    assert refused.status_code == 429
    assert "five of these e-mails within an hour" in page_text(refused)
    clock.shift(int(timedelta(minutes=59, seconds=55).total_seconds()))
    await owner_connection.execute("update users set suspended_at = now() where ref = $1", user)
    suspended = await send(support, f"{PATH}/{user}/password-email")
    assert suspended.status_code == 403
    assert "End the suspension first." in page_text(suspended)


async def test_says_what_a_package_means_and_costs_before_it_is_assigned(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    offers = await admin.get(f"{PATH}/{user}/package")
    assert f"package/confirm?packageRef={PRO}&amp;billingFrequency=12" in offers.text or (
        f"package/confirm?packageRef={PRO}&billingFrequency=12" in offers.text
    )
    quote = await admin.get(f"{PATH}/{user}/package/confirm?packageRef={STARTER}&billingFrequency=12")
    text = page_text(quote)
    for expected in ("Subscribe to Starter?", "Charged now $49.00", "It renews by itself", "Ends now Free"):
        assert expected in text, expected
    assert await owner_connection.fetchval("select count(*) from charges") == 0, "a question changes nothing"
    form = {"packageRef": str(STARTER), "billingFrequency": "12"}
    response = await send(admin, f"{PATH}/{user}/package", **form)
    assert response.headers["location"] == f"{PATH}/{user}?done=package"
    assert (await details(owner, user))["subscriptionPackageRef"] == STARTER
    assert str(await owner_connection.fetchval("select amount from charges where user_ref = $1", user)) == "49.00"
    assert (await last_action(owner_connection, user))[0] == "assign package"
    upgrade = page_text(await admin.get(f"{PATH}/{user}/package/confirm?packageRef={PRO}"))
    assert "Upgrade to Pro?" in upgrade
    assert "The rest of the paid time of Starter is not refunded." in upgrade
    cancel = page_text(await admin.get(f"{PATH}/{user}/package/confirm?packageRef={FREE}"))
    assert "Cancel and move to Free?" in cancel
    assert "Charged now Nothing" in cancel
    assert "All live sites go offline." in cancel
    await send(admin, f"{PATH}/{user}/package", packageRef=str(FREE))
    assert (await details(owner, user))["subscriptionPackageRef"] == FREE


async def test_the_quote_is_what_is_charged(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    for package, months in ((PRO, 1), (STARTER, 12), (PRO, 12), (PRO, 12), (TRIAL, 1), (FREE, 1)):
        address = f"{PATH}/{user}/package/confirm?packageRef={package}&billingFrequency={months}"
        quote = await admin.get(address)
        before = await owner_connection.fetchval("select coalesce(sum(amount), 0) from charges")
        form = {"packageRef": str(package), "billingFrequency": str(months)}
        response = await send(admin, f"{PATH}/{user}/package", **form)
        assert response.status_code == 303
        charged = await owner_connection.fetchval("select coalesce(sum(amount), 0) from charges") - before
        shown = f"Charged now ${charged}" if charged else "Charged now Nothing"
        assert quote.status_code == 303 or shown in page_text(quote)


async def test_a_package_that_cannot_be_assigned_is_explained(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    for ref in (LEGACY, 9999):
        quote = await admin.get(f"{PATH}/{user}/package/confirm?packageRef={ref}")
        assert quote.headers["location"] == f"{PATH}/{user}/package?refused=packageRef"
        assert "This package cannot be assigned." in page_text(await admin.get(quote.headers["location"]))
        sent = await send(admin, f"{PATH}/{user}/package", packageRef=str(ref))
        assert sent.headers["location"] == quote.headers["location"]
    assert (await admin.get(f"{PATH}/{user}/package/confirm")).status_code == 303
    assert await owner_connection.fetchval("select count(*) from charges") == 0


async def test_lets_a_package_end_and_renew_again(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    assert (await assign(owner, user, PRO, billingFrequency=12)).status_code == 200
    ref = await owner_connection.fetchval(
        "select ref from account_packages where user_ref = $1 and ended_at is null", user
    )
    assert "Let it end" in page_text(await admin.get(f"{PATH}/{user}/package"))
    response = await send(admin, f"{PATH}/{user}/packages/{ref}/renewal", deleteOnExpiry="1")
    assert response.headers["location"] == f"{PATH}/{user}?done=ends"
    assert (await details(owner, user))["nrtStatus"] is True
    assert "Renew again" in page_text(await admin.get(f"{PATH}/{user}/package"))
    await send(admin, f"{PATH}/{user}/packages/{ref}/renewal", deleteOnExpiry="0")
    assert (await details(owner, user))["nrtStatus"] is False
    assert (await send(admin, f"{PATH}/{user}/packages/999999/renewal", deleteOnExpiry="0")).status_code == 404
    await send(admin, f"{PATH}/{user}/package", packageRef=str(FREE))
    ended = await send(admin, f"{PATH}/{user}/packages/{ref}/renewal", deleteOnExpiry="0")
    assert ended.status_code == 409
    assert "This package does not renew" in page_text(ended)


async def test_deletes_after_asking_and_restores(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    assert "nothing is refunded" in page_text(await admin.get(f"{PATH}/{user}/delete"))
    assert (await details(owner, user))["deleted"] is False, "the question changes nothing"
    response = await send(admin, f"{PATH}/{user}/delete")
    assert response.headers["location"] == f"{PATH}/{user}?done=deleted"
    assert (await details(owner, user))["deleted"] is True
    assert (await last_action(owner_connection, user))[0] == "delete"
    assert "erases them for good" in page_text(await admin.get(f"{PATH}/{user}"))
    assert (await send(admin, f"{PATH}/{user}/delete")).status_code == 404
    assert (await admin.get(f"{PATH}/{user}/edit")).headers["location"] == f"{PATH}/{user}"
    response = await send(admin, f"{PATH}/{user}/restore")
    assert response.headers["location"] == f"{PATH}/{user}?done=restored"
    assert (await details(owner, user))["deleted"] is False


async def test_names_the_next_step_where_deletion_was_requested(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    await owner_connection.execute("update users set deletion_requested_at = now() where ref = $1", user)
    assert "Next: delete the customer and then anonymize" in page_text(await admin.get(f"{PATH}/{user}"))


async def test_a_restore_whose_user_name_is_taken_is_explained(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, user: int
) -> None:
    await send(admin, f"{PATH}/{user}/delete")
    await done(owner.post("/users", json=new_user()))
    response = await send(admin, f"{PATH}/{user}/restore")
    assert response.status_code == 409
    assert "Another customer of the brand has this user name." in page_text(response)


async def test_anonymises_only_after_the_name_was_typed(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    assert "This cannot be undone." in page_text(await admin.get(f"{PATH}/{user}/anonymise"))
    for typed in ("", "Ann", "Bob Example"):
        response = await send(admin, f"{PATH}/{user}/anonymise", name=typed)
        assert response.status_code == 400
        assert "This is not the customer’s name." in page_text(response)
    assert (await details(owner, user))["firstName"] == "Ann"
    response = await send(admin, f"{PATH}/{user}/anonymise", name=" ann  EXAMPLE ")
    assert response.headers["location"] == f"{PATH}/{user}?done=anonymised"
    assert (await details(owner, user))["firstName"] == "anonymised"
    assert (await last_action(owner_connection, user))[0] == "anonymise"
    page = await admin.get(f"{PATH}/{user}")
    assert page.status_code == 200
    assert "Anonymized" in page_text(page)
    assert (await send(admin, f"{PATH}/{user}/edit", firstName="Eve")).headers["location"] == f"{PATH}/{user}"
    assert (await details(owner, user))["firstName"] == "anonymised"
    assert (await send(admin, f"{PATH}/{user}/package", packageRef=str(PRO))).status_code == 409
    assert (await send(admin, f"{PATH}/{user}/password-email")).status_code == 409


async def test_a_deleted_customer_can_be_anonymised_but_not_restored_then(admin: httpx.AsyncClient, user: int) -> None:
    await send(admin, f"{PATH}/{user}/delete")
    assert (await send(admin, f"{PATH}/{user}/anonymise", name="Ann Example")).status_code == 303
    response = await send(admin, f"{PATH}/{user}/restore")
    assert response.status_code == 409
    assert "An anonymized customer cannot be changed or restored." in page_text(response)


async def test_makes_a_copy_of_all_data(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    assert (await admin.get(f"{PATH}/{user}/export")).headers["location"] == f"{PATH}/{user}#data"
    response = await send(admin, f"{PATH}/{user}/export")
    assert response.headers["location"] == f"{PATH}/{user}?done=exported#data"
    assert "The copy is being made." in page_text(await admin.get(f"{PATH}/{user}"))
    await generate_all(resources)
    assert "The copy is ready until" in page_text(await admin.get(f"{PATH}/{user}"))
    file = await admin.get(f"{PATH}/{user}/export")
    assert file.headers["content-disposition"].startswith("attachment")
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        assert b"ann@mail.example" in archive.read("account.json")
    query = "select actor, action from audit_entries where subject = 'data export' order by ref"
    entries = await owner_connection.fetch(query)
    assert [each["action"] for each in entries] == ["create", "download"]
    assert all(each["actor"].startswith("operator:") for each in entries)
    assert (await (await log_in("support")).get(f"{PATH}/{user}/export")).status_code == 403
