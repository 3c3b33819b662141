"""What `sitewright migrate --plan` prints."""

import pytest
from rich.console import Console

from sitewright.cli import migration_plan
from sitewright.cli.migration_plan import show_plan
from sitewright.kit.migration_plan import Plan
from sitewright.kit.migration_plan.rehearsal import Step
from sitewright.kit.migration_plan.service import PlannedStep
from sitewright.kit.migration_plan.store import Size
from sitewright.kit.migrations.sources import Run

SIZES = {"users": Size(10**6, 250 * 2**20), "sites": Size(10, 8192)}


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no line is wrapped."""
    monkeypatch.setattr(migration_plan, "out", Console(width=180, highlight=False, soft_wrap=True))


def planned(seconds: float, **changes: object) -> PlannedStep:
    nothing: dict[str, object] = {"locks": {}, "rewritten": [], "indexes": {}, "read": []}
    return PlannedStep(Step(path="a/0002_b.sql", run=Run.IN_A_TRANSACTION, **nothing | changes), seconds)  # type: ignore[arg-type]


def test_blocked_tables_are_named_with_their_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    locks = {"sites": "ShareLock", "users": "AccessExclusiveLock"}
    show_plan(Plan([planned(130, locks=locks), planned(0), planned(0)], SIZES))
    output = " ".join(capsys.readouterr().out.split())
    for part in (
        "users (250 MiB)",
        "blocks writes of sites (8 KiB)",
        "2 min at most",
        "2 more steps",
        "at a quiet time",
    ):
        assert part in output


def test_an_index_that_blocks_nothing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    show_plan(Plan([planned(10, indexes={"users_by_age": "users"})], SIZES))
    output = " ".join(capsys.readouterr().out.split())
    assert "blocks nothing" in output and "users_by_age" in output
    assert "wait: less than 1 s" in output and "quiet time" not in output


@pytest.mark.parametrize(("is_new", "text"), [(True, "has no tables yet"), (False, "is up to date")])
def test_without_steps_it_says_why(capsys: pytest.CaptureFixture[str], text: str, *, is_new: bool) -> None:
    show_plan(Plan([], {}, is_new=is_new))
    assert text in capsys.readouterr().out
