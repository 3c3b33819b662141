"""All files use standard engineering terms instead of the project's former vocabulary."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COVERED = (
    ".ci",
    ".github",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "clients",
    "docs",
    "integrations",
    "pyproject.toml",
    "requirements",
    "sitewright.default.toml",
    "src",
    "tests",
)
"""Files and folders that are free of the former vocabulary: all that people write."""
EXEMPT = {
    "src/sitewright/migrations/upgrade/from_0032.sql",
    "tests/support/sample_art.py",
    "tests/support/sample_sites.py",
    "tests/test_terminology.py",
}
"""Files that name what they rename, and texts of sample sites in everyday language."""
EXCEPTIONS = {("src/sitewright/migrations/webhooks/functions.sql", "lanes")}
"""A parameter of a function of the previous release."""
FROZEN = "before_squash"
"""The folder of migrations that were applied before they were squashed; their text never changes."""
SUFFIXES = {"", ".css", ".html", ".in", ".md", ".mjs", ".php", ".py", ".sh", ".sql", ".toml", ".txt", ".yaml", ".yml"}
REPLACEMENTS = {
    r"whoever": "a noun: the client, the caller, the worker",
    r"(stand|stands|stood|standing) (back|aside)": "background priority, niceness",
    r"(set|sets|setting|put|puts|step|steps) (aside|someone off|them off)": "dead letter, retry delay",
    r"in doubt": "stale; invalidate, revalidate",
    r"(make|makes|made|making) room": "evict, close or delete the oldest",
    r"(asked|used) for longest": "least recently used",
    r"workshop": "render pool",
    r"courier": "dispatcher",
    r"notebook": "attempt log",
    r"presence": "worker lease",
    r"lanes": "queues per destination",
    r"judg(e|es|ed|ing|ement)": "classify, verify",
    r"diall?(ed|er|ing)": "connect, connector",
    r"evil material|render material|materials": "render input",
    r"mend(s|ed|ing)?": "fix",
    r"(let|lets|letting) go": "disconnect, close, release",
    r"(tell|tells|told|telling) (of|caller|clients?|workers?)": "contain, report, notify",
    r"(is|are|were|be|as) told(?! that)": "notified, expected, serialized",
    r"told(?= = )": "a noun: expected, events, lines",
    r"give (a )?packages?|giving (a )?packages?": "assign a package",
    r"(packages?|products?) beside|beside (a|the) (package|subscription)": "add-on",
    r"forget(s|ting)?(?! site in events| unbound certificate|-holder|')": "erase, delete",
    r"(kept|keep|keeps) apart": "isolate",
    r"(brand|brands') walls?|the walls?": "isolation, row-level security",
    r"strangers?": "untrusted clients, third parties",
    r"(is|are|was|were|be|being|gets?) answered": "return, respond with; a request gets",
    r"answer(s|ed)? (with )?(a )?[1-5]\d\d|answered(?= \{)": "return, respond with; a request gets",
    r"(answer|answers)(?= :?= (?!null|excluded))|the answers?": "response",
    r"kept answers?": "stored responses",
    r"the clock's work|the clock has work": "due packages, the sweep",
    r"(class|raise) (Nobody|NotNow|Refused)": "Anonymous, Unavailable, a named error",
    r"anonymise (user|holder)\(tx": "anonymize, except where the specification's wire terms are meant",
    r"behaviours?|serialis\w+|normalis\w+|initialis\w+|optimis(e|es|ed|ing|ation)|recognis\w+": "American spelling",
}
"""Former terms, as regular expressions, and what to write instead."""
FORMER_MODULES = {
    "answers", "apart", "beside", "consequences", "courier", "dialling", "following", "forgetting", "giving", "judging",
    "lanes", "material", "notebook", "presence", "standing", "telling", "workshop",
}  # fmt: skip


@cache
def covered_files() -> dict[Path, str]:
    """All files with their text in lower case, read once for all terms."""
    found = [ROOT / name for name in COVERED]
    files = [file for path in found for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return {
        file: file.read_text(encoding="utf-8").lower()
        for file in files
        if file.is_file()
        and file.suffix in SUFFIXES
        and not {"__pycache__", "node_modules", FROZEN} & set(file.parts)
        and str(file.relative_to(ROOT)) not in EXEMPT
    }


def in_lower_case(expression: str) -> str:
    """The regular expression for a text in lower case: searching it is ten times as fast as ignoring the case."""
    return re.sub(r"\\.|[A-Z]", lambda found: found[0] if found[0].startswith("\\") else found[0].lower(), expression)


@pytest.mark.parametrize(("term", "instead"), REPLACEMENTS.items(), ids=REPLACEMENTS)
def test_a_former_term_is_not_used(term: str, instead: str) -> None:
    """Underscores count as spaces, so that names are checked too; a comment may break the line within a term."""
    spaced = in_lower_case(term).replace(" ", r"[\s_]+(?:(?:#|--)\s+)?")
    pattern = re.compile(rf"(?:{spaced})(?![^\W_])")
    found = []
    for file, text in covered_files().items():
        for match in pattern.finditer(text):
            before = text[match.start() - 1 : match.start()]
            line = text.count("\n", 0, match.start()) + 1
            if not before.isalnum() and (str(file.relative_to(ROOT)), match[0]) not in EXCEPTIONS:
                found.append(f"{file.relative_to(ROOT)}:{line}: {match[0]!r}")
    assert not found, f"write instead: {instead}\n" + "\n".join(found)


def test_a_former_term_is_found_in_names_and_across_lines() -> None:
    spaced = in_lower_case(r"kept answers?|(class|raise) Nobody|\Wtold").replace(" ", r"[\s_]+")
    assert re.findall(spaced, "the kept_answers, raise\n  nobody, untold (told") and in_lower_case(r"\W") == r"\W"


def test_no_module_has_a_former_name() -> None:
    assert [str(file) for file in covered_files() if file.stem.removeprefix("test_") in FORMER_MODULES] == []


def test_every_covered_path_exists() -> None:
    assert [name for name in (*COVERED, *EXEMPT) if not (ROOT / name).exists()] == []
