"""Every request is logged and counted, without secrets."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest

from sitewright.edge.app import SiteListener
from sitewright.kit import clock
from sitewright.kit.metrics import JobCounts
from sitewright.kit.resources import Resources
from tests.edge.shops import HOST, Shop, Visitor


def lines(listener: SiteListener, capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    listener.access_log.flush()
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    return [line for line in logged if line["logger"] == "sitewright.visits"]


async def test_one_line_for_each_request(
    listener: SiteListener, visitor: Visitor, shop: Shop, capfd: pytest.CaptureFixture[str]
) -> None:
    for path, host in (("/about", HOST), ("/about", HOST), ("/?hash=1-secret", HOST), ("/", "nobody.example")):
        await visitor.get(path, host=host, headers={"X-Request-Id": "mine"})
    logged = lines(listener, capfd)
    assert [(each["route"], each["status"], each["site"], each["host"]) for each in logged] == [
        ("page", 200, shop.ref, HOST),
        ("page", 200, shop.ref, HOST),
        ("login", 303, shop.ref, HOST),
        ("holding", 404, None, "nobody.example"),
    ]
    assert {(each["request"], each["method"], each["message"]) for each in logged} == {("mine", "GET", "visit")}
    assert [each["brand"] for each in logged] == [1, 1, 1, None]
    ages = [clock.real_now() - datetime.fromisoformat(each["time"]) for each in logged]
    assert all(timedelta() <= age < timedelta(minutes=1) for age in ages)
    assert "secret" not in json.dumps(logged)


async def test_malformed_requests_are_logged_as_valid_json(
    listener: SiteListener, visitor: Visitor, shop: Shop, capfd: pytest.CaptureFixture[str]
) -> None:
    for host, target in ((b'"}\x00', "/"), ("ö\u2028".encode(), '/"\\'), (HOST.encode(), "/%0a%22")):
        await visitor.send(target, host, more=b'X-Request-Id: "}{\r\n')
    assert {each["route"] for each in lines(listener, capfd)} <= {"holding", "not-found"}


async def test_every_request_of_many_is_logged(
    listener: SiteListener, visitor: Visitor, shop: Shop, capfd: pytest.CaptureFixture[str]
) -> None:
    for _ in range(200):
        await visitor.get("/")
    logged = lines(listener, capfd)
    assert (len(logged), len({each["request"] for each in logged})) == (200, 200)


async def test_requests_are_counted(
    listener: SiteListener, visitor: Visitor, shop: Shop, resources: Resources, capfd: pytest.CaptureFixture[str]
) -> None:
    def count() -> float:
        text = resources.metrics.exposition(JobCounts(0, 0, 0)).decode()
        found = [line for line in text.splitlines() if line.startswith('sitewright_visits_total{route="offline"')]
        return float(found[0].split()[-1]) if found else 0.0

    await shop.set(live=False)
    before = count()
    for _ in range(3):
        await visitor.get("/")
    lines(listener, capfd)
    assert count() == before + 3
