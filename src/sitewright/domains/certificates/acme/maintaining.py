"""An attempt: look at the renewal window, or obtain, check and store the certificate; then the next due time."""

import asyncio
import logging
from datetime import timedelta

from cryptography import x509

from sitewright.domains.certificates import service as certificates
from sitewright.domains.certificates.acme import groups, ordering, reasons, recording, renewal, retries, store
from sitewright.domains.certificates.acme.client.authority import Authority
from sitewright.domains.certificates.acme.client.certificates import certificate_id
from sitewright.domains.certificates.acme.client.errors import AcmeError, AuthorityUnavailable, StillProcessing
from sitewright.domains.certificates.acme.groups import SERVICE
from sitewright.domains.certificates.acme.limits import service as limits
from sitewright.domains.certificates.acme.locking import lock_certified_group, lock_group
from sitewright.domains.certificates.acme.ordering import ValidationFailed
from sitewright.domains.certificates.acme.own_hosts import service as own_hosts
from sitewright.domains.certificates.acme.planning import Plan, hosts_of, is_used, plan
from sitewright.domains.certificates.acme.reasons import Reason
from sitewright.domains.certificates.acme.work import LeaseLost, Work, corrected_now, due_at
from sitewright.domains.certificates.certificate_events import ISSUED
from sitewright.domains.certificates.service import ValidCertificate
from sitewright.domains.certificates.validation import validate
from sitewright.domains.dns.errors import DnsUnavailable
from sitewright.kit import clock
from sitewright.kit.failures import is_database_unavailable, is_transient, reason_of

PROCESSING_DELAY, PROCESSING_MOST = timedelta(minutes=1), timedelta(days=1)
_log = logging.getLogger("sitewright.certificates")


class UnusableCertificate(Exception):
    """The authority sent something that cannot be served."""


OF_THE_ORDER = (AcmeError, DnsUnavailable, UnusableCertificate)


async def maintain(work: Work) -> bool:
    """Returns False where the authority does not respond, so that fewer groups are claimed."""
    planned = await plan(work)
    if planned is None:
        return True
    try:
        await (_poll if planned.action == "poll" else _obtain)(work, planned)
    except LeaseLost:
        return True
    except (AuthorityUnavailable, StillProcessing) as error:
        record = _record_unavailable if isinstance(error, AuthorityUnavailable) else _record_processing
        await record(work, planned, error)
        return isinstance(error, StillProcessing)
    except Exception as error:
        if not isinstance(error, OF_THE_ORDER) and (is_transient(error) or is_database_unavailable(error)):
            raise
        await _record_failure(work, planned, error)
    return True


async def _poll(work: Work, planned: Plan) -> None:
    """Reads the renewal window. The time inside it is chosen once, and again only when the window changes."""
    group = planned.group
    if group.not_before is None or group.not_after is None or group.renew_at is None:
        raise LeaseLost
    if not is_used(work.resources.settings, planned.directory):
        now = clock.real_now()
        async with work.transaction() as tx:
            await store.save_window(tx, work.item, None, group.renew_at, due_at(max(group.renew_at, now), now))
        return
    authority = await work.authorities.find(planned.directory)
    found = None if group.certificate_id is None else await authority.renewal_info(group.certificate_id)
    await work.authorities.note_available(authority)
    now, renew_at, window, due = corrected_now(authority.transport.clock_skew), group.renew_at, None, group.renew_at
    if found is not None:
        info, retry_after = found
        window = group.window_start, group.window_end
        if info is not None and window != (info.suggested_window.start, info.suggested_window.end):
            window = info.suggested_window.start, info.suggested_window.end
            renew_at = renewal.time_inside(info.suggested_window, group.not_after)
        due = min(renew_at, now + renewal.next_poll(retry_after))
    async with work.transaction() as tx:
        await store.save_window(tx, work.item, window, renew_at, due_at(max(due, now), now))
    work.outcomes.count("done", work.item)


async def _obtain(work: Work, planned: Plan) -> None:
    if planned.staging and not planned.group.order_url:
        await _try_staging(work, planned)
    authority = await work.authorities.find(planned.directory)
    try:
        chain, key = await ordering.obtain(work, planned, authority)
    except AcmeError as error:
        if error.problem.kind != "accountDoesNotExist":
            raise
        authority = await work.authorities.register_again(planned.directory)
        chain, key = await ordering.obtain(work, planned, authority)
    await work.authorities.note_available(authority)
    certificate = await asyncio.to_thread(_check, chain, key)
    await _store(work, planned, authority, certificate)


async def _try_staging(work: Work, planned: Plan) -> None:
    """What fails there is a failure of the attempt; an authority for tests that does not work is none."""
    try:
        await ordering.try_staging(work, planned, await work.authorities.find(planned.staging))
    except (AuthorityUnavailable, StillProcessing) as error:
        _log.warning("the staging directory does not work: %s", error)
    except AcmeError as error:
        if error.problem.kind != "accountDoesNotExist":
            raise
        await ordering.try_staging(work, planned, await work.authorities.register_again(planned.staging))


def _check(chain: str, key: bytes) -> ValidCertificate:
    """By the same rules as uploads, at a time at which it is valid: our clock may be wrong."""
    try:
        leaf = x509.load_pem_x509_certificate(chain.encode())
    except ValueError as error:
        raise UnusableCertificate("The certificate authority sent no certificate.") from error
    at = min(max(clock.real_now(), leaf.not_valid_before_utc), leaf.not_valid_after_utc)
    certificate, errors = validate(key.decode(), chain, [], at, rsa_header=False)
    if certificate is None:
        texts = [text for field in errors.values() for text in field.values()]
        raise UnusableCertificate(f"The certificate authority sent a certificate that {'; '.join(texts)}.")
    return certificate


async def _store(work: Work, planned: Plan, authority: Authority, certificate: ValidCertificate) -> None:
    """State, audit entry and event in one transaction, if the group is still ours and still wants it."""
    now = corrected_now(authority.transport.clock_skew)
    renew_at = renewal.renewal_time(certificate.not_before, certificate.not_after)
    due = min(renew_at, now + renewal.next_poll(None)) if (await authority.directory()).renewal_info else renew_at
    async with work.transaction() as tx:
        group = await lock_certified_group(tx, work)
        if group is None:
            raise LeaseLost
        await store.lock_hosts(tx, group.brand_ref, planned.names)
        hosts = await hosts_of(tx, work.resources.settings, group)
        covered = [each for each in hosts if each.host in planned.names or group.is_wildcard]
        ref, bound = None, groups.names_to_bind(group.name, covered, is_wildcard=group.is_wildcard)
        if group.brand_ref == SERVICE:
            await own_hosts.save(tx, work.resources.sealer, certificate, planned.names)
        elif bound:
            ref = await certificates.put_automatic(tx, work.resources.sealer, group.brand_ref, certificate, bound)
        wanted = groups.names_to_order(group.name, groups.wanted_hosts(hosts), is_wildcard=group.is_wildcard)
        is_complete = set(wanted) <= set(planned.names)
        await store.delete_challenges(tx, group.ref)
        await store.save_certificate(
            tx, work.item, ref, planned.directory, certificate_id(certificate.chain), planned.names,
            certificate.not_before, certificate.not_after, renew_at, due_at(max(due, now) if is_complete else now, now),
        )  # fmt: skip
        await recording.emit(tx, ISSUED, group.brand_ref, covered, certificate.not_after)
    work.outcomes.count("done", work.item)


async def _record_unavailable(work: Work, planned: Plan, error: Exception) -> None:
    """The order is kept and resumed; what was counted towards the limits is released unless the order exists."""
    unavailable_for = await work.authorities.note_unavailable(planned.directory)
    delay = retries.delay_while_unavailable(unavailable_for, getattr(error, "retry_after", None))
    reason = Reason(reasons.UNAVAILABLE, f"{error} The service retries.")
    async with work.transaction() as tx:
        group = await lock_group(tx, work)
        if group is None:
            return
        if group.order_url is None and planned.reserved_at is not None:
            await limits.release(tx, group.ref, planned.names, planned.reserved_at, with_order=True)
        if planned.action == "poll":
            # The certificate is valid: only the window could not be read.
            due = min(clock.now() + delay, due_at(group.renew_at or clock.real_now(), clock.real_now()))
            await store.save_failure(tx, work.item, None, None, 0, None, max(due, clock.now()))
        else:
            await recording.wait_for_authority(tx, work, group, reason, delay)


async def _record_processing(work: Work, _planned: Plan, error: Exception) -> None:
    async with work.transaction() as tx:
        group = await lock_group(tx, work)
        if group is None:
            return
        if group.ordered_at is not None and clock.real_now() - group.ordered_at > PROCESSING_MOST:
            await store.drop_order(tx, work.item)
        retry_after = getattr(error, "retry_after", None) or 0.0
        delay = max(PROCESSING_DELAY, timedelta(seconds=min(retry_after, 3600.0)))
        reason = Reason(reasons.PROCESSING, "The certificate authority is still working on the order.")
        await recording.postpone(tx, work, group, reason, clock.now() + delay)


async def _record_failure(work: Work, planned: Plan, error: Exception) -> None:
    reason, retry_after = _reason_of(planned, error), getattr(error, "retry_after", None)
    async with work.transaction() as tx:
        group = await lock_group(tx, work)
        if group is None:
            return
        await store.drop_order(tx, work.item)
        reserved_at = planned.reserved_at or group.ordered_at
        if reserved_at is not None:
            await limits.release(tx, group.ref, planned.names, reserved_at)
        if isinstance(error, ValidationFailed):
            await limits.count_failure(tx, group.ref, error.hosts)
        hosts = await hosts_of(tx, work.resources.settings, group)
        await recording.fail(tx, work, group, reason, hosts, retry_after)


def _reason_of(planned: Plan, error: Exception) -> Reason:
    if isinstance(error, AcmeError):
        return reasons.reason_of_problem(error.problem)
    if isinstance(error, DnsUnavailable):
        return Reason(reasons.DNS_UNAVAILABLE, str(error))
    if isinstance(error, UnusableCertificate):
        return Reason(reasons.INTERNAL, str(error))
    _log.error("an order failed unexpectedly: %s", planned.group.name, exc_info=error)
    return Reason(reasons.INTERNAL, f"An error of this service: {reason_of(error)}.")
