"""`sitewright billing report`, in processes of its own and in this one."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from sitewright.cli import billing
from tests.accounts.billing.conftest import Books
from tests.support.cast import OWN_BRAND
from tests.support.packages import FREE, PRO
from tests.support.service import run_command
from tests.support.users import OwnerConnection

MARCH = ("--from", "2026-03-01", "--to", "2026-03-31")


async def test_the_report_as_tables_and_as_csv(tmp_path: Path, database_url: str, books: Books) -> None:
    await books.event("registration", "2026-03-01", FREE)
    held = await books.holds(await books.user(), PRO, "2026-03-10", None, price=20, currency_ref=1)
    await books.charge("20.00", "2026-03-10", "2026-04-10", account_package_ref=held)
    command = ("billing", "report", "--brand", "1", *MARCH)
    code, shown = await run_command(tmp_path, *command, database_url=database_url)
    assert code == 0
    assert "2026-03-01 to 2026-03-31 (UTC)" in shown
    for title in ("Lifecycle events", "Charges", "Subscribers at 2026-04-01 00:00", "Monthly recurring revenue at"):
        assert title in shown
    code, written = await run_command(tmp_path, *command, "--csv", database_url=database_url)
    assert (code, written) == (
        0,
        "section,package,currency,kind,count,amount\n"
        "events,Free (1),,registration,1,\n"
        "events,Pro (3),,renewal,1,\n"
        "charges,Pro (3),USD,,1,20.00\n"
        "subscribers,Pro (3),,paid,1,\n"
        "subscribers,Pro (3),,trial,0,\n"
        "subscribers,Pro (3),,free,0,\n"
        "monthlyRecurringRevenue,Pro (3),USD,,1,20.00\n",
    )


async def test_an_invalid_request_has_a_readable_error(tmp_path: Path, database_url: str, clean: None) -> None:
    async def report(*arguments: str) -> tuple[int, str]:
        return await run_command(tmp_path, "billing", "report", *arguments, database_url=database_url)

    assert await report("--brand", "999") == (1, "sitewright: There is no brand with this ref.\n")
    code, output = await report("--brand", "1", "--from", "2026-03-02", "--to", "2026-03-01")
    assert (code, "is after the last day" in output) == (1, True)
    code, output = await report("--brand", "1", "--from", "01.03.2026")
    assert (code, "01.03.2026" in output) == (2, True)


async def test_names_that_look_like_formulas_are_made_safe(
    tmp_path: Path, database_url: str, books: Books, owner_connection: OwnerConnection
) -> None:
    await owner_connection.execute("update packages set name = '=1+1, \"x\" [red]' where ref = $1", PRO)
    await books.event("subscription", "2026-03-01", PRO)
    command = ("billing", "report", "--brand", "1", *MARCH)
    _, written = await run_command(tmp_path, *command, "--csv", database_url=database_url)
    assert written.splitlines()[1] == 'events,"\'=1+1, ""x"" [red] (3)",,subscription,1,'
    _, shown = await run_command(tmp_path, *command, database_url=database_url)
    assert '=1+1, "x" [red] (3)' in shown


async def test_a_hundred_thousand_events_are_counted(books: Books, owner_connection: OwnerConnection) -> None:
    user_ref = await books.user()
    await owner_connection.execute(
        "insert into lifecycle_events (brand_ref, user_ref, kind, package_ref, at)"
        " select $1, $2, 'renewal', 3, timestamptz '2023-01-01 00:00Z' + n * interval '15 minutes'"
        " from generate_series(1, 100000) n",
        OWN_BRAND,
        user_ref,
    )
    made = await books.report("2000-01-01", "2026-12-31")
    assert [each.count for each in made.events] == [100_000]


def test_a_bar_is_shown_on_a_terminal_when_there_is_more_than_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = {steps: _drawn(monkeypatch, steps, is_terminal=True) for steps in (0, 1, 2)}
    assert ("month by month" in shown[2], shown[1], shown[0]) == (True, "", "")
    assert _drawn(monkeypatch, 2, is_terminal=False) == ""


def _drawn(monkeypatch: pytest.MonkeyPatch, steps: int, *, is_terminal: bool) -> str:
    screen = io.StringIO()
    monkeypatch.setattr(billing, "err", Console(file=screen, force_terminal=is_terminal, width=80))
    with billing._progress() as on_step:
        for done in range(steps + 1):
            on_step(done, steps)
    return screen.getvalue()
