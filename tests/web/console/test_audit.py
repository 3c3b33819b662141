"""The audit log in sentences, by person, object, time and request; every pair that the code writes has a sentence."""

import ast
import csv
import io
import re
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import httpx
import pytest

import sitewright
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.web.console.audit.pages import SUBJECTS
from sitewright.web.console.audit.sentences import subject_key, text_key
from sitewright.web.console.customers.texts_of import ACTION_PREFIX, action_key
from sitewright.web.console.frame.messages import CATALOG
from tests.support.browsing import page_text
from tests.support.operators import send
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, insert, make_user
from tests.web.console.conftest import LogIn

PATH = "/console/audit"
SOURCE = Path(sitewright.__file__).parent
Pair = tuple[str, str]
"""Subject and action."""
PASSED_ON: dict[tuple[str, str, str], set[Pair]] = {
    ("accounts/reports/listing/service.py", "download", "subject"): {
        ("user report", "download"), ("data export", "download"),
    },
    ("accounts/users/service.py", "action", "user"): {("user", "change password"), ("user", "reset password")},
    ("accounts/resellers/prices/service.py", "action", "reseller price"): {
        ("reseller price", "create"), ("reseller price", "edit"), ("reseller price", "delete"),
    },
    ("domains/account_domains/jobs.py", "action", "account domain"): {
        ("account domain", "register"), ("account domain", "renew"), ("account domain", "release"),
        ("account domain", "refuse"),
    },
    ("domains/dns/service.py", "action", "account domain"): {
        ("account domain", "add DNS record"), ("account domain", "edit DNS record"),
        ("account domain", "delete DNS record"),
    },
    ("domains/dns/reconciling.py", "action", "account domain"): {
        ("account domain", "adopt records"), ("account domain", "wait for operator"),
        ("account domain", "publish DS"), ("account domain", "remove zone"),
    },
    ("domains/mailboxes/service.py", "action", "mailbox"): {("mailbox", "create"), ("mailbox", "change password")},
    ("sites/content/changes/steps.py", "step", "contentChange"): {("contentChange", "undo"), ("contentChange", "redo")},
    ("tenants/credentials/service.py", "revoke", "subject"): {("operator", "revoke"), ("apiCredential", "revoke")},
    ("web/login/service.py", "action", "user"): {("user", "log-in"), ("user", "log-out")},
    ("web/console/log_in/service.py", "action", "operator"): {("operator", "log-in"), ("operator", "log-out")},
}  # fmt: skip
"""Calls that name the action or the subject by a variable, by file: what they write."""
WITHOUT_REF = {
    ("catalogue", "apply"),
    ("master key", "rotate master key"),
    ("master key", "renew lost values"),
    ("audit", "prune"),
}
OPTIONAL_REF = {("mail", "retry"), ("due packages", "retry")}
_IN_SQL = re.compile(r"insert into audit_entries .*?'\w+', '([^']+)', '([^']+)'", re.DOTALL)


def _argument(call: ast.Call, name: str, position: int) -> str:
    """A literal, or the name of a variable."""
    found = next((each.value for each in call.keywords if each.arg == name), None)
    found = found or (call.args[position] if len(call.args) > position else ast.Constant(""))
    return str(found.value) if isinstance(found, ast.Constant) else ast.unparse(found)


@cache
def written_calls() -> frozenset[tuple[str, str, str]]:
    """File, action and subject of each call of `audit.record…`."""
    texts = {file: file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    return frozenset(
        (file.relative_to(SOURCE).as_posix(), _argument(call, "action", 2), _argument(call, "subject", 3))
        for file, text in texts.items()
        if "audit" in text and "record" in text
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call) and _is_record(call.func)
    )


def _is_record(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and ast.unparse(function).startswith("audit.record")


@cache
def written_pairs() -> frozenset[Pair]:
    """Every pair that the code writes: a call with a variable must be one of `PASSED_ON`."""
    pairs = {("audit", "prune")}
    for file, action, subject in written_calls():
        pairs |= PASSED_ON.get((file, action, subject), {(subject, action)})
    for path in sorted((SOURCE / "migrations").rglob("*.sql")):
        found = _IN_SQL.findall(path.read_text(encoding="utf-8"))
        assert len(found) == path.read_text(encoding="utf-8").count("insert into audit_entries"), path
        pairs |= {(subject, action) for action, subject in found}
    return frozenset(pairs)


def test_calls_that_pass_an_action_on_still_do() -> None:
    assert written_calls() >= PASSED_ON.keys()


@pytest.mark.parametrize("language", sorted(CATALOG.languages))
def test_every_pair_has_a_sentence(language: str) -> None:
    texts, pairs = CATALOG.languages[language], written_pairs()
    assert len(pairs) > 100
    keys = {text_key(*pair) for pair in pairs - WITHOUT_REF}
    keys |= {f"{text_key(*pair)}_all" for pair in WITHOUT_REF | OPTIONAL_REF}
    assert sorted(keys - texts.keys()) == [], "an audit entry has no sentence in web/console/audit/texts"
    subjects = {subject for subject, _ in pairs}
    assert sorted(subject_key(each) for each in subjects if subject_key(each) not in texts) == []
    assert sorted(subjects - {*SUBJECTS}) == []


@pytest.mark.parametrize("language", sorted(CATALOG.languages))
def test_the_page_of_a_customer_has_a_text_for_every_action(language: str) -> None:
    named = {key for key in CATALOG.languages[language] if key.startswith(ACTION_PREFIX)}
    assert named == {action_key(action) for subject, action in written_pairs() if subject == "user"}


async def write(
    owner: OwnerConnection,
    actor: str,
    action: str,
    subject: str,
    ref: int | None,
    at: datetime | None = None,
    *,
    brand: int | None = 1,
    details: str = "{}",
    request: str | None = None,
) -> int:
    """An entry, of the first brand."""
    columns = {"actor": actor, "action": action, "subject": subject, "subject_ref": ref, "at": at or clock.now()}
    return await insert(
        owner, "audit_entries", {"brand_ref": brand, "details": details, "request_id": request} | columns
    )


async def operator_ref(owner: OwnerConnection, username: str) -> int:
    return int(await owner.fetchval("select ref from operators where username = $1", username))


def sentences(response: httpx.Response) -> list[str]:
    found = re.findall(r'<span class="audit-sentence">(.*?)</span>', response.text, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", each) for each in found]


async def test_shows_a_sentence_with_names_and_links(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, first_name="Anna", last_name="Lopez")
    support = await operator_ref(owner_connection, "support")
    await owner_connection.execute("update operators set name = 'Kim Example' where ref = $1", support)
    entry = await write(owner_connection, f"operator:{support}", "suspend", "user", user_ref)
    page = await admin.get(PATH)
    assert sentences(page)[0] == f"Kim Example suspended the customer Anna Lopez ({user_ref})"
    assert f'href="/console/customers/{user_ref}"' in page.text
    assert f'href="/console/audit?actor=operator%3A{support}"' in page.text
    assert f'href="/console/audit/{entry}"' in page.text


async def test_names_the_package_that_a_customer_got(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, first_name="Anna", last_name="Lopez")
    row = await owner_connection.fetchrow("select ref, name from packages where brand_ref = 1 order by ref limit 1")
    assert row is not None
    details = f'{{"packageRef": {row["ref"]}, "kind": "upgrade", "months": 1}}'
    await write(owner_connection, "worker", "assign package", "user", user_ref, details=details)
    [found, *_] = sentences(await admin.get(PATH))
    assert found.endswith(f"gave the customer Anna Lopez ({user_ref}) the package {row['name']} ({row['ref']})")


async def test_names_programs_customers_and_the_system(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, first_name="Anna", last_name="Lopez")
    site_ref = await make_site(owner_connection, resources, user_ref=user_ref)
    await make_domain(owner_connection, 1, site_ref, "shop.example")
    label = await owner_connection.fetchrow("select ref, label from api_credentials where brand_ref = 1 limit 1")
    assert label is not None
    for actor, action, subject, ref, details in (
        (f"user:{user_ref}", "log-in", "user", user_ref, "{}"),
        (f"credential:{label['ref']}", "publish", "site", site_ref, "{}"),
        ("shell:root", "create", "page", 7, f'{{"site": {site_ref}}}'),
        ("worker", "deactivate", "webhook subscription", 3, "{}"),
        ("page:forgotten-password", "mail reset link", "user", user_ref, "{}"),
        ("operator:999", "suspend", "user", 998, "{}"),
        ("credential:5", "dance", "waltz", 4, "{}"),
    ):
        await write(owner_connection, actor, action, subject, ref, details=details)
    page = await admin.get(PATH)
    assert sentences(page)[6::-1] == [
        "Anna Lopez (customer) logged in",
        f"API credential {label['label']} published the site shop.example ({site_ref})",
        f"The command line (root) added the page 7 to the site shop.example ({site_ref})",
        "The system deactivated the webhook subscription 3, since its receiver is gone",
        f"A visitor of the log-in pages had a link for a new password mailed to the customer Anna Lopez ({user_ref})",
        "999 suspended the customer 998",
        "API credential 5: dance, waltz 4",
    ]


async def test_filters_by_person_object_time_and_request(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    now, viewer = clock.now(), await operator_ref(owner_connection, "viewer")
    old = now - timedelta(days=40)
    await write(owner_connection, f"operator:{viewer}", "suspend", "user", 41, old)
    await write(owner_connection, "shell:root", "unsuspend", "user", 41, request="abc-1")
    await write(owner_connection, "shell:root", "publish", "site", 41)
    await write(owner_connection, "shell:root", "publish", "site", 42, brand=2, request="abc-1")
    by_person = await admin.get(f"{PATH}?actor=operator:{viewer}")
    assert sentences(by_person) == ["viewer suspended the customer 41"]
    assert f'<option value="operator:{viewer}" selected>viewer</option>' in by_person.text
    assert sentences(await admin.get(f"{PATH}?subject=user&ref=41")) == [
        "The command line (root) lifted the suspension of the customer 41",
        "viewer suspended the customer 41",
    ]
    request = await admin.get(f"{PATH}?request=abc-1")
    assert sentences(request) == ["The command line (root) lifted the suspension of the customer 41"]
    day = f"{old:%Y-%m-%d}"
    assert sentences(await admin.get(f"{PATH}?from={day}&to={day}")) == ["viewer suspended the customer 41"]
    later = f"{old + timedelta(days=2):%Y-%m-%d}"
    assert "viewer suspended" not in (await admin.get(f"{PATH}?from={later}&actor=operator:{viewer}")).text
    by_shell = await admin.get(f"{PATH}?actor=shell:root")
    assert '<option value="shell:root" selected>The command line (root)</option>' in by_shell.text
    assert (await admin.get(f"{PATH}?from=yesterday")).status_code == 400


async def test_pages_by_time_whatever_the_filter(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    await owner_connection.execute(
        "insert into audit_entries (brand_ref, at, actor, action, subject, subject_ref)"
        " select 1, $1::timestamptz + n * interval '1 second', 'shell:root', 'retry', 'job', n"
        "   from generate_series(1, 120) n",
        clock.now(),
    )
    seen, address = [], f"{PATH}?actor=shell:root"
    while address:
        page = await admin.get(address)
        seen += [int(each) for each in re.findall(r"ran the job <a [^>]*>(\d+)", page.text)]
        [address] = re.findall(r'href="([^"]+)" rel="next"', page.text) or [""]
        address = address.replace("&amp;", "&")
    assert seen == list(range(120, 0, -1))
    file = await admin.get(f"{PATH}.csv?actor=shell:root&sort=at")
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [int(row["subject_ref"]) for row in rows] == list(range(1, 121))
    assert (rows[0]["actor"], rows[0]["action"], rows[0]["subject"]) == ("shell:root", "retry", "job")


async def test_an_entry_shows_its_values(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    viewer = await log_in("viewer")
    details = '{"role": "viewer", "fields": ["email", "<b>"]}'
    ref = await write(owner_connection, "shell:root", "edit", "user", 12, details=details, request="abc 1")
    page = await viewer.get(f"{PATH}/{ref}")
    assert page.status_code == 200
    text = page_text(page)
    assert "The command line (root) changed the customer 12" in text
    assert "viewer" in text
    assert "&lt;b&gt;" in page.text
    assert "/console/audit?request=abc+1" in page.text.replace("%20", "+")
    other = await write(owner_connection, "shell:root", "edit", "user", 12, brand=2)
    missing = await viewer.get(f"{PATH}/99999999")
    assert (await viewer.get(f"{PATH}/{other}")).status_code == missing.status_code == 404


async def test_says_who_an_operator_was_logged_in_as(
    admin: httpx.AsyncClient, owner_connection: OwnerConnection, resources: Resources
) -> None:
    user_ref = await make_user(owner_connection, resources, first_name="Anna", last_name="Lopez")
    details = f'{{"asUserRef": {user_ref}}}'
    ref = await write(owner_connection, "shell:root", "edit", "site", 12, details=details)
    for path in (PATH, f"{PATH}/{ref}"):
        assert f"Logged in as the customer Anna Lopez ({user_ref})" in page_text(await admin.get(path))


async def test_system_owners_see_entries_of_no_brand(
    log_in: LogIn, admin: httpx.AsyncClient, owner_connection: OwnerConnection
) -> None:
    owner, path = await log_in("system-owner"), f"{PATH}/system"
    ref = await write(owner_connection, "shell:root", "apply", "catalogue", None, brand=None)
    await write(owner_connection, "shell:root", "publish", "site", 3)
    assert sentences(await owner.get(path))[0] == "The command line (root) applied a catalogue file"
    assert "published the site" not in (await owner.get(path)).text
    assert "applied a catalogue file" in page_text(await owner.get(f"{path}/{ref}"))
    assert (await owner.get(f"{path}.csv")).status_code == 200
    for address in (path, f"{path}.csv", f"{path}/{ref}"):
        assert (await admin.get(address)).status_code == 403
    assert (await admin.get(f"{PATH}/{ref}")).status_code == 404
    assert "/console/audit/system" not in (await admin.get(PATH)).text


async def test_system_owners_are_named_in_the_brand(log_in: LogIn, owner_connection: OwnerConnection) -> None:
    owner = await log_in("system-owner")
    await send(owner, "/console/brand", brandRef="1")
    await owner_connection.execute("update operators set name = 'Olu Owner' where role = 'system-owner'")
    ref = await operator_ref(owner_connection, "system-owner")
    await write(owner_connection, f"operator:{ref}", "suspend", "user", 12)
    for client in (owner, await log_in("viewer")):
        assert "Olu Owner suspended the customer 12" in sentences(await client.get(PATH))


async def test_in_every_language(admin: httpx.AsyncClient, owner_connection: OwnerConnection) -> None:
    ref = await write(owner_connection, "shell:root", "suspend", "user", 12)
    for language, text in (("de", "hat den Kunden 12 gesperrt"), ("fr", "a suspendu le client 12")):
        await send(admin, "/console/me/language", language=language)
        assert text in " ".join(sentences(await admin.get(PATH)))
        assert (await admin.get(f"{PATH}/{ref}")).status_code == 200
