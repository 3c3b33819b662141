"""API releases: endpoints, fields and limits declare from which release on a request sees them."""

from typing import Any

import httpx
import pytest

from sitewright.app import ENDPOINTS
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import parse
from sitewright.kit.versions import NEWEST, NotInThisVersion, Since, UnknownVersion, release_for, release_of
from tests.support.probe import Probe
from tests.support.responses import problem_in

CHANGES = [(endpoint.name, change) for endpoint in ENDPOINTS for change in endpoint.since]
LANGUAGES = "/brands/1/languages"


@pytest.mark.parametrize("written", ["7.44", "v44", "44"])
async def test_a_release_may_be_written_in_three_ways(owner: httpx.AsyncClient, written: str) -> None:
    response = await owner.get(LANGUAGES, headers={"X-Api-Version": written})
    assert (response.status_code, response.headers["x-api-version"]) == (200, "7.44")


async def test_the_newest_release_is_the_default(owner: httpx.AsyncClient) -> None:
    assert (await owner.get(LANGUAGES)).headers["x-api-version"] == "7.106"


@pytest.mark.parametrize("written", ["0", "107", "7.107", "8.1", "7", "v", "", "7.044", "latest", "7.44.1", "-1"])
async def test_an_unknown_release_is_400(owner: httpx.AsyncClient, written: str) -> None:
    response = await owner.get(LANGUAGES, headers={"X-Api-Version": written})
    if written == "7":  # release 7.7 written short
        assert (response.status_code, response.headers["x-api-version"]) == (200, "7.7")
    else:
        assert problem_in(response) == (400, "unknownVersion")


@pytest.mark.parametrize(("method", "path"), [("GET", "/nothing"), ("DELETE", LANGUAGES), ("GET", "/health/live")])
async def test_responses_without_an_endpoint_have_the_release_too(
    owner: httpx.AsyncClient, method: str, path: str
) -> None:
    response = await owner.request(method, path, headers={"X-Api-Version": "v44"})
    assert response.headers["x-api-version"] == "7.44"


async def test_authentication_comes_before_the_release(anonymous: httpx.AsyncClient) -> None:
    assert (await anonymous.get(LANGUAGES, headers={"X-Api-Version": "9999"})).status_code == 401


@pytest.mark.parametrize(
    ("endpoint", "change"), CHANGES, ids=lambda each: each if isinstance(each, str) else each.field
)
def test_every_change_applies_from_its_release_on(endpoint: str, change: Since) -> None:
    with_it, before = release_for((change,), change.release), change.release - 1
    assert change.field not in with_it.newer_fields, endpoint
    assert change.field not in with_it.older_maximums
    if change.field is None:
        with pytest.raises(NotInThisVersion):
            release_for((change,), before)
    elif change.older_maximum is None:
        assert change.field in release_for((change,), before).newer_fields
    else:
        assert release_for((change,), before).older_maximums[change.field] == change.older_maximum


def test_endpoints_declare_part_9_of_the_specification() -> None:
    assert {f"{endpoint} {change.field or ''}".strip(): change.release for endpoint, change in CHANGES} == {
        "POST /sites/{site_ref:int}/hard-delete": 44,
        "GET /users resellerRef": 44,
        "POST /sites/{site_ref:int}/publish": 42,
        "GET /sites/{site_ref:int}/global-values": 45,
        "POST /sites/{site_ref:int}/global-values": 45,
        "PUT /sites/{site_ref:int}/global-values/{name:str}": 45,
        "POST /users/{user_ref:int}/anonymise": 67,
        "DELETE /ssl-certs/{domain:str}": 94,
        "PUT /ssl-certs/{domain:str} intermediates": 104,
        "POST /users metadata": 106,
        "POST /users password": 37,
        "PUT /users/{user_ref:int} password": 37,
    }


def test_a_newer_field_is_ignored_and_an_older_limit_applies() -> None:
    changes = (Since(release=50, field="metadata"), Since(release=37, field="firstName", older_maximum=3))
    sent: dict[str, Any] = {"userRef": 1, "firstName": "Anna", "metadata": "not even a list"}
    old = release_for(changes, 36)
    with pytest.raises(Invalid) as caught:
        parse(Probe, old.visible(sent), maximums=old.older_maximums)
    assert caught.value.errors == {"firstName": {"invalidFirstName": "must hold at most 3 characters"}}
    between = release_for(changes, 49)
    assert parse(Probe, between.visible(sent), maximums=between.older_maximums).metadata == []
    with pytest.raises(Invalid):
        new = release_for(changes, 50)
        parse(Probe, new.visible(sent), maximums=new.older_maximums)


def test_releases_run_from_1_to_the_newest() -> None:
    assert [release_of("1"), release_of(f"7.{NEWEST}"), release_of(None)] == [1, NEWEST, NEWEST]
    with pytest.raises(UnknownVersion):
        release_of(str(NEWEST + 1))
