"""Every table and view has one owner. Stores access only their own feature's tables and the views of others; SQL
functions, triggers and views only tables of their own top-level package and of those below it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import asyncpg
import pytest

from sitewright.migrations import PACKAGES
from tests.test_house import SOURCE, strings

OWNERS = {
    "kit/audit": {"audit_entries", "audit_inbox", "audit_chain", "audit_heads"},
    "kit/auth": {"authentication_failures", "oauth_nonces", "trusted_addresses"},
    "kit/http/idempotency": {"idempotent_answers"},
    "kit/jobs": {"job_starts"},
    "kit/mail": {"mails", "mail_templates"},
    "kit/nodes": {"nodes"},
    "kit/signing": {"signing_keys"},
    "kit/tokens": {"one_time_tokens", "sessions"},
    "tenants/brands": {"brands", "brand_languages", "languages"},
    "tenants/credentials": {"api_credentials", "operators", "operator_invitations", "console_sessions"},
    "events": {"events", "event_sequences", "event_inbox"},
    "catalogue/packages": {
        "packages", "package_prices", "currencies", "domain_products", "product_suppliers", "template_groups",
    },
    "catalogue/templates": {"templates", "template_categories", "template_tags"},
    "accounts/resellers": {"resellers", "reseller_prices"},
    "accounts/account_packages": {"account_packages", "lifecycle_events", "charges", "package_sweep_failures"},
    "accounts/profiles": {"profiles"},
    "accounts/users": {"users", "user_counts"},
    "accounts/reports": {"user_reports", "user_report_pieces"},
    "accounts/search": {"search_terms", "reseller_search_terms", "search_rebuilds"},
    "sites/sites": {"sites", "site_domains", "former_site_domains", "site_erasures"},
    "sites/content": {
        "pages", "widgets", "widget_values", "global_values", "static_values", "site_usage", "site_redirects",
        "content_changes",
    },
    "sites/media": {"media", "media_variants", "media_objects", "media_chunks"},
    "sites/publishing": {"site_versions", "site_files", "preview_links"},
    "domains/account_domains": {"account_domains", "registered_domains"},
    "domains/certificates": {
        "certificates", "certificate_bindings", "certificate_warnings", "domain_validations", "acme_accounts",
        "automatic_certificates", "automatic_certificate_hosts", "acme_challenges", "acme_usage", "own_certificates",
    },
    "domains/dns": {"dns_zones", "dns_records"},
    "domains/health": {"domain_checks"},
    "domains/mailboxes": {"mailboxes", "mailbox_login_tokens", "removed_mailboxes"},
    "webhooks": {"webhook_secrets", "webhook_subscriptions", "webhook_deliveries", "webhook_attempts"},
    "provisioning": {"provisioned_accounts"},
    "edge": {"contact_messages", "contact_replies"},
    "edge/statistics": {"site_visits"},
    "statistics": {"daily_figures", "figure_changes", "figure_rebuilds"},
}  # fmt: skip
VIEWS = {
    "tenants/brands": {"brand_settings"},
    "tenants/credentials": {"operator_names"},
    "kit/tokens": {"session_list"},
    "events": {"event_log"},
    "catalogue/packages": {"package_terms", "package_price_list", "currency_list", "domain_offers", "supplier_list"},
    "accounts/resellers": {"reseller_contacts", "reseller_price_list"},
    "accounts/account_packages": {"held_packages", "package_events", "package_charges"},
    "accounts/profiles": {"profile_fields"},
    "accounts/users": {"account_holders", "user_totals"},
    "sites/sites": {"hosted_sites", "mapped_domains"},
    "sites/content": {"site_pages"},
    "sites/publishing": {"published_files"},
    "domains/account_domains": {"domain_holders"},
    "domains/certificates": {"validation_files", "last_certificates"},
    "domains/health": {"failing_hosts"},
    "domains/mailboxes": {"mailbox_list"},
}
"""Views that a feature publishes: other features may read them."""
TABLES_OF_THE_MIGRATIONS = {"schema_files", "schema_migrations"}
CATALOGUE_FILE = "catalogue/file"
WRITTEN_BY_THE_CATALOGUE_FILE = (
    OWNERS["tenants/brands"] | OWNERS["catalogue/packages"] | OWNERS["catalogue/templates"] | {"mail_templates"}
)
"""The catalogue file is applied by the owner of the tables, across brands; these tables are what it describes."""
TRANSFER = "transfer"
"""Exports and imports all tables of a brand as the owner of the tables, by the database's own schema."""

OWNER_OF = {table: owner for owner, tables in OWNERS.items() for table in tables}
ALL_VIEWS = {view for views in VIEWS.values() for view in views}
STORES = sorted(SOURCE.rglob("store.py"))
_CLAUSE = "using|where|join|left|cross|on|set|order|group|limit|for|union|returning|values"
_ALIAS = rf"(?:\s+(?:as\s+)?(?!(?:{_CLAUSE})\b)[a-z]\w*)?"
TABLE_REFERENCE = re.compile(
    rf"\b(from|join|into|update|using)\s+(?:only\s+)?([a-z_]\w*{_ALIAS}(?:\s*,\s*[a-z_]\w*{_ALIAS})*)", re.IGNORECASE
)


def feature_of(module: Path) -> str:
    """The most specific owner whose folder contains the module; without one, the module's package and feature."""
    place = module.parent.relative_to(SOURCE).as_posix()
    known = [owner for owner in {*OWNERS, CATALOGUE_FILE} if f"{place}/".startswith(f"{owner}/")]
    return max(known, key=len) if known else "/".join(place.split("/")[:2])


def statements(module: Path) -> Iterator[str]:
    """Every string of a module; an f-string is one text, with ` ? ` in place of its values."""
    tree = ast.parse(module.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else " ? " for part in node.values)
    yield from strings(module)


def tables_in(sql: str) -> Iterator[tuple[str, str]]:
    """Each table or view that a statement names, with the keyword before it (`from`, `join`, `into`, ...)."""
    for word, names in TABLE_REFERENCE.findall(sql):
        for name in names.split(","):
            yield word.lower(), name.split()[0]


def may_access(feature: str, word: str, name: str) -> bool:
    if name in ALL_VIEWS:
        return word in {"from", "join", "using"}
    owner = OWNER_OF.get(name)
    is_described_by_the_file = feature == CATALOGUE_FILE and name in WRITTEN_BY_THE_CATALOGUE_FILE
    is_moved_with_its_brand = feature.startswith(TRANSFER)
    return owner is None or owner == feature or is_described_by_the_file or is_moved_with_its_brand


@pytest.mark.parametrize("module", STORES, ids=lambda module: module.relative_to(SOURCE).as_posix())
def test_a_store_accesses_its_own_tables_and_published_views(module: Path) -> None:
    feature = feature_of(module)
    found = {(word, name) for sql in statements(module) for word, name in tables_in(sql)}
    reached = sorted(f"{word} {name}" for word, name in found if not may_access(feature, word, name))
    assert reached == [], f"{feature} reaches into tables of others: call their service, or read a view they publish"


def test_tables_in_statements_are_found() -> None:
    sql = "delete from a using users u, sites as s where x in (select ref from only pages p) for update"
    assert list(tables_in(sql)) == [("from", "a"), ("using", "users"), ("using", "sites"), ("from", "pages")]
    assert not may_access("sites/sites", "from", "users")
    assert may_access("sites/sites", "join", "account_holders")
    assert not may_access("sites/sites", "update", "account_holders")
    assert {name for sql in statements(SOURCE / "accounts/users/store.py") for _, name in tables_in(sql)} >= {"users"}


DECLARATION = re.compile(r"create (?:or replace )?(?:function|view|trigger) (\w+)(.*?)(?=\ncreate |\Z)", re.DOTALL)
TRIGGER_ON = re.compile(r"\b(?:after|before) [a-z ]+ (on) ([a-z_]+)")
SQL_FILES = [
    path
    for package in PACKAGES
    for name in ("functions*.sql", "triggers.sql", "views.sql")
    for path in sorted((SOURCE / "migrations" / package).glob(name))
]
EXCEPTIONS = {
    ("authenticate_signature", "resellers"): "one statement authenticates a signed request, and refuses those of a"
    " disabled reseller",
}
"""Functions that name a table of a package above them, with the reason."""


def without_comments(sql: str) -> str:
    return re.sub(r"--.*", "", sql)


def declarations_in(sql: str) -> Iterator[tuple[str, set[str]]]:
    """Each function, view and trigger that a file of SQL declares, with the tables and views that it names."""
    for name, text in DECLARATION.findall(without_comments(sql)):
        yield name, {table for _, table in [*tables_in(text), *TRIGGER_ON.findall(text)]}


def is_above(package: str, table: str) -> bool:
    owner = OWNER_OF.get(table)
    return owner is not None and PACKAGES.index(owner.split("/")[0]) > PACKAGES.index(package)


@pytest.mark.parametrize("file", SQL_FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_sql_accesses_tables_of_its_own_package_and_those_below(file: Path) -> None:
    package = file.parent.name
    reached = {
        (name, table)
        for name, tables in declarations_in(file.read_text())
        for table in tables
        if is_above(package, table)
    }
    known = {each for each in EXCEPTIONS if f"function {each[0]}(" in file.read_text()}
    assert reached == known, f"{package} reaches up: move the function to the package that owns the table"


def test_tables_in_declarations_are_found() -> None:
    sql = """
    create or replace function f() returns void language sql as $$
        delete from sites s using users u; -- from events
    $$;
    create or replace trigger t after insert or delete on mails for each row execute function f();
    create view v as select 1 from brands b join (select from packages) p on true;
    """.replace("\n    ", "\n")
    assert dict(declarations_in(sql)) == {"f": {"sites", "users"}, "t": {"mails"}, "v": {"brands", "packages"}}
    assert is_above("accounts", "sites")
    assert not is_above("sites", "users")
    assert all(list(declarations_in(file.read_text())) for file in SQL_FILES)


async def test_every_table_and_view_has_an_owner(owner_connection: "asyncpg.Connection[asyncpg.Record]") -> None:
    rows = await owner_connection.fetch(
        "select relname, relkind = 'v' as is_view,"
        " coalesce('security_invoker=true' = any(reloptions), false) as is_safe"
        " from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v')"
    )
    assert {row["relname"] for row in rows if not row["is_view"]} - TABLES_OF_THE_MIGRATIONS == set(OWNER_OF)
    assert {row["relname"] for row in rows if row["is_view"]} == ALL_VIEWS
    assert [row["relname"] for row in rows if row["is_view"] and not row["is_safe"]] == []
    assert sum(map(len, OWNERS.values())) == len(OWNER_OF), "a table has two owners"


@cache
def readers_of_tables() -> dict[str, set[str]]:
    """For each table and view, the features whose stores read it."""
    readers: dict[str, set[str]] = {}
    for module in STORES:
        for sql in statements(module):
            for _, name in tables_in(sql):
                readers.setdefault(name, set()).add(feature_of(module))
    return readers


@pytest.mark.parametrize("view", sorted(ALL_VIEWS))
def test_every_view_serves_another_feature(view: str) -> None:
    [owner] = [feature for feature, views in VIEWS.items() if view in views]
    readers = readers_of_tables().get(view, set())
    assert readers - {owner}, f"no other feature reads {view}: drop it"
