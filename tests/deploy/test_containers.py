"""The compose file follows the schema of compose, and every part in it runs without privileges."""

import subprocess
import sys
from typing import Any

import yaml

from tests.support.third_party import ROOT

FILE = ROOT / "deploy/container/compose.yaml"
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(FILE.read_text())["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "sitewright"}


def test_the_compose_file_follows_its_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_it_has_every_part() -> None:
    assert set(OURS) == {"migrate", "api", "edge", "worker"}
    assert set(SERVICES) - set(OURS) == {"database", "mail"}


def test_every_part_is_without_privileges_and_has_one_volume() -> None:
    for name, service in OURS.items():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["volumes"] == [f"{name}:/var/lib/sitewright"]


def test_ports_are_published_on_this_machine_only() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)
