"""Reading and deleting mailboxes, and lifecycle events that delete them."""

import httpx
import pytest

from sitewright.kit import paging
from sitewright.kit.resources import Resources
from tests.domains.mailboxes.conftest import DOMAIN, Holder, RecordingServer, listed, put
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND, RESELLER_REF
from tests.support.paging import links
from tests.support.queued import Worker
from tests.support.responses import problem_in
from tests.support.users import OwnerConnection, make_user

PERSONAL = "zebedee"


async def test_lists_are_by_name_and_empty_at_first(owner: httpx.AsyncClient, ann: Holder) -> None:
    assert (await owner.get(ann.path)).json() == {"mailboxes": []}
    await put(owner, ann, "sales")
    await put(owner, ann, "info")
    assert list(await listed(owner, ann)) == ["info", "sales"]


async def test_all_domains_of_a_user_first_registered_first(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    await make_account_domain(owner_connection, OWN_BRAND, ann.user_ref, "another.example")
    await put(owner, ann, "info")
    response = await owner.get(f"/users/{ann.user_ref}/domains/mailboxes")
    found = [(each["domainName"], len(each["mailboxes"])) for each in response.json()["domainMailboxes"]]
    assert found == [(DOMAIN, 1), ("another.example", 0)]


async def test_a_user_without_domains_has_no_mailboxes(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources, clean: None
) -> None:
    bob = await make_user(owner_connection, resources, OWN_BRAND, username="bob")
    assert (await owner.get(f"/users/{bob}/domains/mailboxes")).json() == {"domainMailboxes": []}
    assert problem_in(await owner.get("/users/999/domains/mailboxes")) == (404, "userNotFound")


async def test_a_deleted_mailbox_is_removed_from_the_mail_server(
    owner: httpx.AsyncClient, ann: Holder, worker: Worker, server: RecordingServer
) -> None:
    await put(owner, ann, "info")
    await worker.work()
    assert server.addresses == [f"info@{DOMAIN}"]
    assert (await owner.delete(f"{ann.path}/INFO")).status_code == 204
    assert problem_in(await owner.delete(f"{ann.path}/info")) == (404, "mailboxNotFound")
    assert await listed(owner, ann) == {}
    await worker.work()
    assert server.addresses == []


async def test_a_new_mailbox_with_a_former_name_has_a_new_folder(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    await put(owner, ann, "info")
    before = await owner_connection.fetchval("select home from mail_server.mailboxes")
    await owner.delete(f"{ann.path}/info")
    await put(owner, ann, "info")
    assert await owner_connection.fetchval("select home from mail_server.mailboxes") != before
    assert await owner_connection.fetchval("select home from mail_server.removed_homes") == before


async def test_a_reseller_reads_its_own_users_mailboxes_and_changes_none(
    reseller: httpx.AsyncClient,
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    resources: Resources,
    ann: Holder,
) -> None:
    user_ref = await make_user(owner_connection, resources, OWN_BRAND, username="bob", reseller_ref=RESELLER_REF)
    bob = Holder(user_ref, await make_account_domain(owner_connection, OWN_BRAND, user_ref, "bob.example"))
    await put(owner, bob, "info")
    assert await listed(reseller, bob) == {"info": "pending"}
    assert (await reseller.get(f"/users/{user_ref}/domains/mailboxes")).status_code == 200
    assert problem_in(await reseller.get(ann.path)) == (404, "userNotFound")
    assert problem_in(await put(reseller, bob, "info")) == (403, "forbidden")
    assert problem_in(await reseller.delete(f"{bob.path}/info")) == (403, "forbidden")
    assert problem_in(await reseller.post(f"{bob.path}/info/login-tokens")) == (403, "forbidden")


async def test_anonymizing_deletes_mailboxes_and_tokens(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    ann: Holder,
    worker: Worker,
    server: RecordingServer,
) -> None:
    await put(owner, ann, PERSONAL)
    await worker.work()
    await owner.post(f"{ann.path}/{PERSONAL}/login-tokens")
    assert (await owner.post(f"/users/{ann.user_ref}/anonymise")).status_code == 204
    for table in ("mailboxes", "mailbox_login_tokens"):
        assert await owner_connection.fetchval(f"select count(*) from {table}") == 0
    for table in ("removed_mailboxes", "audit_entries", "jobs.queue"):
        rows = await owner_connection.fetch(f"select t::text from {table} t")
        assert PERSONAL not in str(rows)
    await worker.work()
    assert server.addresses == []


async def test_a_domain_that_ends_deletes_its_mailboxes(
    owner: httpx.AsyncClient,
    owner_connection: OwnerConnection,
    ann: Holder,
    worker: Worker,
    server: RecordingServer,
) -> None:
    kept = Holder(ann.user_ref, await make_account_domain(owner_connection, OWN_BRAND, ann.user_ref, "kept.example"))
    await put(owner, ann, "info")
    await put(owner, kept, "info")
    await worker.work()
    assert (await owner.delete(f"/account-domains/{ann.domain_ref}")).status_code == 204
    assert await owner_connection.fetchval("select count(*) from mailboxes") == 1
    await worker.work()
    assert await listed(owner, kept) == {"info": "active"}
    assert server.addresses == ["info@kept.example"]


@pytest.mark.parametrize("method", ["get", "put", "delete"])
async def test_a_deleted_users_mailboxes_cannot_be_reached(owner: httpx.AsyncClient, ann: Holder, method: str) -> None:
    await put(owner, ann, "info")
    await owner.delete(f"/users/{ann.user_ref}")
    path = ann.path if method == "get" else f"{ann.path}/info"
    assert problem_in(await owner.request(method, path, json={"password": "correct horse"})) == (404, "userNotFound")


async def make_mailboxes(owner: OwnerConnection, domain_ref: int, number: int) -> None:
    await owner.execute(
        "insert into mailboxes (brand_ref, account_domain_ref, name, password_hash, status, created_at, updated_at)"
        " select $1, $2, lpad(n::text, 64, '0'), 'x', 'active', now(), now() from generate_series(1, $3::integer) n",
        OWN_BRAND,
        domain_ref,
        number,
    )


async def test_mailboxes_are_listed_page_by_page_by_name(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder
) -> None:
    await owner_connection.execute("update packages set capabilities = capabilities || '{\"mailboxes\": 9}'")
    for name in ("d", "b", "a", "c"):
        await put(owner, ann, name)
    first = await owner.get(f"{ann.path}?limit=3")
    assert [each["user"] for each in first.json()["mailboxes"]] == ["a", "b", "c"]
    second = await owner.get(links(first)["next"])
    assert [each["user"] for each in second.json()["mailboxes"]] == ["d"]
    assert "next" not in links(second)
    back = await owner.get(links(second)["prev"])
    assert [each["user"] for each in back.json()["mailboxes"]] == ["a", "b", "c"]
    offset = await owner.get(f"{ann.path}?limit=2&offset=1")
    assert [each["user"] for each in offset.json()["mailboxes"]] == ["b", "c"]


async def test_paging_skips_none_when_a_listed_mailbox_is_deleted(owner: httpx.AsyncClient, ann: Holder) -> None:
    for name in ("a", "b"):
        await put(owner, ann, name)
    first = await owner.get(f"{ann.path}?limit=1")
    await owner.delete(f"{ann.path}/a")
    second = await owner.get(links(first)["next"])
    assert [each["user"] for each in second.json()["mailboxes"]] == ["b"]


async def test_pages_of_domains_are_limited_by_their_size(
    owner: httpx.AsyncClient, owner_connection: OwnerConnection, ann: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a lower limit: creating 8 MiB of mailboxes takes too long for a test."""
    monkeypatch.setattr(paging, "MAX_LIST_BYTES", 100_000)
    refs = [ann.domain_ref]
    for number in range(3):
        made = await make_account_domain(owner_connection, OWN_BRAND, ann.user_ref, f"{number}.example")
        refs.append(made)
    await make_mailboxes(owner_connection, ann.domain_ref, 500)
    await make_mailboxes(owner_connection, refs[1], 500)
    await make_mailboxes(owner_connection, refs[3], 1)
    next_page, pages = f"/users/{ann.user_ref}/domains/mailboxes", []
    while next_page:
        response = await owner.get(next_page)
        assert len(response.content) < 150_000
        pages.append(
            [(each["accountDomainRef"], len(each["mailboxes"])) for each in response.json()["domainMailboxes"]]
        )
        next_page = links(response).get("next", "")
    assert pages == [[(refs[0], 500), (refs[1], 500)], [(refs[2], 0), (refs[3], 1)]]
