"""The files for GitHub follow its schemas, and the workflow runs what `.ci/run` runs."""

import subprocess
import sys

import pytest
import yaml

from tests.support.third_party import ROOT

GITHUB = ROOT / ".github"


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", sorted(GITHUB.glob("workflows/*.yml"))),
        ("vendor.dependabot", [GITHUB / "dependabot.yml"]),
    ],
    ids=["workflows", "dependabot"],
)
def test_files_follow_their_schema(schema: str, files: list[object]) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, files)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_workflow_runs_what_ci_runs() -> None:
    jobs = yaml.safe_load((GITHUB / "workflows" / "ci.yml").read_text())["jobs"]
    commands = {step.get("run") for job in jobs.values() for step in job["steps"]}
    in_ci = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("make ")]
    assert in_ci
    assert set(in_ci) <= commands


def test_hooks_are_configured_correctly() -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-config", str(ROOT / ".pre-commit-config.yaml")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
