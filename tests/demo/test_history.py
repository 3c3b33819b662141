"""The brand with two years of history: the same rows everywhere, as the service would have written them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import msgspec
import pytest

from sitewright.accounts.account_packages.sweep import service as sweep
from sitewright.accounts.search import rebuilding as search
from sitewright.demo.history.service import BRAND_REF
from sitewright.demo.service import demo_file, ensure_demo, generate_history
from sitewright.kit import clock
from sitewright.kit.db import open_database
from sitewright.kit.migrations import migrate
from sitewright.kit.resources import Resources
from sitewright.statistics import service as statistics
from sitewright.statistics import upkeep
from tests.support.database import with_database
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.service import Service, running_service
from tests.support.users import OwnerConnection

AT = datetime(2026, 3, 31, 15, 20, tzinfo=UTC)
"""Two days after the clocks changed, on a day of the month that not every month has."""
CUSTOMERS = 3000
TABLES = (
    "resellers", "reseller_prices", "users", "sessions", "account_packages", "lifecycle_events", "charges", "profiles",
    "sites", "site_domains", "former_site_domains", "site_versions", "site_files", "site_visits", "contact_messages",
    "contact_replies", "account_domains", "registered_domains", "mailboxes", "events", "event_sequences",
    "webhook_subscriptions", "webhook_deliveries", "webhook_attempts", "daily_figures", "search_terms",
    "reseller_search_terms", "domain_checks",
)  # fmt: skip
"""Those whose rows depend on nothing but the time. Mails and certificates have sealed values."""
DUE = {
    "mails": "sent_at is null and failed_at is null",
    "webhook_deliveries": "due_at is not null",
    "account_packages": "ended_at is null and (due_at <= $1 or remind_at <= $1)",
    "account_domains": "due_at is not null",
    "domain_checks": "due_at is not null",
    "mailboxes": "status = 'pending'",
}
KINDS = {
    "users suspended": "users where suspended_at is not null",
    "users deleted": "users where deleted_at is not null",
    "users anonymized": "users where anonymised_at is not null and email = 'anonymised'",
    "users of resellers": "users where reseller_ref is not null",
    "packages on trial": "account_packages where is_trial and ended_at is null",
    "packages not renewed": "account_packages where delete_on_expiry and not is_trial and ended_at is null",
    "upgrades": "lifecycle_events where kind = 'upgrade'",
    "downgrades": "lifecycle_events where kind = 'downgrade'",
    "trials that ended": "lifecycle_events where reason = 'trialEnded'",
    "yearly charges": "charges where billing_period_months = 12",
    "monthly charges": "charges where billing_period_months = 1",
    "rejected domains": "account_domains where failure is not null and status = 'failed'",
    "expired domains": "account_domains where status = 'expired'",
    "failing addresses": "domain_checks where failing_check is not null",
    "addresses that need attention": "domain_checks where status = 'attention'",
    "rejected mailboxes": "mailboxes where status = 'failed'",
    "deleted sites": "sites where deleted_at is not null",
    "disabled sites": "sites where not enabled",
    "sites offline": "sites where not live and version_ref is not null",
    "unread messages": "contact_messages where read_at is null",
    "mails sent": "mails where sent_at is not null and facts is null",
    "mails failed": "mails where failed_at is not null and facts is not null",
    "dead deliveries": "webhook_deliveries where dead_at is not null",
    "repeated attempts": "webhook_attempts where number > 1 and outcome = 'delivered'",
    "certificates": "certificates where not_after > now()",
    "reports failed": "user_reports where failed_at is not null",
    "reports requested": "user_reports where failed_at is null",
    "entries of operators": "audit_entries where actor like 'operator:%'",
}


class Environment(msgspec.Struct):
    resources: Resources
    url: str
    owner: OwnerConnection

    async def count(self, of: str, *values: Any) -> int:
        table, _, condition = of.partition(" where ")
        where = f"brand_ref = {BRAND_REF} and ({condition or 'true'})"
        number: int = await self.owner.fetchval(f"select count(*) from {table} where {where}", *values)
        return number

    async def digests(self) -> dict[str, str]:
        """A digest of the brand's rows in each table."""
        digest = "select md5(string_agg(t::text, ' ' order by t::text)) from {} t where brand_ref = $1"
        return {table: await self.owner.fetchval(digest.format(table), BRAND_REF) for table in TABLES}


@contextmanager
def time_of(at: datetime) -> Iterator[None]:
    clock.shift((at - clock.real_now()).total_seconds())
    try:
        yield
    finally:
        clock.shift(0)


@asynccontextmanager
async def new_database(server_url: str, name: str, template: str = "template1") -> AsyncIterator[str]:
    server = await asyncpg.connect(server_url)
    await server.execute(f"drop database if exists {name} with (force)")
    await server.execute(f"create database {name} template {template}")
    yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    await server.execute(f"drop database {name} with (force)")
    await server.close()


@asynccontextmanager
async def opened(resources: Resources, url: str, folder: Path) -> AsyncIterator[Resources]:
    chosen = msgspec.structs.replace(resources.settings, data_dir=str(folder), demo_history=True)
    database = open_database(url, connections=5, wait_seconds=60, name="tests", own_role=chosen.makes_login_role)
    yield msgspec.structs.replace(with_database(resources, database), settings=chosen)
    await database.close()


@asynccontextmanager
async def generated(resources: Resources, server_url: str, name: str, folder: Path) -> AsyncIterator[str]:
    """A database of its own with the demo, its history included, without connections to it."""
    async with new_database(server_url, name) as url:
        await migrate(url)
        async with opened(resources, url, folder) as own:
            with time_of(AT):
                await ensure_demo(own, url)
                await generate_history(own, url, AT)
        yield url


@asynccontextmanager
async def environment_of(resources: Resources, url: str, folder: Path) -> AsyncIterator[Environment]:
    owner = await asyncpg.connect(url)
    await owner.execute(f"set sitewright.brand_ref = '{BRAND_REF}'")
    async with opened(resources, url, folder) as own:
        yield Environment(own, url, owner)
    await owner.close()


class Demo(msgspec.Struct, frozen=True):
    environment: Environment
    copy_url: str
    """Another database, with the same content, for the test that changes it."""
    folder: Path


@pytest.fixture(scope="module")
async def made(
    resources: Resources, database_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Demo]:
    folder = tmp_path_factory.mktemp("history")
    async with (
        generated(resources, database_url, "history", folder) as url,
        new_database(database_url, "history_copy", "history") as copy_url,
        environment_of(resources, url, folder) as environment,
    ):
        yield Demo(environment, copy_url, folder)


@pytest.fixture
def demo(made: Demo) -> Environment:
    return made.environment


async def test_two_databases_get_the_same_rows(
    demo: Environment, resources: Resources, database_url: str, tmp_path: Path
) -> None:
    first = await demo.digests()
    assert None not in first.values()
    assert await demo.count("users") == CUSTOMERS
    async with (
        generated(resources, database_url, "other_history", tmp_path) as url,
        environment_of(resources, url, tmp_path) as other,
    ):
        second = await other.digests()
    assert [table for table in TABLES if first[table] != second[table]] == []


async def test_generating_it_again_changes_nothing(demo: Environment) -> None:
    before = await demo.digests()
    await ensure_demo(demo.resources, demo.url)
    await generate_history(demo.resources, demo.url)
    assert await demo.digests() == before


async def test_figures_and_search_terms_are_right(demo: Environment) -> None:
    with time_of(AT):
        assert await upkeep.rebuild(demo.resources.database, BRAND_REF) == 0
        rebuilt = await search.rebuild_all(demo.resources)
    assert (rebuilt.corrected, rebuilt.users) == (0, CUSTOMERS + 3)


async def test_every_list_of_the_console_has_something_to_show(demo: Environment) -> None:
    found = {name: await demo.count(rows) for name, rows in KINDS.items()}
    assert [name for name, number in found.items() if number == 0] == []
    reasons = await demo.owner.fetch("select distinct failure from account_domains where failure is not null")
    assert len(reasons) > 2
    actors = await demo.owner.fetch(f"select distinct actor from audit_entries where brand_ref = {BRAND_REF}")
    assert len([row for row in actors if row["actor"].startswith("operator:")]) > 1


@pytest.mark.parametrize("days", [7, 30, 365])
async def test_the_figures_of_recent_periods_have_values(demo: Environment, days: int) -> None:
    with time_of(AT):
        async with demo.resources.database.transaction(BRAND_REF) as tx:
            today, _ = await statistics.today_of_brand(tx)
            first = (today - timedelta(days=days - 1)).isoformat()
            period = statistics.period_of(first, today.isoformat(), today, "Europe/Berlin")
            shown = await statistics.read(tx, period)
    rejected = await demo.count("account_domains where failure is not null")
    failing = await demo.count("domain_checks where failing_check is not null")
    assert shown.failing_address_count.current == failing
    assert shown.failing_domain_count.current == rejected + failing
    for figure in (shown.registered, shown.visits, shown.published_sites):
        assert figure.current > 0
    assert shown.accounts.current > shown.accounts.previous > 0
    assert Decimal(shown.currencies[0].charged.current) > 0
    assert len(shown.packages) == 4
    for name in (
        "failed_mails",
        "failed_deliveries",
        "failing_domains",
        "failing_addresses",
        "certificates_within_30_days",
    ):
        assert sum(getattr(day, name) for day in shown.days + shown.previous_days) > 0, name


async def test_nothing_is_due(demo: Environment) -> None:
    """So that the history sends no mail and no webhook."""
    at = {table: [AT] if "$1" in condition else [] for table, condition in DUE.items()}
    due = {table: await demo.count(f"{table} where {condition}", *at[table]) for table, condition in DUE.items()}
    assert due == dict.fromkeys(DUE, 0)


async def test_names_are_reserved_for_examples(demo: Environment) -> None:
    hosts = await demo.owner.fetch(
        f"""
        select split_part(email, '@', 2) as host from users where brand_ref = {BRAND_REF} and anonymised_at is null
        union select domain from site_domains where brand_ref = {BRAND_REF}
        union select domain from account_domains where brand_ref = {BRAND_REF}
        union select split_part(email, '@', 2) from contact_messages where brand_ref = {BRAND_REF}
        union select split_part(url, '/', 3) from webhook_subscriptions where brand_ref = {BRAND_REF}
        """
    )
    known = ("example.com", "example.org", "example.net", ".example")
    assert [row["host"] for row in hosts if not row["host"].endswith(known)] == []


async def test_the_service_goes_on_from_it(resources: Resources, made: Demo) -> None:
    """A month later trials have ended and periods are renewed, and the figures are still right."""
    async with environment_of(resources, made.copy_url, made.folder) as later:
        charges = await later.count("charges")
        with time_of(AT + timedelta(days=32)):
            await sweep.do_due_changes(later.resources)
            assert await later.count(f"account_packages where {DUE['account_packages']}", clock.now()) == 0
            assert await upkeep.rebuild(later.resources.database, BRAND_REF) == 0
        assert await later.count("charges") > charges
        assert await later.count("package_sweep_failures") == 0


async def test_another_brand_of_that_ref_is_left_alone(
    resources: Resources, database_url: str, owner_connection: OwnerConnection, clean: None
) -> None:
    wanting = msgspec.structs.replace(
        resources, settings=msgspec.structs.replace(resources.settings, demo_history=True)
    )
    await owner_connection.execute("insert into brands (brand_ref, name) values ($1, 'Mine')", BRAND_REF)
    await ensure_demo(wanting, database_url)
    await generate_history(wanting, database_url)
    assert msgspec.json.decode(demo_file(resources.settings).read_bytes())["historyBrand"] is None
    for table in ("packages", "users", "operators"):
        assert await owner_connection.fetchval(f"select count(*) from {table} where brand_ref = $1", BRAND_REF) == 0


async def test_the_demo_without_history_has_no_such_brand(
    resources: Resources, database_url: str, owner_connection: OwnerConnection, clean: None
) -> None:
    await ensure_demo(resources, database_url)
    assert msgspec.json.decode(demo_file(resources.settings).read_bytes())["historyBrand"] is None
    assert await owner_connection.fetchval("select count(*) from brands where brand_ref = $1", BRAND_REF) == 0


async def test_serve_generates_it_once_in_the_background(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    async with running_service(data_dir, demo_history=1) as service:
        document = service.demo
        assert [brand["brandRef"] for brand in document["brands"]] == [1, 2]
        await eventually(lambda: _has_ended(service, 1))
        assert await _customers(service) == CUSTOMERS
    async with running_service(data_dir, demo_history=1) as service:
        assert service.demo["historyBrand"] == document["historyBrand"]
        await eventually(lambda: _has_ended(service, 2))
        assert await _customers(service) == CUSTOMERS


async def _has_ended(service: Service, times: int) -> bool:
    ended = [event for event in service.events() if (event["message"], event.get("part")) == ("ended", "demo-history")]
    assert all(event["status"] == 0 for event in ended)
    return len(ended) == times


async def _customers(service: Service) -> int:
    operator = service.demo["historyBrand"]["console"]
    async with http_client(service.api_url, auth=(operator["username"], operator["password"])) as client:
        shown = (await client.get("/users", params={"showDeleted": "1"})).json()
    return int(shown["count"])
