"""The manifests of `deploy/kubernetes`: valid for Kubernetes, true to the settings, and built by kubectl."""

import asyncio
import base64
import contextlib
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import kubernetes_validate
import msgspec
import pytest
import yaml

from sitewright import __version__
from sitewright.kit.key_file import new_key
from sitewright.processes import PARTS
from sitewright.settings import SECRETS, Settings
from tests.support.commands import run
from tests.support.eventually import eventually
from tests.support.forked import fork_command
from tests.support.http_clients import http_client
from tests.support.service import environment, free_port
from tests.support.timeouts import HANG_SECONDS

FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
OVERLAYS = ("cloudnative-pg", "external-database")
VERSION = "1.37"
OTHERS = {"Kustomization", "Cluster"}
"""Kinds of kustomize and of CloudNativePG, whose schemas are not Kubernetes' own."""
NAMES = {f"SITEWRIGHT_{field.name.upper()}" for field in msgspec.structs.fields(Settings)}
OF_SYSTEMD = {"WATCHDOG_USEC"}
Manifest = dict[str, Any]


def manifests() -> Iterator[Manifest]:
    for file in sorted(FOLDER.rglob("*.yaml")):
        yield from yaml.safe_load_all(file.read_text())


def of_kind(kind: str) -> list[Manifest]:
    return [each for each in manifests() if each["kind"] == kind]


def literals(folder: Path) -> dict[str, str]:
    [generator] = yaml.safe_load((folder / "kustomization.yaml").read_text())["configMapGenerator"]
    return dict(each.split("=", 1) for each in generator["literals"])


def containers() -> dict[str, Manifest]:
    workloads = [*of_kind("Deployment"), *of_kind("Job")]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0] for each in workloads}


def test_every_manifest_is_valid() -> None:
    checked = [each for each in manifests() if each["kind"] not in OTHERS]
    assert len(checked) > 15
    for each in checked:
        kubernetes_validate.validate(each, VERSION, strict=True)


def test_an_invalid_manifest_is_found() -> None:
    [job] = of_kind("Job")
    job["spec"]["backofLimit"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(job, VERSION, strict=True)


def test_every_part_is_deployed_with_a_budget_and_an_autoscaler() -> None:
    names = {f"sitewright-{part}" for part in PARTS}
    for kind in ("Deployment", "PodDisruptionBudget", "HorizontalPodAutoscaler"):
        assert {each["metadata"]["name"] for each in of_kind(kind)} == names, kind
    targets = {each["spec"]["scaleTargetRef"]["name"] for each in of_kind("HorizontalPodAutoscaler")}
    assert targets == names
    for each in of_kind("Deployment"):
        labels = each["spec"]["template"]["metadata"]["labels"]
        assert each["spec"]["selector"]["matchLabels"] == labels
        assert "replicas" not in each["spec"]


def test_pods_run_without_rights() -> None:
    for each in [*of_kind("Deployment"), *of_kind("Job")]:
        pod = each["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
    for container in containers().values():
        limits = container["securityContext"]
        assert (limits["readOnlyRootFilesystem"], limits["allowPrivilegeEscalation"]) == (True, False)
        assert limits["capabilities"] == {"drop": ["ALL"]}


def test_variables_are_settings_and_secrets_are_secrets() -> None:
    given = [literals(FOLDER / "base"), *(literals(FOLDER / "overlays" / overlay) for overlay in OVERLAYS)]
    for each in given:
        assert set(each) <= NAMES | OF_SYSTEMD
        assert not {name.removeprefix("SITEWRIGHT_").lower() for name in each} & SECRETS
    for name, container in containers().items():
        variables = {each["name"].removeprefix("SITEWRIGHT_").lower(): each for each in container["env"]}
        assert set(variables) == {"database_url", "master_key"} <= SECRETS, name
        assert all("secretKeyRef" in each["valueFrom"] for each in variables.values())


def test_ports_are_those_of_the_settings_and_services_lead_to_them() -> None:
    settings = literals(FOLDER / "base")
    ports = {
        (part, each["name"]): each["containerPort"]
        for part in PARTS
        for each in containers()[f"sitewright-{part}"].get("ports", [])
    }
    expected = {("api", "http"): "API_PORT", ("edge", "http"): "SITE_PORT", ("edge", "https"): "SITE_TLS_PORT"}
    assert ports == {key: int(settings[f"SITEWRIGHT_{name}"]) for key, name in expected.items()}
    for service in of_kind("Service"):
        part = service["spec"]["selector"]["app.kubernetes.io/component"]
        assert all((part, each["targetPort"]) in ports for each in service["spec"]["ports"])


def test_the_grace_period_is_longer_than_draining() -> None:
    for each in of_kind("Deployment"):
        assert each["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > Settings().drain_seconds + 10


def test_the_images_have_the_software_version() -> None:
    for overlay in OVERLAYS:
        [image] = yaml.safe_load((FOLDER / "overlays" / overlay / "kustomization.yaml").read_text())["images"]
        assert image["newTag"] == __version__


@pytest.mark.parametrize("part", ["api", "edge"])
async def test_a_part_with_the_variables_of_its_pod_answers_its_probes(tmp_path: Path, part: str) -> None:
    """Liveness without a usable database, too: a restart would not help."""
    ports = {"api_port": free_port(), "site_port": free_port(), "site_tls_port": free_port()}
    secrets = {
        "master_key": base64.b64encode(new_key()).decode(),
        "database_url": f"postgresql://nobody@127.0.0.1:{free_port()}/nothing",
    }
    own = ports | secrets | {"host": "127.0.0.1", "data_dir": tmp_path / "data"}
    given = literals(FOLDER / "base") | {f"SITEWRIGHT_{name.upper()}": str(value) for name, value in own.items()}
    port = ports["api_port" if part == "api" else "site_port"]
    container = containers()[f"sitewright-{part}"]
    async with _running(container["args"], environment(tmp_path) | given):

        async def status(probe: str) -> int | None:
            wanted = container[probe]["httpGet"]
            headers = {each["name"]: each["value"] for each in wanted.get("httpHeaders", [])}
            with contextlib.suppress(httpx.HTTPError):
                async with http_client(f"http://127.0.0.1:{port}") as client:
                    return (await client.get(wanted["path"], headers=headers)).status_code
            return None

        async def is_live() -> bool:
            return await status("livenessProbe") == 200

        await eventually(is_live)
        assert await status("startupProbe") == 200
        assert await status("readinessProbe") == (503 if part == "api" else 200)


@contextlib.asynccontextmanager
async def _running(arguments: list[str], variables: dict[str, str]) -> AsyncIterator[None]:
    process = await fork_command(*arguments, env=variables)
    try:
        yield
    finally:
        process.terminate()
        assert await asyncio.wait_for(process.wait(), HANG_SECONDS) == 0


@pytest.mark.system
@pytest.mark.parametrize("overlay", OVERLAYS)
async def test_kubectl_builds_the_overlays(tmp_path: Path, overlay: str) -> None:
    """Debian's kubectl is of 2021, and reads another folder as `bases` only; kustomize today reads it as a resource."""
    copy = tmp_path / "kubernetes"
    shutil.copytree(FOLDER, copy)
    file = copy / "overlays" / overlay / "kustomization.yaml"
    text = file.read_text()
    assert "  - ../../base\n" in text
    file.write_text(text.replace("  - ../../base\n", "") + "bases:\n  - ../../base\n")
    built = list(yaml.safe_load_all(await run("kubectl", "kustomize", str(file.parent))))
    for each in built:
        if each["kind"] not in OTHERS:
            kubernetes_validate.validate(each, VERSION, strict=True)
        assert each["kind"] == "Namespace" or each["metadata"]["namespace"] == "sitewright"
    [settings] = [each for each in built if each["kind"] == "ConfigMap"]
    assert set(settings["data"]) == set(literals(FOLDER / "base")) | set(literals(file.parent))
    used = {
        reference["configMapRef"]["name"]
        for each in built
        if each["kind"] in {"Deployment", "Job"}
        for reference in each["spec"]["template"]["spec"]["containers"][0]["envFrom"]
    }
    assert used == {settings["metadata"]["name"]}
    kinds = {each["kind"] for each in built}
    assert ("Cluster" in kinds) == (overlay == "cloudnative-pg")
