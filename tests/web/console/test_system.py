"""The page of the installation: nodes, queue, database and settings, for system-owners."""

from datetime import timedelta

import httpx
import pytest

from sitewright import __version__, settings
from sitewright.kit import clock
from sitewright.kit.nodes import service as nodes
from sitewright.kit.nodes.service import heartbeat
from sitewright.kit.resources import Resources
from sitewright.settings import DemoSettings, Settings
from tests.support.browsing import page_text
from tests.support.eventually import eventually
from tests.support.users import OwnerConnection
from tests.web.console.conftest import LogIn

PATH = "/console/system"


async def test_shows_what_runs_without_a_brand(
    log_in: LogIn, resources: Resources, owner_connection: OwnerConnection
) -> None:
    system_owner = await log_in("system-owner")
    await owner_connection.execute(
        "insert into nodes (host, kind, process, version, started_at, seen_at) values"
        " ('lost', 'worker', 7, '0.0.1', $1, $1)",
        clock.real_now() - timedelta(hours=2),
    )
    async with heartbeat(resources, "edge"):

        async def page() -> str | None:
            text = page_text(await system_owner.get(PATH))
            return text if "Websites of customers" in text else None

        shown = await eventually(page)
    assert "not seen" in shown
    assert "other version" in shown
    assert "Waiting jobs" in shown
    assert "MiB" in shown
    assert "Northwind Hosting" in shown
    assert "database_connections" in shown
    after = page_text(await system_owner.get(PATH))
    assert "Websites of customers" not in after, "a process that ends is not listed any more"
    assert "lost" in after


async def test_a_node_that_was_forgotten_registers_again(resources: Resources, clean: None) -> None:
    beats = nodes.Heartbeat(resources, "worker")
    for _ in range(2):
        await beats.beat()
        async with resources.database.connection() as connection:
            [node] = await nodes.list_nodes(connection)
            assert (node.kind, node.version) == ("worker", __version__)
            await connection.execute("delete from nodes")
    await beats.end()


@pytest.mark.parametrize("username", ["brand-admin", "support", "viewer"])
async def test_is_for_system_owners_alone(log_in: LogIn, username: str) -> None:
    client = await log_in(username)
    assert (await client.get(PATH)).status_code == 403
    assert PATH not in (await client.get("/console")).text


async def test_a_system_owner_switches_to_a_brand(log_in: LogIn) -> None:
    client = await log_in("system-owner")
    page: httpx.Response = await client.get(PATH)
    assert page.text.count('name="brandRef"') == 2


def test_settings_say_where_they_come_from_and_hide_secrets() -> None:
    environment = {"SITEWRIGHT_API_PORT": "9000", "SITEWRIGHT_SMTP_PASSWORD": "hush", "SITEWRIGHT_WORKERS": "3"}
    loaded = settings.load(environment)
    described = {each.name: each for each in settings.describe(loaded, environment)}
    assert (described["api_port"].value, described["api_port"].source) == ("9000", "environment")
    assert described["smtp_password"].value == settings.MASK
    assert "hush" not in str(described)
    assert described["host"].source == "default"
    demo = {each.name: each for each in settings.describe(loaded.for_demo(), environment)}
    assert isinstance(loaded.for_demo(), DemoSettings)
    assert demo["webhook_allowed_networks"].source == "command"
    assert set(described) == set(Settings.__struct_fields__)
