"""Workers that are killed: every order is resumed, and nothing is ordered twice."""

import asyncio
from datetime import timedelta

import pytest

from sitewright.demo.authority.service import Authority
from sitewright.domains.certificates.acme import maintaining, store
from sitewright.domains.certificates.acme.client import authority as client
from sitewright.domains.certificates.acme.jobs import LOOP, OUTBOX
from sitewright.domains.certificates.acme.work import Work
from sitewright.kit import clock
from sitewright.kit.outbox.outcomes import Outcomes
from tests.domains.certificates.acme.conftest import HOST
from tests.support.automatic_certificates import Certified


class Killed(BaseException):
    """Ends a worker at once, as a signal does: nothing is recorded."""


@pytest.mark.parametrize(
    "step", ["wait_for_authorization", "begin_challenge", "finalize", "certificate", "wait_for_order"]
)
async def test_a_worker_killed_at_any_step_after_the_order(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    await site.map(HOST)
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())
    await _kill_at(site, monkeypatch, step)
    assert (await site.row(HOST))["order_url"] is not None
    await site.close()
    site.set()  # a new process, which has not talked to the authority yet
    await site.work()
    assert (len(ca.orders), len(ca.issued)) == (1, 1)
    assert len(await site.certificates(HOST)) == 1


async def test_a_worker_killed_before_it_stores_the_certificate(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.map(HOST)
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())
    with monkeypatch.context() as patch:
        patch.setattr(maintaining, "_store", _raise_killed)
        await _run_until_killed(site)
    assert await site.certificates(HOST) == []
    await site.work()
    assert (len(ca.orders), len(ca.issued), len(await site.certificates(HOST))) == (1, 1, 1)


async def test_two_workers_on_one_order_store_one_certificate(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that stalled for longer than its lease goes on while another one has resumed its order."""
    await site.map(HOST)
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())
    stalled, go_on, finalize = asyncio.Event(), asyncio.Event(), client.Authority.finalize

    async def stall(*arguments: object) -> object:
        if not stalled.is_set():
            stalled.set()
            await go_on.wait()
        return await finalize(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(client.Authority, "finalize", stall)
    first = asyncio.create_task(LOOP.run_once(site.resources))
    await stalled.wait()
    await site.work()
    go_on.set()
    await first
    assert (len(ca.orders), len(ca.issued), len(await site.certificates(HOST))) == (1, 1, 1)


async def test_an_order_that_the_authority_has_forgotten_is_begun_again(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.map(HOST)
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())
    await _kill_at(site, monkeypatch, "finalize")
    await site.set_row(HOST, order_url=ca.directory.replace("/directory", "/order/none"))
    await site.work()
    assert len(await site.certificates(HOST)) == 1


async def test_an_order_whose_names_have_changed_is_dropped(
    site: Certified, ca: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    await site.map(HOST)
    await site.owner.execute("update automatic_certificates set due_at = $1", clock.now())
    await _kill_at(site, monkeypatch, "begin_challenge")
    await site.map("www." + HOST)
    await site.work()
    assert [issued.names for issued in ca.issued] == [[HOST, "www." + HOST]]


async def test_a_check_during_an_order_does_not_take_its_lease(site: Certified, ca: Authority) -> None:
    ref = await site.map(HOST)
    until = clock.now() + store.LEASE - timedelta(seconds=1)
    await site.set_row(HOST, due_at=until)
    await site.check(ref, HOST, points_here=False)
    await site.check(ref, HOST)
    assert (await site.row(HOST))["due_at"] == until


async def _kill_at(site: Certified, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(client.Authority, step, _raise_killed)
        await _run_until_killed(site)


async def _raise_killed(*_arguments: object, **_options: object) -> None:
    raise Killed


async def _run_until_killed(site: Certified) -> None:
    """The handler ends without an outcome; its lease is left to expire."""
    now = clock.now()
    async with site.resources.database.connection() as connection:
        [item] = await store.claim(connection, now, now + store.LEASE, 1)
    with pytest.raises(Killed):
        await maintaining.maintain(Work(site.resources, item, Outcomes(site.resources, OUTBOX)))
