"""The worker's half: registers, renews and releases domains at the registrar.

Domains are an outbox: a domain is due from the transaction that changes it until the registrar has confirmed every
step. The next step is computed from the domain's own row, so an attempt is idempotent: run twice or late, it does only
what is missing.
"""

import asyncio
import logging
from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum

import msgspec

from sitewright.accounts.account_packages.add_ons import service as add_ons
from sitewright.accounts.users import service as users
from sitewright.domains.account_domains import domain_events, store
from sitewright.domains.account_domains.domain_events import REGISTERED, RENEWED
from sitewright.domains.account_domains.hooks import domains_registered, domains_released
from sitewright.domains.account_domains.registrars import RegistrarRefused, Registration
from sitewright.domains.account_domains.store import AccountDomain, RegistrationDetails
from sitewright.kit import audit, clock
from sitewright.kit.db import Transaction
from sitewright.kit.failures import is_database_unavailable, reason_of
from sitewright.kit.jobs import JobKind
from sitewright.kit.outbox import BackOff, Claimed, Outbox
from sitewright.kit.outbox.loop import Batch, OutboxLoop
from sitewright.kit.resources import Resources

TIMEOUT_SECONDS = 30
ACTOR = "registrar"
CONCURRENCY = 4
"""Domains of one worker that are reconciled at the same time."""
_log = logging.getLogger("sitewright.domains")


class Domains(msgspec.Struct, frozen=True):
    """Account domains of one brand."""

    brand_ref: int
    refs: Sequence[int]


class Step(StrEnum):
    REGISTER = "register"
    RENEW = "renew"
    RELEASE = "release"


class NotReleasedYet(Exception):
    """The name's former domain has ended, and the registrar has not released it yet."""


def next_step(domain: AccountDomain) -> Step | None:
    if domain.ended_at is not None:
        return Step.RELEASE if domain.released_at is None else None
    if domain.registered_until is None:
        return Step.REGISTER
    return Step.RENEW if domain.registered_until < domain.expires_at else None


async def reconcile(domains: Domains, resources: Resources) -> None:
    """Immediately, without the outbox. A failure does not stop the other domains; the first error is raised last."""
    errors = []
    for ref in domains.refs:
        try:
            await _reconcile(resources, domains.brand_ref, ref)
        except Exception as error:
            _log.warning("reconciling domain %s of brand %s failed: %r", ref, domains.brand_ref, error)
            await _record_failure(resources, domains.brand_ref, ref, f"No clear response yet: {error!r}")
            errors.append(error)
    if errors:
        raise errors[0]


async def _reconcile(resources: Resources, brand_ref: int, ref: int) -> bool:
    """Step by step until nothing is left to do, because the domain may change meanwhile.

    Returns False if the registrar refused a step.
    """
    while True:
        async with resources.database.transaction(brand_ref) as tx:
            domain = await store.find(tx, ref)
            step = None if domain is None else next_step(domain)
            if domain is None or step is None:
                return True
            details = await store.read_registration_details(tx, ref)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                await _call_registrar(resources, step, domain, details)
        except RegistrarRefused as refusal:
            if step is Step.REGISTER:
                await _fail_registration(resources, domain, str(refusal), is_refused=True)
            else:
                await _fail_for_good(resources, domain, step, str(refusal))
            return False
        async with resources.database.transaction(brand_ref) as tx:
            await _confirm(tx, step, domain)


async def _call_registrar(
    resources: Resources, step: Step, domain: AccountDomain, details: RegistrationDetails
) -> None:
    registrar, registration = details.registrar, registration_of(domain)
    if step is Step.RENEW:
        await registrar.renew(resources, registration)
    elif step is Step.RELEASE:
        await registrar.release(resources, registration)
    else:
        try:
            await registrar.register(resources, registration, details.holder)
        except RegistrarRefused as refusal:
            async with resources.database.connection() as connection:
                if await store.is_being_released(connection, domain.domain):
                    raise NotReleasedYet("the name is being released for its former holder") from refusal
            raise


def registration_of(domain: AccountDomain) -> Registration:
    return Registration(
        brand_ref=domain.brand_ref,
        account_domain_ref=domain.ref,
        domain=domain.domain,
        until=domain.expires_at,
    )


async def _confirm(tx: Transaction, step: Step, domain: AccountDomain) -> None:
    now, is_new = clock.now(), False
    if step is Step.RELEASE:
        await store.confirm_release(tx, domain.ref, now)
        await domains_released.notify(tx, [domain.ref])
    else:
        is_new = await store.confirm_registration(tx, domain.ref, domain.domain, domain.expires_at, now)
    if step is Step.REGISTER:
        await domains_registered.notify(tx, [domain.ref])
    await _record(tx, step.value, domain.brand_ref, domain.ref)
    if is_new:
        await domain_events.emit_confirmed(tx, REGISTERED if step is Step.REGISTER else RENEWED, domain, now)


async def _fail_registration(resources: Resources, domain: AccountDomain, reason: str, *, is_refused: bool) -> None:
    """Ends the domain and voids its charge. After unclear responses of the registrar the name is released."""
    now = clock.now()
    async with resources.database.transaction(domain.brand_ref) as tx:
        is_mailed = await users.lock_reachable(tx, domain.user_ref)
        await store.record_failure(tx, domain.ref, reason, now, is_final=True)
        package = domain.account_package_ref
        await add_ons.void_add_on(tx, resources.sealer, ACTOR, domain.user_ref, package, is_mailed=is_mailed)
        if is_refused:
            await store.close_refused(tx, domain.ref, now)
            await domains_released.notify(tx, [domain.ref])
        await _record(tx, "refuse", domain.brand_ref, domain.ref)
        await domain_events.emit_failed(tx, domain, Step.REGISTER, now)


async def _fail_for_good(resources: Resources, domain: AccountDomain, step: Step, reason: str) -> None:
    """The registrar refuses to renew or release it: an operator has to act."""
    now = clock.now()
    async with resources.database.transaction(domain.brand_ref) as tx:
        await store.record_failure(tx, domain.ref, reason, now, is_final=True)
        await _record(tx, "refuse", domain.brand_ref, domain.ref)
        await domain_events.emit_failed(tx, domain, step, now)


async def _record_failure(resources: Resources, brand_ref: int, ref: int, reason: str) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        await store.record_failure(tx, ref, reason, clock.now(), is_final=False)


async def _record(tx: Transaction, action: str, brand_ref: int, ref: int) -> None:
    await audit.record(tx, actor=ACTOR, action=action, subject="account domain", ref=ref, brand_ref=brand_ref)


async def erase_holder(domains: Domains, resources: Resources) -> None:
    """An error does not stop the other domains; the job is then retried."""
    errors = []
    for ref in domains.refs:
        try:
            await _erase_holder(resources, domains.brand_ref, ref)
        except Exception as error:
            _log.warning(
                "erasing the holder of domain %s of brand %s failed: %s", ref, domains.brand_ref, reason_of(error)
            )
            errors.append(error)
    if errors:
        raise errors[0]


async def _erase_holder(resources: Resources, brand_ref: int, ref: int) -> None:
    async with resources.database.transaction(brand_ref) as tx:
        domain, details = await store.find(tx, ref), await store.read_registration_details(tx, ref)
    if domain is not None:
        await details.registrar.erase_holder(resources, registration_of(domain))


async def handle(batch: Batch) -> bool:
    for item in batch.items:
        try:
            is_accepted = await _reconcile(batch.resources, item.brand_ref, item.ref)
        except Exception as error:
            if is_database_unavailable(error):
                await batch.outcomes.release([item])
                return False
            await _retry(batch, item, f"No clear response yet: {error!r}")
        else:
            if is_accepted:
                await batch.outcomes.done([item])
            else:
                batch.outcomes.count("dead", item)
    return True


async def _retry(batch: Batch, item: Claimed, reason: str) -> None:
    """After the last retry, a registration has failed."""
    is_last = OUTBOX.back_off.delay(item.attempts) is None
    async with batch.resources.database.transaction(item.brand_ref) as tx:
        domain = await store.find(tx, item.ref)
    if domain is not None and is_last and next_step(domain) is Step.REGISTER:
        await _fail_registration(batch.resources, domain, reason, is_refused=False)
        batch.outcomes.count("dead", item)
    else:
        await _record_failure(batch.resources, item.brand_ref, item.ref, reason)
        await batch.outcomes.retry([item], reason)


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
LOOP = OutboxLoop(OUTBOX, handle)
RECONCILE = JobKind("account-domains.carry-out", Domains, _mark_due, attempts=8)
"""Enqueued by the previous release only; to be removed in the next one."""
ERASE_HOLDER = JobKind("account-domains.forget-holder", Domains, erase_holder, attempts=8)
