"""The worker's half: what was bought, renewed or given up is carried out at the registrar.

Domains are an outbox: one is due from the transaction that changes it until the registrar has done everything. What is
to be done follows from the domain's own row, so an attempt that runs twice or late does what is missing and no more.
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum

import msgspec

from sitewright.domains.account_domains import registrars, store
from sitewright.domains.account_domains.registrars import Refused, Registration
from sitewright.domains.account_domains.store import AccountDomain, Supply
from sitewright.kit import audit, clock
from sitewright.kit.db import Transaction
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.jobs import JobKind
from sitewright.kit.outbox import BackOff, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.resources import Resources

ANSWER_SECONDS = 30
ACTOR = "registrar"
CONCURRENCY = 4
"""Domains of a worker for which registrars are asked at the same time."""
_log = logging.getLogger("sitewright.domains")


class Domains(msgspec.Struct, frozen=True):
    """Account domains of one brand."""

    brand_ref: int
    refs: Sequence[int]


class Step(StrEnum):
    REGISTER = "register"
    RENEW = "renew"
    RELEASE = "release"


class NotFreeYet(Exception):
    """The name was given up, and the registrar does not know it yet."""


def next_step(domain: AccountDomain) -> Step | None:
    if domain.ended_at is not None:
        return Step.RELEASE if domain.released_at is None else None
    if domain.registered_until is None:
        return Step.REGISTER
    return Step.RENEW if domain.registered_until < domain.expires_at else None


async def carry_out(domains: Domains, resources: Resources) -> None:
    """Now, without the outbox. One domain's failure does not stop the others; the first is raised in the end."""
    troubles = []
    for ref in domains.refs:
        try:
            await _carry_out(resources, domains.brand_ref, ref)
        except Exception as trouble:
            _log.warning("domain %s of brand %s: %r", ref, domains.brand_ref, trouble)
            await _note_failure(resources, domains.brand_ref, ref, f"No clear answer yet: {trouble!r}", is_final=False)
            troubles.append(trouble)
    if troubles:
        raise troubles[0]


async def _carry_out(resources: Resources, brand_ref: int, ref: int) -> None:
    """Until nothing is left to do: what a domain should be may change meanwhile."""
    while True:
        async with resources.database.transaction(brand_ref) as tx:
            domain = await store.find(tx, ref)
            step = None if domain is None else next_step(domain)
            if domain is None or step is None:
                return
            supply = await store.read_supply(tx, ref)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await _ask(resources, step, domain, supply)
        except Refused as refused:
            await _note_failure(resources, brand_ref, ref, str(refused), is_final=True)
            return
        async with resources.database.transaction(brand_ref) as tx:
            await _confirm(tx, step, domain)


async def _ask(resources: Resources, step: Step, domain: AccountDomain, supply: Supply) -> None:
    registrar, registration = registrars.registrar_of(supply.class_name), registration_of(domain)
    if step is Step.RENEW:
        await registrar.renew(resources, registration)
    elif step is Step.RELEASE:
        await registrar.release(resources, registration)
    else:
        try:
            await registrar.register(resources, registration, supply.holder)
        except Refused as refused:
            async with resources.database.connection() as connection:
                if await store.is_being_released(connection, domain.domain):
                    raise NotFreeYet("the name is just being given up by somebody else") from refused
            raise


def registration_of(domain: AccountDomain) -> Registration:
    return Registration(
        brand_ref=domain.brand_ref,
        account_domain_ref=domain.ref,
        domain=domain.domain,
        until=domain.expires_at,
    )


async def _confirm(tx: Transaction, step: Step, domain: AccountDomain) -> None:
    if step is Step.RELEASE:
        await store.confirm_release(tx, domain.ref, clock.now())
    else:
        await store.confirm_registration(tx, domain.ref, domain.domain, domain.expires_at, clock.now())
    await _record(tx, step.value, domain.brand_ref, domain.ref)


async def _note_failure(resources: Resources, brand_ref: int, ref: int, reason: str, *, is_final: bool) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await store.note_failure(tx, ref, reason, clock.now(), is_final=is_final)
        if is_final:
            await _record(tx, "refuse", brand_ref, ref)


async def _record(tx: Transaction, action: str, brand_ref: int, ref: int) -> None:
    await audit.record(tx, actor=ACTOR, action=action, subject="account domain", ref=ref, brand_ref=brand_ref)


async def forget_holder(domains: Domains, resources: Resources) -> None:
    """One domain's trouble does not stop the others; the job is tried again for it."""
    troubles = []
    for ref in domains.refs:
        try:
            await _forget_holder(resources, domains.brand_ref, ref)
        except Exception as trouble:
            _log.warning("the holder of domain %s of brand %s: %s", ref, domains.brand_ref, reason_of(trouble))
            troubles.append(trouble)
    if troubles:
        raise troubles[0]


async def _forget_holder(resources: Resources, brand_ref: int, ref: int) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        domain, supply = await store.find(tx, ref), await store.read_supply(tx, ref)
    if domain is not None:
        registrar = registrars.registrar_of(supply.class_name)
        await registrar.forget_holder(resources, registration_of(domain))


async def _handle(batch: Batch) -> bool:
    for item in batch.items:
        try:
            await _carry_out(batch.resources, item.brand_ref, item.ref)
        except Exception as trouble:
            if is_database_unavailable(trouble):
                await batch.outcomes.release([item])
                return False
            reason = f"No clear answer yet: {trouble!r}"
            await _note_failure(batch.resources, item.brand_ref, item.ref, reason, is_final=False)
            await batch.outcomes.retry([item], reason)
        else:
            await batch.outcomes.done([item])
    return True


async def _mark_due(domains: Domains, resources: Resources) -> None:
    async with resources.database.transaction(domains.brand_ref) as tx:
        await store.mark_due(tx, domains.refs, clock.now())


OUTBOX = Outbox(
    name="domains",
    table=store.TABLE,
    claim=store.claim,
    lease=timedelta(minutes=2),
    back_off=BackOff(tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 1800, 7200, 6 * 3600))),
    concurrency=lambda _settings: CONCURRENCY,
)
LOOP = OutboxLoop(OUTBOX, _handle)
CARRY_OUT = JobKind("account-domains.carry-out", Domains, _mark_due, attempts=8)
"""Enqueued by the previous release only; to be removed in the next one."""
FORGET_HOLDER = JobKind("account-domains.forget-holder", Domains, forget_holder, attempts=8)
