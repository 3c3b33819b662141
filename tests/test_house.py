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
BEGINS_LIKE_SQL = re.compile(
    r"""["'}](?:\s|\\.)*(?:select|insert|update|delete|create|alter|grant)\b""", re.IGNORECASE | re.DOTALL
)
"""A module in whose text no string, and no part of one after a `{}`, begins so need not be parsed."""
SQL = re.compile(r"\s*(select|insert into|update|delete from|create (table|role)|alter|grant)\s", re.IGNORECASE)
MAY_HOLD_SQL = {
    "store.py",
    "kit/migrations/roles.py",
    "kit/jobs/queue.py",
    "kit/advisory_locks.py",
    "kit/keyset.py",
    "kit/row_changes.py",
    "kit/connection_budget.py",
    "kit/login_role.py",
    "kit/service_login.py",
    "cli/checkup.py",
    "kit/embedded/cluster.py",
}
ASSIGNED_CODE = re.compile(r"^\s+code\b", re.MULTILINE)
HOST_LITERAL = re.compile(r'"([a-z0-9.-]{1,80}\.example)"')
KIT = [module for module in MODULES if module.is_relative_to(SOURCE / "kit")]
KIT_TABLES = {
    "audit_chain",
    "audit_entries",
    "audit_heads",
    "audit_inbox",
    "authentication_failures",
    "idempotent_answers",
    "job_starts",
    "mail_templates",
    "mails",
    "nodes",
    "oauth_nonces",
    "one_time_tokens",
    "schema_migrations",
    "session_list",
    "sessions",
    "signing_keys",
    "trusted_addresses",
}
"""Tables and views that the kit owns; all others belong to features."""
CREATED = re.compile(
    r"create (?:or replace )?(?:unlogged )?(?:table|view) (?:if not exists )?(?:public\.)?(\w+)", re.IGNORECASE
)
NAMED_IN_SQL = re.compile(r"\b(?:from|join|into|update|using|table)\s+(?:only\s+)?(\w+)", re.IGNORECASE)
MAY_READ_CLOCKS = {"kit/clock.py"}
OPEN_TO_OTHER_FEATURES = {"service", "errors", "schemas", "mails", "tokens", "hooks", "kinds", "names"}


def name(module: Path) -> str:
    return module.relative_to(SOURCE).as_posix()


def feature_of(dotted: str) -> str | None:
    """The feature that contains a module, which is named from the package's root on."""
    package, *inner = dotted.split(".")
    found = [place for place in (package, "/".join([package, *inner[:1]])) if place in FEATURES]
    return found[0] if found else None


def dotted(module: Path) -> str:
    return ".".join(module.relative_to(SOURCE).with_suffix("").parts)


@cache
def source(module: Path) -> str:
    return module.read_text()


def strings(module: Path) -> Iterator[str]:
    tree = ast.parse(source(module))
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
    for declared in ast.walk(ast.parse(source(module))):
        for node in declared.body if isinstance(declared, ast.ClassDef) else ():
            match node:
                case (
                    ast.Assign(targets=[ast.Name("code")], value=ast.Constant(str(code)))
                    | ast.AnnAssign(target=ast.Name("code"), value=ast.Constant(str(code)))
                ):
                    yield code


def test_sql_is_only_in_stores_and_migrations() -> None:
    checked = [
        each
        for each in MODULES
        if not {each.name, name(each)} & set(MAY_HOLD_SQL) and BEGINS_LIKE_SQL.search(source(each))
    ]
    assert [(name(module), text) for module in checked for text in strings(module) if SQL.match(text)] == []


def test_time_comes_from_the_clock() -> None:
    reading = re.compile(r"datetime\.(?:now|utcnow|today)\(|time\.(?:time|monotonic|perf_counter)\(")
    checked = [each for each in MODULES if name(each) not in MAY_READ_CLOCKS]
    assert [name(module) for module in checked if reading.search(source(module))] == []


def test_nothing_waits_in_a_way_that_swallows_cancellations() -> None:
    """See kit.waiting, or use asyncio.timeout."""
    assert [name(module) for module in MODULES if "asyncio.wait_for(" in source(module)] == []


def test_a_feature_uses_another_through_its_service() -> None:
    assert [reached for module in MODULES for reached in reached_into(module)] == []


def reached_into(module: Path) -> Iterator[str]:
    """The features that a module of another one uses past their services."""
    own = feature_of(dotted(module))
    if own is None:
        return
    for imported, thing in re.findall(r"from sitewright\.([\w.]+) import (\w+)", source(module)):
        feature = feature_of(f"{imported}.{thing}")
        if feature is not None and feature != own:
            inside = f"{imported}.{thing}".removeprefix(feature.replace("/", ".") + ".").split(".")
            if inside[0] not in OPEN_TO_OTHER_FEATURES and inside[1:2] != ["service"]:  # of a sub-feature
                yield f"{name(module)} reaches into {feature}"


@pytest.mark.parametrize("word", ["utils", "helpers", "manager"])
def test_no_module_has_a_catch_all_name(word: str) -> None:
    assert [name(module) for module in MODULES if word in module.stem] == []


def test_no_two_problems_have_the_same_code() -> None:
    declaring = [module for module in MODULES if ASSIGNED_CODE.search(source(module))]
    codes = Counter(code for module in declaring for code in declared_codes(module))
    assert codes["userNotFound"] == 1, "codes are no longer found"
    assert [code for code, count in codes.items() if count > 1] == []


def test_the_kit_names_no_feature() -> None:
    packages = re.compile(rf"\bsitewright\.(?:{'|'.join(sorted(PACKAGES))})\b")
    folders = [f"{feature}/" for feature in FEATURES if "/" in feature]
    assert [name(each) for each in KIT if packages.search(source(each))] == []
    assert [(name(each), folder) for each in KIT for folder in folders if folder in source(each)] == []


def test_the_kit_reads_and_writes_no_table_of_a_feature() -> None:
    """Features declare what the kit needs of them, and `app.py` and `features.py` hand it over."""
    named = {
        (name(each), table.lower()) for each in KIT for text in strings(each) for table in NAMED_IN_SQL.findall(text)
    }
    assert [(module, table) for module, table in named if table in _tables_of_features()] == []


@cache
def _tables_of_features() -> set[str]:
    created = {table for file in (SOURCE / "migrations").rglob("*.sql") for table in CREATED.findall(file.read_text())}
    assert {"users", "brands", "mails"} <= created, "tables are no longer found"
    return created - KIT_TABLES


def test_no_two_browser_test_files_create_the_same_host() -> None:
    """They share one service wherever they run in one process, which differs from run to run."""
    files = sorted((Path(__file__).parent / "browser").rglob("*.py"))
    hosts = Counter(host for file in files for host in set(HOST_LITERAL.findall(file.read_text())))
    assert hosts["second-of-two.example"] == 1, "hosts are no longer found"
    assert [host for host, count in hosts.items() if count > 1] == []
