"""POST /users/forgotten-password: what is mailed to whom, and what is refused."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.accounts.mailed_links.conftest import LOGIN_LINK, Mailbox, parameter
from tests.support.cast import OTHER_BRAND, RESELLER_REF
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.responses import problem_in
from tests.support.service import environment
from tests.support.users import OwnerConnection, make_user

PATH = "/users/forgotten-password"


async def request_link(client: httpx.AsyncClient, **body: Any) -> httpx.Response:
    return await client.post(PATH, json={"loginLink": LOGIN_LINK} | body)


@pytest.mark.parametrize(
    "whose", [{"username": "ANN"}, {"email": "Ann@Mail.example"}, {"username": "ann", "email": None}]
)
async def test_one_of_the_two_names_is_enough(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, whose: Any) -> None:
    assert (await request_link(owner, **whose)).status_code == 204
    await mailbox.work()
    [stored] = await mailbox.mails()
    [link] = stored.facts["links"]
    assert (stored.kind, stored.user_ref, stored.facts["to"]) == ("passwordReset", ann, "ann@mail.example")
    assert link["username"] == "ann"
    assert link["url"].startswith(f"{LOGIN_LINK}?h=1-")


@pytest.mark.parametrize(
    ("username", "email", "mails"),
    [("ann", "ann@mail.example", 1), ("ann", "bob@mail.example", 0), ("bob", "ann@mail.example", 0)],
)
async def test_when_both_are_sent_both_must_match(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, username: str, email: str, mails: int
) -> None:
    assert (await request_link(owner, username=username, email=email)).status_code == 204
    await mailbox.work()
    assert len(await mailbox.mails()) == mails


async def test_users_who_share_an_address_get_one_mail_each(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources, username="annette", email="ANN@mail.example")
    await request_link(owner, email="ann@mail.example")
    await mailbox.work()
    mails = await mailbox.mails()
    assert [(each.facts["to"], [link["username"] for link in each.facts["links"]]) for each in mails] == [
        ("ann@mail.example", ["ann"]),
        ("ANN@mail.example", ["annette"]),
    ]
    assert len({parameter(each.facts["links"][0]["url"], "h") for each in mails}) == 2


@pytest.mark.parametrize(
    ("link", "begins"),
    [
        ("https://shop.example/login?a=b", "https://shop.example/login?a=b&h=1-"),
        ("http://shop.example:8080", "http://shop.example:8080?h=1-"),
        ("https://shop.example/#/login", "https://shop.example/?h=1-"),
    ],
)
async def test_the_hash_goes_into_the_query_of_the_link(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, link: str, begins: str
) -> None:
    await request_link(owner, username="ann", loginLink=link)
    await mailbox.work()
    [stored] = await mailbox.mails()
    assert stored.facts["links"][0]["url"].startswith(begins)
    assert stored.facts["links"][0]["url"].partition("#")[2] == link.partition("#")[2]


@pytest.mark.parametrize("column", ["deleted_at", "anonymised_at", "suspended_at"])
async def test_users_who_cannot_log_in_get_no_mail(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources, column: str
) -> None:
    state: dict[str, Any] = {column: clock.now()}
    await make_user(owner_connection, resources, **state)
    assert (await request_link(owner, username="ann")).status_code == 204
    await mailbox.work()
    assert await mailbox.mails() == []


async def test_another_brands_user_gets_no_mail(
    owner: httpx.AsyncClient, mailbox: Mailbox, owner_connection: OwnerConnection, resources: Resources
) -> None:
    await make_user(owner_connection, resources, OTHER_BRAND)
    await request_link(owner, username="ann")
    await mailbox.work()
    assert await mailbox.mails() == []


async def test_a_reseller_reaches_its_own_users_only(
    reseller: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    own = await make_user(owner_connection, resources, username="bob", reseller_ref=RESELLER_REF)
    for whose in ({"username": "ann"}, {"username": "bob"}, {"email": "ann@mail.example"}):
        assert (await request_link(reseller, **whose)).status_code == 204
    await mailbox.work()
    mails = await mailbox.mails()
    assert [(each.user_ref, len(each.facts["links"])) for each in mails] == [(own, 1), (own, 1)]


async def test_an_account_gets_at_most_five_mails_an_hour(owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    for _ in range(7):
        assert (await request_link(owner, username="ann")).status_code == 204
    await mailbox.work()
    assert len(await mailbox.mails()) == 5
    clock.shift(3601)
    await request_link(owner, username="ann")
    await mailbox.work()
    assert len(await mailbox.mails()) == 6


async def test_each_account_has_its_own_rate_limit(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection, resources: Resources
) -> None:
    for _ in range(5):
        await request_link(owner, username="ann")
    await make_user(owner_connection, resources, username="annette")
    await request_link(owner, email="ann@mail.example")
    await mailbox.work()
    assert [link["username"] for link in (await mailbox.mails())[-1].facts["links"]] == ["annette"]


async def test_repeated_and_concurrent_jobs_keep_the_rate_limit(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int
) -> None:
    for _ in range(4):
        await request_link(owner, username="ann")
    await mailbox.work_at_once(4)
    assert len(await mailbox.mails()) == 5


async def test_queue_and_outbox_contain_no_plain_text(
    owner: httpx.AsyncClient, mailbox: Mailbox, ann: int, owner_connection: OwnerConnection
) -> None:
    await request_link(owner, username="ann", email="ann@mail.example")
    [job] = await mailbox.waiting_jobs()
    await mailbox.work()
    kept = [job, await owner_connection.fetchval("select facts from mails")]
    audited = await owner_connection.fetchval("select string_agg(a::text, '') from audit_entries a")
    assert [word for word in (b"ann", b"mail.example", b"shop.example") if any(word in each for each in kept)] == []
    assert ("mail reset link" in audited, "mail.example" in audited) == (True, False)


async def test_a_real_worker_sends_the_mail(
    owner: httpx.AsyncClient,
    mailbox: Mailbox,
    ann: int,
    resources: Resources,
    database_url: str,
    owner_connection: OwnerConnection,
) -> None:
    await request_link(owner, username="ann")
    variables = environment(Path(resources.settings.data_dir), database_url=database_url)
    worker = await fork_command("worker", env=variables)
    try:
        await eventually(_is_done(mailbox))
    finally:
        worker.terminate()
        await worker.wait()
    assert await owner_connection.fetchval("select count(*) from mails where kind = 'passwordReset'") == 1


def _is_done(mailbox: Mailbox) -> Any:
    async def is_done() -> bool:
        return await mailbox.waiting_jobs() == []

    return is_done


@pytest.mark.parametrize(
    ("body", "failing"),
    [
        ({}, {"username", "email", "loginLink"}),
        ({"loginLink": LOGIN_LINK}, {"username", "email"}),
        ({"loginLink": LOGIN_LINK, "username": None, "email": None}, {"username", "email"}),
        ({"username": "ann"}, {"loginLink"}),
        ({"username": "x" * 256, "loginLink": "/login"}, {"username", "loginLink"}),
        ({"username": "", "loginLink": LOGIN_LINK}, {"username"}),
        ({"username": 1, "email": 2, "loginLink": 3}, {"username", "email", "loginLink"}),
    ],
)
async def test_every_failing_field_is_named(
    owner: httpx.AsyncClient, mailbox: Mailbox, body: dict[str, Any], failing: set[str]
) -> None:
    response = await owner.post(PATH, json=body)
    assert (response.status_code, set(response.json()["errors"])) == (400, failing)
    assert await mailbox.waiting_jobs() == []


@pytest.mark.parametrize(
    "link",
    [
        "shop.example/login",
        "javascript:alert(1)",
        "ftp://shop.example/",
        "https://ann@shop.example/",
        "https://shop.example\\@elsewhere.example",
        "https://shop.example/\r\nBcc: all",
        "https://shop.example/" + "x" * 2000,
    ],
)
async def test_a_bad_login_link_is_refused(owner: httpx.AsyncClient, link: str) -> None:
    response = await request_link(owner, username="ann", loginLink=link)
    assert problem_in(response) == (400, "invalidLoginLink")


async def test_a_brand_may_name_the_hosts_it_allows(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update brands set allowed_link_hosts = '{shop.example}' where brand_ref = 1")
    assert (await request_link(owner, username="ann")).status_code == 204
    response = await request_link(owner, username="ann", loginLink="https://elsewhere.example/")
    assert problem_in(response) == (400, "invalidLoginLink")


async def test_a_system_owner_names_the_brand(system_owner: httpx.AsyncClient, mailbox: Mailbox, ann: int) -> None:
    body = {"username": "ann", "loginLink": LOGIN_LINK}
    statuses = [
        (await system_owner.post(PATH, json=body, headers={"X-Brand-Ref": ref} if ref else {})).status_code
        for ref in ("", "1", "999")
    ]
    assert statuses == [400, 204, 404]
