"""Architecture rules: SQL in stores, time from the clock, features used through services."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "sitewright"
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = {
    path.name
    for path in SOURCE.iterdir()
    if path.is_dir() and path.name not in {"cli", "kit", "migrations", "__pycache__"}
}
"""The top-level packages of features."""
FEATURES = {
    feature.relative_to(SOURCE).as_posix()
    for package in PACKAGES
    for feature in (SOURCE / package).iterdir()
    if (feature / "__init__.py").exists()
} | {"demo", "edge", "events", "webhooks"}
"""Folders of the packages, and the packages that are one feature each."""
SQL = re.compile(r"\s*(select|insert into|update|delete from|create (table|role)|alter|grant)\s", re.IGNORECASE)
MAY_HOLD_SQL = {
    "store.py",
    "kit/migrations/roles.py",
    "kit/jobs/queue.py",
    "kit/connection_budget.py",
    "kit/login_role.py",
    "kit/service_login.py",
    "cli/checkup.py",
    "kit/embedded/cluster.py",
}
KIT = [module for module in MODULES if module.is_relative_to(SOURCE / "kit")]
KIT_TABLES = {
    "audit_entries",
    "authentication_failures",
    "idempotent_answers",
    "job_starts",
    "mail_templates",
    "mails",
    "oauth_nonces",
    "one_time_tokens",
    "schema_migrations",
    "session_list",
    "sessions",
    "trusted_addresses",
}
"""Tables and views that the kit owns; all others belong to features."""
CREATED = re.compile(
    r"create (?:or replace )?(?:unlogged )?(?:table|view) (?:if not exists )?(?:public\.)?(\w+)", re.IGNORECASE
)
NAMED_IN_SQL = re.compile(r"\b(?:from|join|into|update|using|table)\s+(?:only\s+)?(\w+)", re.IGNORECASE)
MAY_READ_CLOCKS = {"kit/clock.py"}
OPEN_TO_OTHER_FEATURES = {"service", "errors", "schemas", "mails", "tokens", "hooks"}


def name(module: Path) -> str:
    return module.relative_to(SOURCE).as_posix()


def feature_of(dotted: str) -> str | None:
    """The feature that contains a module, which is named from the package's root on."""
    package, *inner = dotted.split(".")
    found = [place for place in (package, "/".join([package, *inner[:1]])) if place in FEATURES]
    return found[0] if found else None


def dotted(module: Path) -> str:
    return ".".join(module.relative_to(SOURCE).with_suffix("").parts)


def strings(module: Path) -> Iterator[str]:
    tree = ast.parse(module.read_text())
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def declared_codes(module: Path) -> Iterator[str]:
    for declared in ast.walk(ast.parse(module.read_text())):
        for node in declared.body if isinstance(declared, ast.ClassDef) else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name("code")], value=ast.Constant(str(code)))
                    | ast.AnnAssign(target=ast.Name("code"), value=ast.Constant(str(code)))
                ):
                    yield code


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_sql_is_only_in_stores_and_migrations(module: Path) -> None:
    if module.name in MAY_HOLD_SQL or name(module) in MAY_HOLD_SQL:
        return
    assert [text for text in strings(module) if SQL.match(text)] == []


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_time_comes_from_the_clock(module: Path) -> None:
    if name(module) in MAY_READ_CLOCKS:
        return
    found = re.findall(r"datetime\.(?:now|utcnow|today)\(|time\.(?:time|monotonic|perf_counter)\(", module.read_text())
    assert found == []


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_nothing_waits_in_a_way_that_swallows_cancellations(module: Path) -> None:
    assert "asyncio.wait_for(" not in module.read_text(), "see kit.waiting, or use asyncio.timeout"


@pytest.mark.parametrize("module", [each for each in MODULES if feature_of(dotted(each))], ids=name)
def test_a_feature_uses_another_through_its_service(module: Path) -> None:
    own = feature_of(dotted(module))
    for imported, thing in re.findall(r"from sitewright\.([\w.]+) import (\w+)", module.read_text()):
        feature = feature_of(f"{imported}.{thing}")
        if feature is not None and feature != own:
            inside = f"{imported}.{thing}".removeprefix(feature.replace("/", ".") + ".").split(".")
            is_open = inside[0] in OPEN_TO_OTHER_FEATURES or inside[1:2] == ["service"]  # of a sub-feature
            assert is_open, f"{name(module)} reaches into {feature}"


@pytest.mark.parametrize("word", ["utils", "helpers", "manager"])
def test_no_module_has_a_catch_all_name(word: str) -> None:
    assert [name(module) for module in MODULES if word in module.stem] == []


def test_no_two_problems_have_the_same_code() -> None:
    codes = Counter(code for module in MODULES for code in declared_codes(module))
    assert codes["userNotFound"] == 1, "codes are no longer found"
    assert [code for code, count in codes.items() if count > 1] == []


@pytest.mark.parametrize("module", KIT, ids=name)
def test_the_kit_names_no_feature(module: Path) -> None:
    text = module.read_text()
    assert re.findall(rf"\bsitewright\.(?:{'|'.join(sorted(PACKAGES))})\b", text) == []
    assert [feature for feature in FEATURES if "/" in feature and f"{feature}/" in text] == []


@pytest.mark.parametrize("module", KIT, ids=name)
def test_the_kit_reads_and_writes_no_table_of_a_feature(module: Path) -> None:
    """Features declare what the kit needs of them, and `app.py` hands it over."""
    named = {table.lower() for text in strings(module) for table in NAMED_IN_SQL.findall(text)}
    assert named & _tables_of_features() == set()


@cache
def _tables_of_features() -> set[str]:
    created = {table for file in (SOURCE / "migrations").rglob("*.sql") for table in CREATED.findall(file.read_text())}
    assert {"users", "brands", "mails"} <= created, "tables are no longer found"
    return created - KIT_TABLES
