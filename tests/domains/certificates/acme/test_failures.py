"""Failures: back-off, staging first, the second authority, and authorities that do not respond."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from sitewright.demo.authority.service import Authority, authority
from sitewright.domains.certificates.acme import retries
from sitewright.domains.certificates.acme.accounts.service import authorities_of
from sitewright.kit import clock
from tests.domains.certificates.acme.conftest import HOST, WWW
from tests.support.automatic_certificates import Certified

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def test_the_back_off_is_1_10_and_100_minutes_then_daily_for_30_days() -> None:
    delays = [retries.delay_after(failures) for failures in range(1, 36)]
    shortest = [MINUTE, 10 * MINUTE, 100 * MINUTE, *[DAY] * 30]
    found = [each for each in delays if each is not None]
    assert all(least <= each <= least * 1.1 for least, each in zip(shortest, found, strict=True))
    assert delays[33:] == [None, None]


def test_the_authority_may_ask_for_a_longer_pause() -> None:
    assert retries.delay_after(1, 7200.0) == timedelta(hours=2)
    longest = retries.delay_while_unavailable(30 * DAY)
    assert retries.UNAVAILABLE_MAX <= longest <= retries.UNAVAILABLE_MAX * 1.1


async def test_a_rejected_validation_is_reported_in_plain_words_and_retried(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    ca.faults.rejected_hosts.add(HOST)
    await site.work()
    row = await site.row(HOST)
    assert (row["failures"], row["reason_code"], row["order_url"]) == (1, "challengeRefused", None)
    assert "Check the A and AAAA records" in row["reason_detail"]
    assert MINUTE * 0.9 <= row["due_at"] - clock.now() <= MINUTE * 1.2
    [event] = await site.events("certificate.failing")
    assert event["site"]["domains"] == {str(ref): HOST}
    assert event["certificate"]["reason"]["code"] == "challengeRefused"
    assert await site.owner.fetchval("select count(*) from acme_usage where kind = 'failure'") == 1
    assert await site.owner.fetchval("select count(*) from acme_usage where kind = 'certificate'") == 0
    ca.faults.rejected_hosts.clear()
    await site.work()
    row = await site.row(HOST)
    assert (row["failures"], row["reason_code"], row["failing_since"]) == (0, None, None)
    assert len(await site.events("certificate.failing")) == 1
    assert len(await site.certificates(HOST)) == 1


async def test_after_two_failures_staging_is_tried_first(site: Certified, ca: Authority) -> None:
    async with authority(http_port=site.edge_port) as staging:
        trusted = site.resources.settings.data_path / "both.pem"
        trusted.write_text("".join(each.ca_file.read_text() for each in (ca, staging)))
        site.set(acme_staging_directory=staging.directory, acme_ca_file=str(trusted))
        await site.map(HOST)
        for each in (ca, staging):
            each.faults.rejected_hosts.add(HOST)
        for _ in range(3):
            await site.work()
        assert (len(ca.orders), len(staging.orders)) == (2, 1)
        staging.faults.rejected_hosts.clear()
        ca.faults.rejected_hosts.clear()
        await site.work()
        assert (len(ca.orders), len(staging.orders)) == (3, 2)
        [stored] = await site.certificates(HOST)
        assert [issued.chain for issued in ca.issued] == [stored["chain"]]


async def test_after_30_days_it_is_given_up_until_something_changes(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.set_row(HOST, failures=33)
    ca.faults.rejected_hosts.add(HOST)
    await site.work()
    row = await site.row(HOST)
    assert (row["due_at"], row["failures"]) == (None, 34)
    await site.check(ref, HOST)
    assert (await site.row(HOST))["due_at"] is None
    await site.check(ref, HOST, points_here=False)
    ca.faults.rejected_hosts.clear()
    await site.check(ref, HOST)
    await site.work()
    assert len(await site.certificates(HOST)) == 1


async def test_a_check_that_somebody_requests_tries_again_what_was_given_up(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.set_row(HOST, failures=33)
    ca.faults.rejected_hosts.add(HOST)
    await site.work()
    assert "then check the domain again" in (await site.row(HOST))["reason_detail"]
    await site.check(ref, HOST, is_requested=True)
    row = await site.row(HOST)
    assert (row["due_at"] is None, row["failures"]) == (False, 0)
    ca.faults.rejected_hosts.clear()
    await site.work()
    assert len(await site.certificates(HOST)) == 1


async def test_a_host_that_no_longer_points_here_is_paused_and_reported(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.work()
    await site.check(ref, HOST, points_here=False)
    await site.set_row(HOST, renew_at=clock.real_now())
    for _ in range(2):
        await site.work()
    row = await site.row(HOST)
    assert (row["due_at"], row["reason_code"], len(ca.orders)) == (None, "notPointingHere", 1)
    assert [event["certificate"]["reason"]["code"] for event in await site.events("certificate.failing")] == [
        "notPointingHere"
    ]
    await site.check(ref, HOST)
    await site.work()
    assert len(ca.orders) == 2


async def test_name_servers_that_do_not_respond_change_nothing(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    await site.work()
    due = (await site.row(HOST))["due_at"]
    await site.check(ref, HOST, points_here=None)
    assert (await site.row(HOST))["due_at"] == due
    await site.set_row(HOST, renew_at=clock.real_now())
    await site.work()
    row = await site.row(HOST)
    assert (row["due_at"] is None, row["reason_code"], len(ca.orders)) == (False, None, 2)
    assert await site.events("certificate.failing") == []


async def test_an_unavailable_authority_loses_nothing_and_costs_no_attempt(site: Certified, ca: Authority) -> None:
    hosts = [f"host{number}.example" for number in range(5)]
    for host in hosts:
        await site.map(host)
    ca.faults.is_unavailable = True
    for _ in range(3):
        await site.work()
    rows = [await site.row(host) for host in hosts]
    assert {(row["failures"], row["reason_code"]) for row in rows} == {(0, "authorityUnavailable")}
    assert await site.owner.fetchval("select count(*) from acme_usage") == 0
    assert await site.events("certificate.failing") == []
    ca.faults.is_unavailable = False
    await site.work()
    assert [len(await site.certificates(host)) for host in hosts] == [1] * 5
    assert await site.owner.fetchval("select unavailable_since from acme_accounts") is None


async def test_an_outage_in_the_middle_of_an_order_resumes_it(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    ca.fail_next("serverInternal")
    await site.work()
    assert (await site.row(HOST))["order_url"] is not None
    await site.work()
    assert (len(ca.orders), len(ca.issued)) == (1, 1)


@asynccontextmanager
async def second_authority(site: Certified, ca: Authority) -> AsyncIterator[Authority]:
    """Which the service uses when the first has failed for a day."""
    async with authority(http_port=site.edge_port) as second:
        trusted = site.resources.settings.data_path / "both.pem"
        trusted.write_text("".join(each.ca_file.read_text() for each in (ca, second)))
        site.set(acme_fallback_directory=second.directory, acme_ca_file=str(trusted))
        yield second


async def test_the_second_authority_is_used_when_the_first_has_failed_for_a_day(site: Certified, ca: Authority) -> None:
    async with second_authority(site, ca) as second:
        await site.map(HOST)
        ca.faults.is_unavailable = True
        await site.work()
        clock.shift(0.9 * DAY.total_seconds())
        await site.work()
        assert list(second.orders) == []
        clock.shift(1.1 * DAY.total_seconds())
        await site.work()
        assert len(second.issued) == 1
        await site.map("new.example")
        await site.work()
        assert len(second.issued) == 2
        assert (await site.row(HOST))["directory"] == second.directory


async def test_the_second_authority_is_used_for_orders_that_the_first_has_begun(site: Certified, ca: Authority) -> None:
    async with second_authority(site, ca) as second:
        await site.map(HOST)
        ca.fail_next("serverInternal")
        await site.work()
        assert (await site.row(HOST))["order_url"] is not None
        ca.faults.is_unavailable = True
        await site.work()
        assert list(second.orders) == []
        clock.shift(1.1 * DAY.total_seconds())
        await site.work()
        row = await site.row(HOST)
        assert (len(second.issued), row["directory"], row["order_url"]) == (1, second.directory, None)


async def test_a_rate_limit_of_the_authority_is_respected(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    ca.fail_next("rateLimited", retry_after=3600)
    await site.work()
    row = await site.row(HOST)
    assert row["reason_code"] == "rateLimited"
    assert row["due_at"] - clock.now() > timedelta(minutes=59)


async def test_rejected_nonces_are_retried(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    ca.fail_next("badNonce", 5)
    await site.work()
    assert len(await site.certificates(HOST)) == 1


async def test_a_wrong_clock_is_reported(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await site.map(HOST)
    await site.work()
    authority = await authorities_of(site.resources).find(ca.directory)
    authority.transport.clock_skew = -DAY
    monkeypatch.setattr(type(authority.transport), "_note", lambda *_: None)
    await authorities_of(site.resources).note_available(authority)
    assert "the clock of this machine is wrong: it is 1 day, 0:00:00 behind" in caplog.text
    assert await site.owner.fetchval("select clock_skew_seconds from acme_accounts") == -86400


async def test_a_host_whose_www_fails_keeps_its_own_certificate(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    await site.map(WWW)
    ca.faults.rejected_hosts.add(WWW)
    await site.work()
    assert len(await site.certificates(HOST)) == 1
    assert await site.certificates(WWW) == []
    assert (await site.row(HOST))["failures"] == 1


async def test_an_authority_that_the_settings_no_longer_name_is_not_asked(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    await site.map("begun.example")
    ca.fail_next("serverInternal")
    await site.work()
    assert (await site.row("begun.example"))["order_url"] is not None
    ca.faults.is_unavailable = True
    async with authority(http_port=site.edge_port) as other:
        site.use(other)
        await site.work()
        row = await site.row(HOST)
        assert (row["reason_code"], abs(row["due_at"] - row["renew_at"]) < MINUTE) == (None, True)
        assert [issued.names for issued in other.issued] == [["begun.example"]]
