"""The previous release runs against this schema, and this release against a database that the previous one made.

During a rolling upgrade both serve one database at the same time: API and worker are each of either release.
"""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import msgspec
import pytest

from tests.previous_release.releases import THIS, Installation, Release, extract_previous_release
from tests.support.customers import done, make_customer, new_user
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.receiver import open_receiver
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system


class Case(msgspec.Struct, frozen=True):
    """Whether the previous release (True) or this one creates the database, serves the API, and works."""

    creates: bool
    serves: bool
    works: bool


CASES = {
    "the previous release on a new database": Case(creates=False, serves=True, works=True),
    "the previous API with this worker": Case(creates=False, serves=True, works=False),
    "this API with the previous worker": Case(creates=False, serves=False, works=True),
    "this release on a database of the previous one": Case(creates=True, serves=False, works=False),
    "the previous release on its own database after the upgrade": Case(creates=True, serves=True, works=True),
}


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Release:
    return extract_previous_release(tmp_path_factory.mktemp("previous"))


@pytest.fixture
async def new_database(empty_database_url: str) -> AsyncIterator[str]:
    server = await asyncpg.connect(empty_database_url)
    await server.execute("create database two_releases")
    yield urlunsplit(urlsplit(empty_database_url)._replace(path="/two_releases"))
    await server.execute("drop database two_releases with (force)")
    await server.close()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
async def test_both_releases_work_on_one_database(
    tmp_path: Path, previous: Release, new_database: str, case: Case
) -> None:
    installation = Installation(tmp_path / "data", new_database)
    async with installation.running(serve=previous if case.creates else THIS):
        pass
    await installation.run(THIS, "migrate")
    parts = {"api": previous if case.serves else THIS, "worker": previous if case.works else THIS}
    owner = await asyncpg.connect(new_database)
    async with installation.running(**parts):
        await publish_and_deliver(installation)
        await log_in(installation)
        await let_a_trial_expire(installation, owner)
    await owner.close()


async def publish_and_deliver(installation: Installation) -> None:
    """Creates a user, assigns a package, publishes: the webhook and the mail arrive."""
    brand = installation.demo["brands"][0]
    async with open_receiver() as receiver, installation.client(0) as client:
        wanted = {"event": "site.publish", "url": receiver.url, "active": True}
        await done(client.post("/webhooks/subscription", json=wanted))
        customer = await make_customer(client, 1, "two-releases.example", package_ref=brand["packages"]["pro"])
        await customer.publish()
        await eventually(lambda: receiver.arrived)
        event = receiver.arrived[0].verified(brand["webhookSecret"])
        assert event["site"]["ref"] == customer.site["ref"]
        mails = Path(installation.demo["mailDir"])
        await eventually(lambda: any("owner@two-" in file.read_text() for file in mails.glob("*.eml")))


async def log_in(installation: Installation) -> None:
    user_ref = installation.demo["brands"][0]["demoUser"]["userRef"]
    async with installation.client(0) as client:
        token = (await done(client.post(f"/users/{user_ref}/auto-login")))["hash"]
    async with http_client(installation.api_url, follow_redirects=True) as browser:
        page = await browser.get("/login", params={"hash": token})
        assert page.status_code == 200, page.text[:500]
        assert page.url.path.startswith("/account"), page.text[:500]


async def let_a_trial_expire(installation: Installation, owner: OwnerConnection) -> None:
    packages = installation.demo["brands"][1]["packages"]
    async with installation.client(1) as client:
        user_ref = (await done(client.post("/users", json=new_user(brandRef=2))))["accountHolder"]["ref"]
        await done(client.post(f"/users/{user_ref}/account-packages", json={"packageRef": packages["trial"]}))
        await owner.execute("update account_packages set due_at = now() where user_ref = $1 and is_trial", user_ref)

        async def is_on_the_default_package() -> bool:
            user = (await done(client.get(f"/users/{user_ref}")))["accountHolder"]
            return bool(user["subscriptionPackageRef"] == packages["default"])

        await eventually(is_on_the_default_package)


@pytest.mark.parametrize(
    "renders_previous", [True, False], ids=["a form of the previous release", "a form of this one"]
)
async def test_a_form_of_one_release_is_accepted_by_the_other(
    tmp_path: Path, previous: Release, new_database: str, *, renders_previous: bool
) -> None:
    """During a rolling update the next request may reach a node of the other release."""
    installation = Installation(tmp_path / "data", new_database)
    async with installation.running(serve=THIS):
        user_ref = installation.demo["brands"][0]["demoUser"]["userRef"]
        async with installation.client(0) as client:
            token = (await done(client.post(f"/users/{user_ref}/auto-login")))["hash"]
    first, second = (previous, THIS) if renders_previous else (THIS, previous)
    async with http_client(installation.api_url) as browser:
        async with installation.running(api=first):
            await browser.get("/login", params={"hash": token})
            page = await browser.get("/account")
            [sent] = set(re.findall(r'name="token" value="([^"]+)"', page.text))
        async with installation.running(api=second):
            assert (await browser.get("/account")).status_code == 200
            left = await browser.post("/logout", data={"token": sent})
            assert (left.status_code, left.headers["location"].partition("?")[0]) == (303, "/login"), left.text[:500]
            assert (await browser.get("/account")).status_code == 303
