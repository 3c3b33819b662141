"""Each failed authentication is one line in the log, with the client's address and none of the input."""

import base64
import json
import logging
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from sitewright.kit.logs import JsonLines
from sitewright.kit.resources import Resources
from sitewright.tenants.credentials.service import OAuthCredentials
from tests.support.browsing import browser, log_in
from tests.support.cast import OWN_BRAND, PASSWORD, Cast, SignedBy
from tests.support.limits import limited
from tests.support.users import OwnerConnection, make_user

LANGUAGES = f"/brands/{OWN_BRAND}/languages"
ADDRESS = "2001:db8::5"
LOGGER = "sitewright.authentication"
TYPED = "hunter2-canary"


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    records = [record for record in caplog.records if record.name == LOGGER]
    return [json.loads(JsonLines().format(record)) for record in records]


def basic(text: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("basic", "wrongPassword"),
        ("basic", "unknownName"),
        ("basic", "malformed"),
        ("oauth", "wrongSignature"),
        ("oauth", "unknownKey"),
        ("oauth", "timestamp"),
        ("oauth", "malformed"),
        ("oauth", "replayedNonce"),
        ("other", "unsupportedScheme"),
    ],
)
async def test_api_failures(
    resources: Resources, cast: Cast, clean: None, caplog: pytest.LogCaptureFixture, kind: str, reason: str
) -> None:
    key = cast.owner.consumer_key
    replayed = SignedBy(cast.owner, nonce="again")
    sent: dict[str, dict[str, Any]] = {
        "wrongPassword": {"auth": ("brand-admin", TYPED)},
        "unknownName": {"auth": (TYPED, TYPED)},
        "basic malformed": {"headers": basic(TYPED)},
        "wrongSignature": {"auth": SignedBy(OAuthCredentials(key, TYPED, "token", TYPED))},
        "unknownKey": {"auth": SignedBy(OAuthCredentials(TYPED, TYPED, TYPED, TYPED))},
        "timestamp": {"auth": SignedBy(cast.owner, timestamp="1")},
        "oauth malformed": {"headers": {"Authorization": f"OAuth {TYPED}"}},
        "replayedNonce": {"auth": replayed},
        "unsupportedScheme": {"headers": {"Authorization": f"Bearer {TYPED}"}},
    }
    async with browser(resources, ADDRESS) as client:
        assert (await client.get(LANGUAGES, auth=replayed)).status_code == 200
        request = sent.get(reason) or sent[f"{kind} {reason}"]
        assert (await client.get(LANGUAGES, **request)).status_code == 401
    [line] = lines(caplog)
    assert (line["level"], line["message"], line["address"]) == ("warning", "authentication failed", ADDRESS)
    assert (line["kind"], line["reason"]) == (kind, reason)
    caller = {"wrongPassword": "operator", "wrongSignature": "credential", "replayedNonce": "credential"}.get(reason)
    assert line.get("caller", "").partition(":")[0] == (caller or "")
    assert line["request"]
    assert TYPED not in str(line) and PASSWORD not in str(line)


@pytest.mark.parametrize(("username", "reason"), [("ann", "wrongPassword"), (TYPED, "unknownName"), ("", "malformed")])
async def test_log_in_page_failures(
    resources: Resources,
    owner_connection: OwnerConnection,
    clean: None,
    caplog: pytest.LogCaptureFixture,
    username: str,
    reason: str,
) -> None:
    user_ref = await make_user(owner_connection, resources)
    async with browser(resources, ADDRESS) as client:
        assert (await log_in(client, username, TYPED)).status_code == 401
    [line] = lines(caplog)
    assert (line["address"], line["kind"], line["reason"]) == (ADDRESS, "login", reason)
    assert line.get("caller") == (f"user:{user_ref}" if username == "ann" else None)
    assert TYPED not in str(line)


async def test_valid_missing_and_rate_limited_credentials_are_not_logged(
    resources: Resources, cast: Cast, clean: None, caplog: pytest.LogCaptureFixture
) -> None:
    async with browser(limited(resources, failures_per_key=1)) as client:
        assert (await client.get(LANGUAGES)).status_code == 401
        assert (await client.get(LANGUAGES, auth=("brand-admin", PASSWORD))).status_code == 200
        assert lines(caplog) == []
        await client.get(LANGUAGES, auth=("brand-admin", "wrong"))
        assert [(await client.get(LANGUAGES, auth=("brand-admin", "wrong"))).status_code for _ in range(3)] == [429] * 3
    assert len(lines(caplog)) == 1
    assert logging.getLogger(LOGGER).isEnabledFor(logging.WARNING)


async def test_the_guides_filter_for_fail2ban_finds_the_address(
    resources: Resources, clean: None, caplog: pytest.LogCaptureFixture
) -> None:
    guide = (Path(__file__).parents[2] / "docs/operate.md").read_text()
    [expression] = re.findall(r"^failregex = (.*)$", guide, re.MULTILINE)
    async with browser(resources, ADDRESS) as client:
        await client.get(LANGUAGES, auth=("nobody", "x"))
    record = next(record for record in caplog.records if record.name == LOGGER)
    found = re.search(expression.replace("<HOST>", r"(?P<host>\S+?)"), JsonLines().format(record))
    assert found is not None
    assert found["host"] == ADDRESS


async def test_a_client_cannot_forge_its_address(
    anonymous: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await anonymous.get(LANGUAGES, auth=("nobody", "x"), headers={"X-Forwarded-For": "198.51.100.7"})
    assert lines(caplog)[0]["address"] != "198.51.100.7"
