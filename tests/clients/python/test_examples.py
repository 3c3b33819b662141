"""Runs the examples of the client, and the first one of its README, as programs of their own."""

import asyncio
import os
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import httpx2

from sitewright.web.reference.webhook_example import BODY, SECRET
from sitewright.webhooks.service import example_headers
from tests.clients.python.test_feed import FeedServer
from tests.support.cast import OWN_BRAND, Cast
from tests.support.receiver import open_receiver
from tests.support.service import free_port
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

CLIENT = Path(__file__).parents[3] / "clients" / "python"


def environment(url: str, cast: Cast) -> dict[str, str]:
    owner = cast.owner
    plain = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    return plain | {
        "PYTHONPATH": f"{CLIENT / 'src'}:{CLIENT / 'examples'}",
        "SITEWRIGHT_URL": url,
        "SITEWRIGHT_CONSUMER_KEY": owner.consumer_key,
        "SITEWRIGHT_CONSUMER_SECRET": owner.consumer_secret,
        "SITEWRIGHT_ACCESS_TOKEN": owner.access_token,
        "SITEWRIGHT_ACCESS_SECRET": owner.access_secret,
        "SITEWRIGHT_USER": cast.owner_operator[0],
        "SITEWRIGHT_PASSWORD": cast.owner_operator[1],
    }


async def start(variables: dict[str, str], *arguments: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        sys.executable, *arguments, cwd=CLIENT / "examples", env=variables, stdout=pipe, stderr=pipe
    )


async def output_of(variables: dict[str, str], *arguments: str) -> str:
    process = await start(variables, *arguments)
    async with asyncio.timeout(HANG_SECONDS):
        output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode()


async def test_a_first_site(base_url: str, cast: Cast, clean: None, owner_connection: OwnerConnection) -> None:
    statement = "select ref from packages where brand_ref = $1 and name = 'Starter'"
    package_ref = await owner_connection.fetchval(statement, OWN_BRAND)
    output = await output_of(environment(base_url, cast), "first_site.py", str(OWN_BRAND), str(package_ref))
    assert re.fullmatch(r"published: https?://miller-bakery\.example.*\n", output)


async def test_many_users_and_the_same_again(base_url: str, cast: Cast, clean: None) -> None:
    for _ in range(2):
        output = await output_of(environment(base_url, cast), "many_users.py", str(OWN_BRAND), "12")
        assert output == "imported: 12\n"


async def test_an_account_is_provisioned(
    base_url: str, cast: Cast, clean: None, owner_connection: OwnerConnection
) -> None:
    statement = "select ref from packages where brand_ref = $1 and name = 'Starter'"
    package_ref = await owner_connection.fetchval(statement, OWN_BRAND)
    arguments = ("provision.py", str(OWN_BRAND), "service-1", str(package_ref))
    first = await output_of(environment(base_url, cast), *arguments)
    assert first.startswith("planned: accountHolder, package, sites[0]")
    second = await output_of(environment(base_url, cast), *arguments)
    assert second.startswith("planned: nothing\nchanged: 0 etag: ")


async def test_events_are_followed_over_a_restart(cast: Cast, tmp_path: Path) -> None:
    async with open_receiver() as receiver:
        feed = FeedServer(receiver)
        for feed.count, expected in ((2, "1 user.created\n2 user.created\n"), (3, "3 user.created\n")):
            variables = environment(feed.url, cast)
            assert await output_of(variables, "follow_events.py", str(tmp_path / "position"), "--once") == expected


async def test_webhooks_are_received(cast: Cast) -> None:
    port, body = free_port(), BODY.encode()
    headers = example_headers(SECRET, uuid4(), datetime.now(UTC), body)
    receiver = await start(environment("http://unused.example", cast), "receive_webhooks.py", str(port), SECRET, "2")
    assert receiver.stdout is not None
    async with asyncio.timeout(HANG_SECONDS), httpx2.AsyncClient(trust_env=False) as sender:
        assert await receiver.stdout.readline() == b"ready\n"
        for sent, status in ((body, 204), (body + b" ", 401)):
            response = await sender.post(f"http://127.0.0.1:{port}/", content=sent, headers=headers)
            assert response.status_code == status
        output, _ = await receiver.communicate()
    assert output.decode().startswith("received: site.publish 42\nrejected: ")


async def test_the_first_example_of_the_readme(base_url: str, cast: Cast, clean: None) -> None:
    block = re.findall(r"^```python\n(.*?)^```$", (CLIENT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[0]
    owner = cast.owner
    strings = {
        "https://api.example.com": base_url,
        "consumer key": owner.consumer_key,
        "consumer secret": owner.consumer_secret,
        "access token": owner.access_token,
        "access secret": owner.access_secret,
    }
    for shown, actual in strings.items():
        assert f'"{shown}"' in block
        block = block.replace(f'"{shown}"', f'"{actual}"')
    assert (await output_of(environment(base_url, cast), "-c", block)).endswith(" ada\n")
