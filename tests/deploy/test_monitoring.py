"""The dashboard and the alerts of `deploy/monitoring` name only what the service exports and the guides describe."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from tests.support.certificates import certificate_for
from tests.support.customers import done, new_user
from tests.support.eventually import eventually
from tests.support.http_clients import http_client
from tests.support.receiver import open_receiver
from tests.support.service import Service, running_service

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "monitoring"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text())
ALERTS: list[dict[str, Any]] = [
    rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]
]
TESTS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts_test.yml").read_text())["tests"]
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
METRIC = re.compile(r"\b(?:up|sitewright_[a-z_]+)\b")
OF_PROMETHEUS = {"up"}
UNITS = {"none", "s", "bytes", "percentunit", "reqps", "cps"}
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in ALERTS)
    yield from (target["expr"] for panel in PANELS for target in panel["targets"])


async def test_every_metric_is_one_that_the_service_exports(tmp_path: Path) -> None:
    wanted = {name for expression in expressions() for name in METRIC.findall(expression)} - OF_PROMETHEUS
    async with open_receiver() as receiver, running_service(tmp_path / "data") as service, service.client() as client:
        await _use_everything(service, client, receiver.url)

        async def missing() -> set[str]:
            text = (await client.get(f"{service.api_url}/metrics")).text
            return wanted - {re.split("[{ ]", line)[0] for line in text.splitlines() if not line.startswith("#")}

        async def has_all() -> bool:
            return not await missing()

        try:
            await eventually(has_all)
        except TimeoutError:
            assert await missing() == set()


async def _use_everything(service: Service, client: httpx.AsyncClient, receiver_url: str) -> None:
    """A mail, a delivery, a visit, a handshake and a certificate: some metrics begin with the first of their kind."""
    brand = service.demo["brands"][0]
    host, site = f"demo.{brand['domain']}", f"/sites/{brand['demoUser']['siteRef']}"
    await done(client.post("/webhooks/subscription", json={"event": "site.publish", "url": receiver_url, "active": 1}))
    await done(client.post("/users", json=new_user()))
    await done(
        client.post(f"{site}/pages", json={"pageUrl": "home", "type": "page", "title": "Hi", "status": "active"})
    )
    await done(client.post(f"{site}/publish"))
    issued = certificate_for(host)
    assert (await client.put(f"/ssl-certs/{host}", json={"key": issued.key, "cert": issued.chain})).is_success
    async with http_client() as visitor:
        assert (await visitor.get(service.site_url, headers={"Host": host})).status_code == 200
    async with http_client(verify=False) as visitor:  # the default certificate is self-signed
        await visitor.get(service.site_tls_url)


def test_the_dashboard_is_complete() -> None:
    ids = Counter(panel["id"] for panel in DASHBOARD["panels"])
    assert max(ids.values()) == 1
    assert {variable["name"]: variable["type"] for variable in DASHBOARD["templating"]["list"]}[
        "datasource"
    ] == "datasource"
    for panel in PANELS:
        assert panel["fieldConfig"]["defaults"]["unit"] in UNITS, panel["title"]
        for queried in (panel, *panel["targets"]):
            assert queried["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, panel["title"]
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])


def test_panels_do_not_overlap() -> None:
    places: set[tuple[int, int]] = set()
    for panel in DASHBOARD["panels"]:
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert not places & cells, panel["title"]
        assert at["x"] + at["w"] <= 24
        places |= cells


@pytest.mark.parametrize("alert", ALERTS, ids=lambda rule: rule["alert"])
def test_an_alert_says_what_to_do(alert: dict[str, Any]) -> None:
    assert alert["labels"]["severity"] in {"page", "ticket"}
    assert set(alert["annotations"]) == {"summary", "description", "runbook"}
    file, _, anchor = alert["annotations"]["runbook"].partition("#")
    headings = HEADING.findall((ROOT / file).read_text())
    assert anchor in {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_alerts_are_tested_both_ways() -> None:
    """By `alerts_test.yml`: they fire when they should, and not otherwise."""
    cases = [case for test in TESTS for case in test["alert_rule_test"]]
    firing = {case["alertname"] for case in cases if case["exp_alerts"]}
    silent = {case["alertname"] for case in cases if not case["exp_alerts"]}
    assert len(firing & silent) >= 8
    assert firing | silent <= {rule["alert"] for rule in ALERTS}


@pytest.mark.system
@pytest.mark.parametrize("command", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")])
async def test_prometheus_accepts_the_rules(command: tuple[str, ...]) -> None:
    tool = await asyncio.create_subprocess_exec(
        "promtool", *command, cwd=FOLDER, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    output, _ = await tool.communicate()
    assert tool.returncode == 0, output.decode()
