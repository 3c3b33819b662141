"""One order at a certificate authority, from its beginning or from where a killed worker left it."""

import asyncio
from collections.abc import Sequence

from sitewright.domains.certificates.acme import store
from sitewright.domains.certificates.acme.client.authority import Authority
from sitewright.domains.certificates.acme.client.certificates import new_key, signing_request
from sitewright.domains.certificates.acme.client.errors import AcmeError, AuthorityUnavailable, Problem
from sitewright.domains.certificates.acme.client.messages import DNS, HTTP, Authorization, Challenge, Order
from sitewright.domains.certificates.acme.planning import Plan
from sitewright.domains.certificates.acme.work import LeaseLost, Work
from sitewright.domains.dns import service as dns
from sitewright.kit import clock
from sitewright.kit.sealing import MasterKeyError

CHALLENGE_NAME = "_acme-challenge."
FORGOTTEN = ("malformed", "unauthorized", "accountDoesNotExist", "notFound")
"""How authorities refuse the address of an order that they no longer have."""
NOT_REPLACED = ("alreadyReplaced", "malformed", "unauthorized", "conflict")
"""How authorities refuse an order because of the certificate that it replaces."""


class ValidationFailed(AcmeError):
    """The authority could not validate these hosts."""

    def __init__(self, problem: Problem, hosts: Sequence[str]) -> None:
        super().__init__(problem)
        self.hosts = hosts


def order_key_context(brand_ref: int, ref: int) -> str:
    return f"acme order/{brand_ref}/{ref}"


async def try_staging(work: Work, plan: Plan, authority: Authority) -> None:
    """A complete order whose certificate is not used: a failure here costs no rate limit."""
    order = await authority.new_order(plan.names)
    await _complete(work, plan, authority, order, new_key())


async def obtain(work: Work, plan: Plan, authority: Authority) -> tuple[str, bytes]:
    """The chain and the key, both as PEM. The order is in the database before it is finalized."""
    if plan.group.order_url and (resumed := await _resume(work, plan, authority)) is not None:
        return await _complete(work, plan, authority, *resumed), resumed[1]
    order, key = await _begin(work, plan, authority), new_key()
    group, sealer = plan.group, work.resources.sealer
    sealed = sealer.seal(key, order_key_context(group.brand_ref, group.ref))
    async with work.transaction() as tx:
        at = plan.reserved_at or clock.real_now()
        if not await store.save_order(tx, work.item, order.url, plan.directory, plan.names, sealed, at):
            raise LeaseLost
    return await _complete(work, plan, authority, order, key), key


async def _begin(work: Work, plan: Plan, authority: Authority) -> Order:
    profile = work.resources.settings.acme_profile
    try:
        return await authority.new_order(plan.names, profile, plan.replaces)
    except AcmeError as error:
        if plan.replaces is None or error.problem.kind not in NOT_REPLACED:
            raise
    return await authority.new_order(plan.names, profile)


async def _resume(work: Work, plan: Plan, authority: Authority) -> tuple[Order, bytes] | None:
    """None where the order cannot be continued: a new one is begun."""
    group = plan.group
    try:
        sealed = group.sealed_order_key or b""
        key = work.resources.sealer.unseal(sealed, order_key_context(group.brand_ref, group.ref))
        order = await authority.order(group.order_url or "")
    except MasterKeyError:
        return None
    except AcmeError as error:
        if error.problem.kind not in FORGOTTEN:
            raise
        return None
    return None if order.status == "invalid" else (order, key)


async def _complete(work: Work, plan: Plan, authority: Authority, order: Order, key: bytes) -> str:
    if order.status == "pending":
        await _validate(work, plan, authority, order)
        order = await authority.wait_for_order(order.url, until=("ready", "processing", "valid"))
    if order.status == "ready":
        order = await _finalize(authority, order, signing_request(key, plan.names))
    if order.status not in ("valid", "invalid"):
        order = await authority.wait_for_order(order.url, until=("valid",))
    if order.status == "invalid" or order.certificate is None:
        raise AcmeError(order.error or Problem(detail=f"the order is {order.status}"))
    return await authority.certificate(order.certificate)


async def _finalize(authority: Authority, order: Order, csr: bytes) -> Order:
    """Another worker may have finalized it at the same time, with the same key."""
    try:
        return await authority.finalize(order, csr)
    except AcmeError as error:
        current = await authority.order(order.url)
        if error.problem.kind == "orderNotReady" or current.status in ("processing", "valid"):
            return current
        raise


async def _validate(work: Work, plan: Plan, authority: Authority, order: Order) -> None:
    urls = order.authorizations
    found = await asyncio.gather(*(authority.authorization(url) for url in urls))
    open_ones = [(url, each) for url, each in zip(urls, found, strict=True) if each.status == "pending"]
    refused = [each for each in found if each.status not in ("pending", "valid")]
    if refused:
        raise ValidationFailed(refused[0].problem, [refused[0].identifier.value])
    kind = DNS if plan.group.is_wildcard else HTTP
    challenges = [(each.identifier.value, _challenge(each, kind)) for _, each in open_ones]
    if not challenges:
        return
    try:
        await _respond(work, plan, authority, challenges)
        await asyncio.gather(
            *(authority.begin_challenge(each.url) for _, each in challenges if each.status == "pending")
        )
        results = await asyncio.gather(*(authority.wait_for_authorization(url) for url, _ in open_ones))
    finally:
        if plan.group.is_wildcard:
            zone = plan.group.name
            await dns.withdraw_challenge(work.resources, work.item.brand_ref, zone, CHALLENGE_NAME + zone)
    failed = [each for each in results if each.status != "valid"]
    if failed:
        raise ValidationFailed(failed[0].problem, [each.identifier.value for each in failed])


async def _respond(work: Work, plan: Plan, authority: Authority, challenges: Sequence[tuple[str, Challenge]]) -> None:
    """The responses are in place on every edge server, or at the zone's primary, before the authority looks."""
    key, group = authority.key, plan.group
    if group.is_wildcard:
        values = [key.dns_value(each.token) for _, each in challenges]
        await dns.present_challenge(
            work.resources, work.item.brand_ref, group.name, CHALLENGE_NAME + group.name, values
        )
        return
    responses = [(each.token, host, key.authorize(each.token)) for host, each in challenges]
    async with work.transaction() as tx:
        if not await store.save_challenges(tx, work.item, responses):
            raise LeaseLost


def _challenge(authorization: Authorization, kind: str) -> Challenge:
    for each in authorization.challenges:
        if each.type == kind:
            return each
    raise AuthorityUnavailable(f"The certificate authority offers no {kind} challenge.")
