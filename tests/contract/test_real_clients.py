"""Client libraries of other languages, as Debian packages them, create, change, find and delete a user."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.contract.users import NEW_USER
from tests.support.cast import Cast
from tests.support.timeouts import HANG_SECONDS
from tests.support.users import OwnerConnection

pytestmark = pytest.mark.system
SCRIPTS = Path(__file__).parent / "scripts"
PLAIN = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
METADATA = [{"name": "crm", "value": "A-17 & co"}, {"name": "plan+", "value": "größer"}]
CLIENTS = {
    "PECL oauth": ("php", "pecl_oauth.php", "HMAC-SHA1"),
    "PECL oauth, SHA-256": ("php", "pecl_oauth.php", "HMAC-SHA256"),
    "Guzzle": ("php", "guzzle.php", ""),
    "Net::OAuth": ("perl", "net_oauth.pl", "HMAC-SHA1"),
    "Ruby oauth": ("ruby", "ruby_oauth.rb", "HMAC-SHA1"),
    "oauth-1.0a": ("node", "oauth-1.0a.mjs", "HMAC-SHA1"),
    "oauth-1.0a, SHA-256": ("node", "oauth-1.0a.mjs", "HMAC-SHA256"),
}


@pytest.mark.parametrize(("interpreter", "script", "method"), CLIENTS.values(), ids=CLIENTS)
async def test_a_client_library(
    base_url: str,
    cast: Cast,
    clean: None,
    owner_connection: OwnerConnection,
    interpreter: str,
    script: str,
    method: str,
) -> None:
    steps = await _run(interpreter, script, _settings(base_url, cast, method))
    assert steps["create"][0] == 201, steps
    holder = steps["create"][1]["accountHolder"]
    assert {name: holder[name] for name in ("firstName", "lastName", "username")} == {
        name: NEW_USER[name] for name in ("firstName", "lastName", "username")
    }
    stored = await owner_connection.fetchval("select metadata from users where ref = $1", holder["ref"])
    assert json.loads(stored) == METADATA
    assert (steps["edit"][0], steps["edit"][1]["accountHolder"]["lastName"]) == (200, "Änderung"), steps
    assert (steps["list"][0], [each["ref"] for each in steps["list"][1]["accountHolders"]]) == (200, [holder["ref"]])
    assert steps["delete"] == (204, None)
    assert all(status in (200, 201, 204) for status, _ in steps.values())


def _settings(base_url: str, cast: Cast, method: str) -> dict[str, Any]:
    nested = {f"metadata[{index}][{key}]": pair[key] for index, pair in enumerate(METADATA) for key in pair}
    return {
        "url": base_url,
        "method": method,
        "hash": method.removeprefix("HMAC-").lower(),
        "consumerKey": cast.owner.consumer_key,
        "consumerSecret": cast.owner.consumer_secret,
        "accessToken": cast.owner.access_token,
        "accessSecret": cast.owner.access_secret,
        "basic": cast.owner_operator,
        "user": NEW_USER | {"metadata": METADATA},
        "fields": NEW_USER | nested,
        "changes": {"lastName": "Änderung", "deleted": 0, "beta": 0},
    }


async def _run(interpreter: str, script: str, settings: dict[str, Any]) -> dict[str, tuple[int, Any]]:
    process = await asyncio.create_subprocess_exec(
        interpreter,
        str(SCRIPTS / script),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=PLAIN,
    )
    async with asyncio.timeout(HANG_SECONDS):
        output, errors = await process.communicate(json.dumps(settings).encode())
    assert (process.returncode, errors) == (0, b""), (output[-1000:], errors[-1000:])
    return {name: (status, body) for name, status, body in map(json.loads, output.splitlines())}
