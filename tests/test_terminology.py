"""Files in the covered folders use standard engineering terms instead of the project's former vocabulary."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COVERED = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "Makefile",
    "sitewright.default.toml",
    "src/sitewright/accounts",
    "src/sitewright/app.py",
    "src/sitewright/events",
    "src/sitewright/kit",
    "src/sitewright/processes.py",
    "src/sitewright/settings.py",
    "src/sitewright/domains",
    "src/sitewright/webhooks",
    "docs",
    "benchmarks",
    "tests/support",
    "tests/accounts",
    "tests/chaos",
    "tests/compatibility",
    "tests/contract",
    "tests/domains",
    "tests/events",
    "tests/fuzz",
    "tests/guides",
    "tests/http",
    "tests/isolation",
    "tests/jobs",
    "tests/kit",
    "tests/lifecycle",
    "tests/mail",
    "tests/processes",
    "tests/secrets",
    "tests/webhooks",
)
"""Files and folders that are free of the former vocabulary. Add a folder once it is rewritten."""
NOT_YET = {"docs/architecture.md"}
"""Files in a covered folder that are still to be rewritten."""
EXEMPT = {"tests/kit/test_triggers.py", "tests/support/sample_art.py", "tests/support/sample_sites.py"}
"""Names of database functions, and texts of sample sites, in everyday language."""
FROZEN = "before_squash"
"""The folder of migrations that were applied before they were squashed; their text never changes."""
SUFFIXES = {"", ".md", ".py", ".sql", ".toml", ".yaml", ".html"}
REPLACEMENTS = {
    r"whoever": "a noun: the client, the caller, the worker",
    r"(stand|stands|stood|standing) (back|aside)": "background priority, niceness",
    r"in doubt": "stale; invalidate, revalidate",
    r"(make|makes|made|making) room": "evict, close or delete the oldest",
    r"workshop": "render pool",
    r"courier": "dispatcher",
    r"notebook": "attempt log",
    r"mend(s|ed|ing)?": "fix",
    r"(let|lets|letting) go": "disconnect, close, release",
    r"(tell|tells|told|telling) of": "contain, report, notify",
    r"(kept|keep|keeps) apart": "isolate",
    r"(brand|brands') walls?|the walls?": "isolation, row-level security",
    r"strangers?": "untrusted clients, third parties",
    r"answer(s|ed)? (with )?(a )?[1-5]\d\d": "return, respond with; a request gets",
    r"kept answers?": "stored responses",
    r"the clock's work": "due packages, the sweep",
}
"""Former terms, as regular expressions, and what to write instead."""


def covered_files() -> list[Path]:
    found = [ROOT / name for name in COVERED]
    files = [file for path in found for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [
        file
        for file in files
        if file.is_file()
        and file.suffix in SUFFIXES
        and not {"__pycache__", FROZEN} & set(file.parts)
        and str(file.relative_to(ROOT)) not in NOT_YET | EXEMPT
    ]


@pytest.mark.parametrize(("term", "instead"), REPLACEMENTS.items(), ids=REPLACEMENTS)
def test_a_former_term_is_not_used(term: str, instead: str) -> None:
    """Underscores count as spaces, so that names are checked too."""
    pattern = re.compile(rf"(?<![^\W_])(?:{term})(?![^\W_])".replace(" ", r"[\s_]+(?:#\s+)?"), re.IGNORECASE)
    found = []
    for file in covered_files():
        text = file.read_text(encoding="utf-8")
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{file.relative_to(ROOT)}:{line}: {match[0]!r}")
    assert not found, f"write instead: {instead}\n" + "\n".join(found)


def test_every_covered_path_exists() -> None:
    assert [name for name in (*COVERED, *NOT_YET, *EXEMPT) if not (ROOT / name).exists()] == []
