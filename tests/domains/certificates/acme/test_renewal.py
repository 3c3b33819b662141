"""Renewals: in the authority's window, else in proportion to the lifetime; never a fixed number of days."""

from datetime import UTC, datetime, timedelta

import pytest

from sitewright.demo.authority.objects import Issued
from sitewright.demo.authority.service import Authority, authority
from sitewright.domains.certificates.acme import renewal
from sitewright.domains.certificates.acme.client.messages import Window
from sitewright.kit import clock
from tests.domains.certificates.acme.conftest import HOST, WWW
from tests.support.automatic_certificates import Certified

START = datetime(2030, 1, 1, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("lifetime", "share"),
    [
        (90 * DAY, 1 / 3),
        (45 * DAY, 1 / 3),
        (10 * DAY, 1 / 3),
        (timedelta(hours=160), 1 / 2),
        (timedelta(hours=1), 1 / 2),
    ],
)
def test_without_a_window_a_share_of_the_lifetime_is_left(lifetime: timedelta, share: float) -> None:
    times = [renewal.renewal_time(START, START + lifetime) for _ in range(200)]
    left = [(START + lifetime - at) / lifetime for at in times]
    assert share <= min(left) and max(left) <= share + renewal.SPREAD + 1e-9
    assert len(set(times)) > 100


def test_inside_a_window_times_are_spread_and_before_the_end() -> None:
    window = Window(START, START + DAY)
    times = [renewal.time_inside(window, START + 60 * DAY) for _ in range(200)]
    assert all(window.start <= at <= window.end for at in times)
    assert len(set(times)) > 100
    assert renewal.time_inside(window, START) == START
    assert renewal.time_inside(Window(START + DAY, START), START + 60 * DAY) == START + DAY


@pytest.mark.parametrize("retry_after", [None, 0.0, 60.0, 6 * 3600.0, 7 * 86400.0])
def test_the_window_is_read_at_least_twice_a_day(retry_after: float | None) -> None:
    assert all(timedelta(minutes=1) <= renewal.next_poll(retry_after) <= timedelta(hours=11) for _ in range(100))


def already(_issued: Issued) -> tuple[datetime, datetime]:
    now = clock.real_now()
    return now - timedelta(hours=2), now - timedelta(hours=1)


async def test_a_certificate_is_renewed_inside_the_window_and_says_what_it_replaces(
    site: Certified, ca: Authority
) -> None:
    await site.map(HOST)
    await site.work()
    first = await site.row(HOST)
    await site.work()
    polled = await site.row(HOST)
    lifetime = first["not_after"] - first["not_before"]
    assert polled["window_start"] is not None
    assert polled["window_start"] <= polled["renew_at"] <= polled["window_end"]
    assert abs(polled["window_start"] - (first["not_before"] + lifetime * 2 / 3)) < timedelta(seconds=2)
    assert polled["due_at"] < clock.now() + timedelta(hours=12)
    ca.policy.renewal_window = already
    await site.work()
    await site.work_on_due()
    assert [order.replaces for order in ca.orders] == [None, first["certificate_id"]]
    renewed = await site.row(HOST)
    assert renewed["certificate_ref"] != first["certificate_ref"]
    assert [row["ref"] for row in await site.certificates(HOST)] == [renewed["certificate_ref"]]


async def test_the_time_inside_a_window_is_chosen_once(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    for _ in range(2):
        await site.work()
    chosen = (await site.row(HOST))["renew_at"]
    for _ in range(3):
        await site.work()
        assert (await site.row(HOST))["renew_at"] == chosen


async def test_a_window_that_is_refused_once_is_kept_and_read_again(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    for _ in range(2):
        await site.work()
    polled = await site.row(HOST)
    await site.set_row(HOST, certificate_id="AAAA.BBBB")
    await site.work()
    refused = await site.row(HOST)
    for column in ("window_start", "window_end", "renew_at"):
        assert refused[column] == polled[column] is not None
    assert refused["due_at"] < clock.now() + timedelta(hours=12)


async def test_an_authority_without_windows_is_not_asked_before_the_renewal(site: Certified) -> None:
    async with authority(http_port=site.edge_port, has_renewal_info=False) as ca:
        site.use(ca)
        await site.map(HOST)
        await site.work()
        row = await site.row(HOST)
        assert abs(row["due_at"] - row["renew_at"]) < timedelta(seconds=5)
        await site.set_row(HOST, renew_at=clock.real_now())
        await site.work()
        assert [order.replaces for order in ca.orders] == [None, None]


async def test_a_short_lived_certificate_is_renewed_at_its_half(site: Certified) -> None:
    async with authority(http_port=site.edge_port, lifetime=timedelta(hours=160), has_renewal_info=False) as ca:
        site.use(ca)
        await site.map(HOST)
        await site.work()
        row = await site.row(HOST)
        share = (row["not_after"] - row["renew_at"]) / (row["not_after"] - row["not_before"])
        assert 0.5 <= share <= 0.5 + renewal.SPREAD + 0.001


async def test_a_renewal_covers_what_points_here_then(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    www = await site.map(WWW)
    await site.work()
    await site.check(www, WWW, points_here=False)
    await site.set_row(HOST, renew_at=clock.real_now())
    await site.work()
    assert [order.names for order in ca.orders] == [[HOST, WWW], [HOST]]


async def test_a_renewal_that_is_not_accepted_as_one_is_a_new_order(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    await site.set_row(HOST, renew_at=clock.real_now(), certificate_id="AAAA.BBBB")
    await site.work()
    assert len(await site.certificates(HOST)) == 1
    assert len(ca.issued) == 2


async def test_a_deleted_certificate_is_obtained_again(site: Certified, ca: Authority) -> None:
    await site.map(HOST)
    await site.work()
    await site.owner.execute("delete from certificates")
    await site.work()
    assert len(await site.certificates(HOST)) == 1
