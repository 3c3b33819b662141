"""`/account/domains`: whether each address works, what to do if not, and its certificate."""

from datetime import timedelta

import httpx
import msgspec
import pytest

from sitewright.domains.certificates.acme.reasons import Reason
from sitewright.domains.certificates.acme.service import CertificateState
from sitewright.domains.health import service as health
from sitewright.kit import clock
from sitewright.kit.opened import Opened
from sitewright.kit.resources import Resources
from sitewright.web.account.formatting import CATALOG
from sitewright.web.domains.certificates import certificate_view
from sitewright.web.domains.health import CopiedRecord, read_record
from tests.support.browsing import LANGUAGES, assert_loads_nothing_else, browser, hidden, log_in, page_text
from tests.support.users import OwnerConnection, make_user
from tests.web.account.factories import make_site
from tests.web.domains.conftest import add_check, exists, leads_elsewhere

DOMAINS = "/account/domains"
HOST = "www.example.com"


@pytest.fixture
async def site(owner_connection: OwnerConnection, resources: Resources, clean: None) -> int:
    return await make_site(owner_connection, resources, await make_user(owner_connection, resources))


@pytest.fixture
async def domain_ref(owner_connection: OwnerConnection, site: int) -> int:
    ref: int = await owner_connection.fetchval("select ref from site_domains where site_ref = $1", site)
    return ref


@pytest.fixture
async def visitor(anonymous: httpx.AsyncClient, site: int) -> httpx.AsyncClient:
    assert (await log_in(anonymous)).status_code == 303
    return anonymous


async def test_a_new_domain_is_being_checked(visitor: httpx.AsyncClient) -> None:
    page = await visitor.get(DOMAINS)
    assert "Being checked" in page_text(page)
    assert "data-pending" in page.text
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    assert_loads_nothing_else(page)


async def test_says_what_to_do_with_the_record_to_copy(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, domain_ref: int
) -> None:
    await add_check(owner_connection, "failing", exists(HOST), leads_elsewhere(HOST), domain_ref=domain_ref)
    page = await visitor.get(DOMAINS)
    text = page_text(page)
    assert f"{HOST} Disconnect main address Not working" in text
    assert "What to do now: log in where you bought the domain" in text
    assert f"Over IPv4, {HOST} leads to 203.0.113.9, which is not this service." in text
    assert f"Replace these records of {HOST} at your DNS provider by: A {HOST} 192.0.2.80 Copy" in text
    assert f"Other checks: 1 OK {HOST} exists in the DNS." in text
    assert "data-pending" not in page.text
    assert "connect-src" not in page.headers["content-security-policy"]


async def test_a_domain_that_works_needs_nothing(
    visitor: httpx.AsyncClient, owner_connection: OwnerConnection, domain_ref: int
) -> None:
    await add_check(owner_connection, "ok", exists(HOST), domain_ref=domain_ref)
    text = page_text(await visitor.get(DOMAINS))
    assert "Working Not encrypted Checked:" in text
    assert "There is nothing to do." in text
    assert "DNS records to enter" not in text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_in_every_language(
    resources: Resources, owner_connection: OwnerConnection, site: int, domain_ref: int, language: str
) -> None:
    await owner_connection.execute("update users set language_code = $1", language)
    await add_check(owner_connection, "failing", leads_elsewhere(HOST), domain_ref=domain_ref)
    async with browser(resources) as visitor:
        await log_in(visitor)
        text = page_text(await visitor.get(DOMAINS))
    assert CATALOG.languages[language]["health_failing"] in text
    assert CATALOG.languages[language]["domain_next_steps"] in text
    assert f"A {HOST} 192.0.2.80" in text
    assert language == "en" or "leads to" not in text


async def test_does_not_check_again_at_once(
    visitor: httpx.AsyncClient,
    resources: Resources,
    owner_connection: OwnerConnection,
    site: int,
    domain_ref: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "BETWEEN", timedelta(seconds=90))  # a check may take 10 on a busy machine
    path = f"/account/sites/{site}/domains/{domain_ref}/check"
    token = {"token": hidden(await visitor.get(DOMAINS), "token")}
    assert (await visitor.post(path, data={"token": "x"})).status_code == 403
    assert (await visitor.get(path)).status_code in (404, 405)
    assert await owner_connection.fetchval("select count(*) from domain_checks") == 0
    settings = msgspec.structs.replace(resources.settings, dns_resolvers=["127.0.0.1:1"], dns_authoritative=False)
    async with browser(msgspec.structs.replace(resources, settings=settings, opened=Opened())) as closed:
        await log_in(closed)
        own = {"token": hidden(await closed.get(DOMAINS), "token")}
        first = await closed.post(path, data=own)
        assert first.headers["location"] == f"{DOMAINS}?done=checked#domain-{domain_ref}"
        again = await closed.post(path, data=own)
    assert again.headers["location"] == f"{DOMAINS}?done=recently#domain-{domain_ref}"
    text = page_text(await visitor.get(f"{DOMAINS}?done=recently"))
    assert "The domain was checked less than 90 seconds ago." in text
    assert "Could not be checked" in text
    missing = await visitor.post(f"/account/sites/{site}/domains/999999/check", data=token)
    assert missing.status_code == 404


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_of_a_certificate_has_its_text(language: str) -> None:
    messages = CATALOG.messages_for(language, None, "")
    soon, later = clock.real_now() + timedelta(days=1), clock.real_now() + timedelta(days=60)
    reason = Reason("rateLimited", "The authority limits orders.")
    valid = certificate_view(
        CertificateState(source="automatic", status="valid", not_after=later, next_attempt=soon), messages
    )
    assert valid.tone == "good"
    assert valid.until is not None
    assert valid.next_attempt is not None
    ordered = certificate_view(CertificateState(source="automatic", status="pending", next_attempt=soon), messages)
    assert ordered.is_being_ordered
    assert ordered.next_attempt is None
    failing = certificate_view(
        CertificateState(source="automatic", status="failing", next_attempt=soon, reason=reason, automatic_ref=1),
        messages,
    )
    assert failing.tone == "bad"
    assert failing.may_be_retried
    assert failing.reason == messages("tls_reason_rateLimited")
    off = certificate_view(CertificateState(source="none", status="off", reason=Reason("later", "Later.")), messages)
    assert (off.reason, off.source, off.may_be_retried) == ("Later.", None, False)


def test_reads_lines_of_zone_files() -> None:
    assert read_record('a.example. 3600 IN TXT "v=spf1 -all"') == CopiedRecord("TXT", "a.example", '"v=spf1 -all"')
    assert read_record("a line") == CopiedRecord("", "", "a line")
