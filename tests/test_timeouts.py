"""What only keeps a test from hanging is HANG_SECONDS, so that no test fails because the machine is slow."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
EXEMPT = {"support/http_clients.py", "test_timeouts.py"}
GUESSED = {
    r"\bwithin=\d": "eventually() without `within`",
    r"\basyncio\.wait_for\([^\n]*, [1-9]\d*\)": "asyncio.wait_for(..., HANG_SECONDS)",
    r"\basyncio\.timeout\([1-9]": "asyncio.timeout(HANG_SECONDS)",
    r"\bhttpx\.AsyncClient\((?!\s*transport=|\.\.\.)": "http_client() of tests.support.http_clients",
}
"""Timeouts that a slow machine meets, and what to write instead. One below a second is the subject of its test."""


@pytest.mark.parametrize(("guessed", "instead"), GUESSED.items(), ids=GUESSED.values())
def test_no_timeout_is_guessed(guessed: str, instead: str) -> None:
    found = []
    for file in sorted(HERE.rglob("*.py")):
        name, text = file.relative_to(HERE).as_posix(), file.read_text(encoding="utf-8")
        if name not in EXEMPT:
            found += [f"{name}:{text.count(chr(10), 0, match.start()) + 1}" for match in re.finditer(guessed, text)]
    assert not found, f"write {instead}: {found}"
