"""The page of a customer: everything, in few statements; and which actions it offers to whom."""

import re
from datetime import UTC, datetime

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.web.console.customers.sections import read_sections
from tests.support.account_domains import make_account_domain
from tests.support.browsing import assert_loads_nothing_else, page_text
from tests.support.busy_customers import fill_customer
from tests.support.cast import OTHER_BRAND, OWN_BRAND, RESELLER_REF
from tests.support.customers import done, new_user
from tests.support.operators import send
from tests.support.packages import PRO, assign
from tests.support.sites import make_site
from tests.support.users import OwnerConnection, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/customers"
SECTIONS = (
    "details", "packages", "charges", "sites", "domains", "mailboxes", "mails", "messages", "sessions", "audit", "data",
)  # fmt: skip


@pytest.fixture
async def user(owner: httpx.AsyncClient) -> int:
    metadata = [{"name": "crm", "value": "C-1001"}]
    body = new_user(company="Pear & Co", phoneNumber="+1 202", city="Springfield", metadata=metadata)
    ref: int = (await done(owner.post("/users", json=body)))["accountHolder"]["ref"]
    return ref


def offered(response: httpx.Response, user_ref: int) -> set[str]:
    """The actions that the page has a link or a form for."""
    return set(re.findall(rf'(?:href|action)="{PATH}/{user_ref}/([a-z-]+)"', response.text))


async def test_shows_everything(
    admin: httpx.AsyncClient, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    assert (await assign(owner, user, PRO, billingFrequency=12)).status_code == 200
    await fill_customer(owner_connection, OWN_BRAND, user)
    page = await admin.get(f"{PATH}/{user}")
    assert page.status_code == 200
    assert_loads_nothing_else(page)
    text = page_text(page)
    for expected in (
        "Ann Example", "ann@mail.example", "Pear & Co", "C-1001", "+1 202", "Springfield", "Paying", "Pro", "Starter",
        "$9.99", "busy-13.example", "busy-shop-13.example", "office@busy-shop-13.example", "Package was renewed",
        "14 messages on the customer’s sites", "Bo Visitor 13", "Firefox, Linux", "Package assigned", "Registered",
    ):  # fmt: skip
        assert expected in text, expected
    for section in SECTIONS:
        assert f'id="{section}"' in page.text
        assert f'href="#{section}"' in page.text
    for complete in (
        f"/console/sites?user={user}", f"/console/domains?user={user}", f"/console/mail?user={user}",
        f"/console/audit?subject=user&amp;ref={user}", f"/console/events?user={user}",
    ):  # fmt: skip
        assert f'href="{complete}"' in page.text, complete


async def test_an_empty_customer_is_readable(admin: httpx.AsyncClient, user: int) -> None:
    text = page_text(await admin.get(f"{PATH}/{user}"))
    for expected in ("Nothing was charged yet.", "No site yet.", "No registered domain.", "No mailbox.", "Free"):
        assert expected in text, expected


async def test_a_failed_domain_has_ended(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    """It was paid for until later."""
    ended = {"status": "failed", "ended_at": datetime(2026, 11, 19, 8, 0, tzinfo=UTC)}
    await make_account_domain(owner_connection, OWN_BRAND, user, "refused.example", **ended)
    text = page_text(await admin.get(f"{PATH}/{user}"))
    assert "refused.example Failed ended on November 19, 2026" in text


async def test_a_busy_customer_costs_as_many_statements_as_an_empty_one(
    owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    counts = []
    for _ in range(2):
        counted: list[str] = []
        async with resources.database.transaction(OWN_BRAND) as tx:
            with tx.query_logger(lambda record: counted.append(record.query)):  # noqa: B023 - called before the next
                await read_sections(tx, user)
        counts.append(len(counted))
        if len(counts) == 1:
            await fill_customer(owner_connection, OWN_BRAND, user)
    assert counts[0] == counts[1] <= 14


async def test_sites_of_a_suspended_customer_are_not_online(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, user: int
) -> None:
    await make_site(owner_connection, resources, user_ref=user, version_ref=1, live=True)
    assert "Online" in page_text(await admin.get(f"{PATH}/{user}"))
    await send(admin, f"{PATH}/{user}/suspend", reason="Unpaid invoices")
    text = page_text(await admin.get(f"{PATH}/{user}"))
    assert ("Online" in text, "Offline: customer suspended" in text) == (False, True)


async def test_says_what_follows_a_trial_and_what_only_admins_may(
    log_in: LogIn, owner: httpx.AsyncClient, owner_connection: OwnerConnection, user: int
) -> None:
    await assign(owner, user, PRO)
    await owner_connection.execute(
        "update account_packages set is_trial = true, is_subscription = false where user_ref = $1 and ended_at is null",
        user,
    )
    text = page_text(await (await log_in("support")).get(f"{PATH}/{user}"))
    assert "without a charge; the default package follows" in text
    assert "Brand admins change details and packages" in text


async def test_names_the_people_of_the_history(
    admin: httpx.AsyncClient, log_in: LogIn, owner_connection: OwnerConnection, user: int
) -> None:
    support = await log_in("support")
    await send(support, f"{PATH}/{user}/suspend", reason="Unpaid invoices")
    text = page_text(await admin.get(f"{PATH}/{user}"))
    assert re.search(r"Suspended support", text)
    assert "Reason: Unpaid invoices" in text
    credential = await owner_connection.fetchrow(
        "select ref, label from api_credentials where brand_ref = $1 and label <> '' limit 1", OWN_BRAND
    )
    assert credential is not None
    await owner_connection.execute(
        "update audit_entries set actor = $1 where subject = 'user' and subject_ref = $2",
        f"credential:{credential['ref']}",
        user,
    )
    text = page_text(await admin.get(f"{PATH}/{user}"))
    assert f"API credential {credential['label']}" in text


async def test_texts_of_customers_are_only_texts(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    attack = "<script>alert(1)</script>"
    ref = await make_user(owner_connection, resources, first_name=attack, company=attack, city=attack, username="x")
    for path in ("", "/edit", "/delete", "/suspend", "/anonymise", "/package"):
        page = await admin.get(f"{PATH}/{ref}{path}")
        assert page.status_code == 200
        assert "<script>alert" not in page.text
    assert "<script>alert" not in (await admin.get(PATH)).text


@pytest.mark.parametrize(
    ("username", "expected"),
    [
        (
            "brand-admin",
            {"log-in-as", "edit", "package", "password-email", "suspend", "export", "delete", "anonymise"},
        ),
        ("support", {"log-in-as", "password-email", "suspend"}),
        ("viewer", set()),
    ],
)
async def test_offers_what_the_role_may(log_in: LogIn, user: int, username: str, expected: set[str]) -> None:
    page = await (await log_in(username)).get(f"{PATH}/{user}")
    assert page.status_code == 200
    assert offered(page, user) == expected


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("suspended_at", {"edit", "package", "suspend", "unsuspend", "export", "delete", "anonymise"}),
        ("deleted_at", {"restore", "export", "anonymise"}),
        ("anonymised_at", {"suspend", "delete"}),
    ],
)
async def test_offers_what_makes_sense(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int, columns: str, expected: set[str]
) -> None:
    await owner_connection.execute(f"update users set {columns} = $2 where ref = $1", user, clock.now())
    assert offered(await admin.get(f"{PATH}/{user}"), user) == expected


async def test_other_brands_customers_do_not_exist(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    other = await make_user(owner_connection, resources, OTHER_BRAND, username="elsewhere")
    for path in ("", "/edit", "/suspend", "/delete", "/anonymise", "/package", "/export"):
        unknown, foreign = await admin.get(f"{PATH}/999999{path}"), await admin.get(f"{PATH}/{other}{path}")
        assert unknown.status_code == foreign.status_code == 404, path
    assert (await admin.get(f"{PATH}/{other}/package/confirm?packageRef=1")).status_code == 404


async def test_links_to_the_reseller(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    ref = await make_user(owner_connection, resources, username="gina", reseller_ref=RESELLER_REF)
    assert f'href="/console/resellers/{RESELLER_REF}"' in (await admin.get(f"{PATH}/{ref}")).text


async def test_in_other_languages(admin: httpx.AsyncClient, owner_connection: OwnerConnection, user: int) -> None:
    await fill_customer(owner_connection, OWN_BRAND, user)
    for language in ("de", "es", "fr", "pt"):
        await send(admin, "/console/me/language", language=language)
        for path in ("", "/edit", "/suspend", "/delete", "/anonymise", "/package", "/package/confirm?packageRef=2"):
            page = await admin.get(f"{PATH}/{user}{path}")
            assert page.status_code == 200
            assert f'<html lang="{language}">' in page.text
