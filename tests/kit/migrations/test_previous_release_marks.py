"""What exists only for the previous release is marked `previous release`, so that the next release can drop it."""

import re
from pathlib import Path

SOURCE = Path(__file__).parents[3] / "src/sitewright"
FUNCTION = re.compile(r"create or replace function (\w+)\(")


def _functions(text: str) -> dict[str, str]:
    """The comment directly above each function of a file."""
    comments: dict[str, str] = {}
    comment = ""
    for line in text.splitlines():
        found = FUNCTION.match(line)
        if found:
            comments[found[1]] = comment
        comment = comment + line if line.startswith("--") else ""
    return comments


def test_a_function_that_nothing_of_this_release_calls_is_marked() -> None:
    sql = [file.read_text() for file in (SOURCE / "migrations").rglob("*.sql")]
    comments = {name: comment for text in sql for name, comment in _functions(text).items()}
    assert len(comments) > 60, "the pattern finds the functions"
    code = [file.read_text() for file in SOURCE.rglob("*.py")]
    bodies = [re.sub(r"--.*", "", FUNCTION.sub("(", text)) for text in sql]
    called = set(re.findall(r"(\w+)\(", "\n".join(code + bodies)))
    uncalled = set(comments) - called
    assert uncalled, "the previous release needs some"
    assert {name for name in uncalled if "previous release" not in comments[name]} == set()


def test_a_sequence_that_no_statement_of_this_release_reads_is_marked() -> None:
    code = "\n".join(file.read_text() for file in SOURCE.rglob("store.py"))
    baselines = [file.read_text() for file in (SOURCE / "migrations").rglob("baseline.sql")]
    granted = [line for text in baselines for line in text.splitlines() if line.startswith("grant usage on sequence")]
    assert granted
    for line in granted:
        sequence = line.split()[4]
        if f"nextval('{sequence}')" not in code:
            assert line.endswith("-- previous release"), sequence
