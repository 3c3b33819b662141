"""What others read of automatic certificates: the certificate of each mapped host, and the state of each group."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from sitewright.domains.certificates.acme import reasons, store
from sitewright.domains.certificates.acme.errors import AutomaticCertificateNotFound
from sitewright.domains.certificates.acme.listing.service import (
    AutomaticCertificateFilter,
    AutomaticCertificateRow,
    State,
    list_automatic_certificates,
)
from sitewright.domains.certificates.acme.reasons import Reason
from sitewright.domains.certificates.acme.states import store as state_store
from sitewright.domains.certificates.acme.states.store import HostFacts, ListedGroup
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.timestamps import timestamp
from sitewright.settings import Settings
from sitewright.sites.sites.hooks import CollectedCertificates
from sitewright.sites.sites.schemas import CertificateReason, DomainCertificate
from sitewright.tenants.brands import service as brands

__all__ = [
    "AutomaticCertificateFilter",
    "AutomaticCertificateRow",
    "CertificateState",
    "ListedGroup",
    "State",
    "collect_certificates",
    "key_authorization",
    "list_all",
    "list_automatic_certificates",
    "retry",
    "states_of_domains",
    "status_of_group",
]
key_authorization = store.key_authorization
Status = Literal["pending", "valid", "failing", "expired", "off"]
NOT_YET = Reason(reasons.NOT_CHECKED, "The domain was not checked yet. Its certificate is ordered once it points here.")
OFF = Reason(reasons.SWITCHED_OFF, "Automatic certificates are not set up in this environment.")
UNTIL_IT_POINTS_HERE = (reasons.NOT_CHECKED, reasons.NOT_POINTING_HERE)
NOT_INCLUDED = Reason(reasons.NOT_IN_PACKAGE, "The package does not include automatic certificates. Upload one.")


class CertificateState(msgspec.Struct, frozen=True, kw_only=True):
    """The certificate of one host name, as visitors see it, and what is planned."""

    source: Literal["automatic", "uploaded", "none"]
    status: Status
    not_after: datetime | None = None
    next_attempt: datetime | None = None
    reason: Reason | None = None
    automatic_ref: int | None = None
    """The automatic certificate that the host is part of, which can be retried."""

    @property
    def replacement(self) -> Literal["pending", "failing"] | None:
        """Where visitors have no valid certificate: whether one is being obtained, or something is in the way."""
        if self.status in ("pending", "failing"):
            return self.status if self.not_after is None else None
        code = None if self.reason is None else self.reason.code
        is_planned = self.next_attempt is not None or code in UNTIL_IT_POINTS_HERE
        if self.status != "expired" or not is_planned:
            return None
        return "pending" if code is None or code in UNTIL_IT_POINTS_HERE else "failing"


async def states_of_domains(
    tx: Transaction, settings: Settings, domain_refs: Sequence[int]
) -> dict[int, CertificateState]:
    """The certificates of mapped host names of the transaction's brand, by domain ref, in one statement."""
    facts = await state_store.read_facts(tx, domain_refs, clock.real_now())
    is_on = bool(settings.acme_directory)
    return {
        each.domain_ref: msgspec.structs.replace(state_of(each, is_on=is_on), automatic_ref=each.group_ref)
        for each in facts
    }


def state_of(facts: HostFacts, *, is_on: bool) -> CertificateState:
    """An uploaded certificate counts while it is valid; then the automatic one; then why there is none."""
    now = clock.real_now()
    if facts.uploaded_until is not None and facts.uploaded_until > now:
        return CertificateState(source="uploaded", status="valid", not_after=facts.uploaded_until)
    is_kept = is_on and facts.is_included
    reason = _reason(facts, is_on=is_on)
    if facts.automatic_until is not None:
        return CertificateState(
            source="automatic",
            status=_status(facts, now),
            not_after=facts.automatic_until,
            next_attempt=_next_attempt(facts) if is_kept else None,
            reason=reason,
        )
    is_being_ordered = is_kept and reason is None
    if facts.uploaded_until is not None and not is_being_ordered:
        return CertificateState(
            source="uploaded",
            status="expired",
            not_after=facts.uploaded_until,
            next_attempt=_next_attempt(facts) if is_kept else None,
            reason=reason if is_kept else None,
        )
    if not is_kept:
        return CertificateState(source="none", status="off", reason=reason)
    status: Status = "failing" if facts.failures else "pending"
    return CertificateState(source="automatic", status=status, next_attempt=_next_attempt(facts), reason=reason)


def _status(facts: HostFacts, now: datetime) -> Status:
    if facts.automatic_until is not None and facts.automatic_until <= now:
        return "expired"
    return "failing" if facts.failures else "valid"


def _next_attempt(facts: HostFacts) -> datetime | None:
    """The renewal, or the next attempt where something is in the way; looks at the renewal window do not count."""
    if facts.due_at is None:
        return None
    return facts.renew_at if facts.renew_at is not None and facts.reason_code is None else facts.due_at


def _reason(facts: HostFacts, *, is_on: bool) -> Reason | None:
    if not is_on:
        return OFF
    if not facts.is_included:
        return NOT_INCLUDED
    if facts.points_here is None:
        return None if facts.automatic_until else NOT_YET
    if not facts.points_here:
        return reasons.not_pointing_here([facts.domain])
    return None if facts.reason_code is None else Reason(facts.reason_code, facts.reason_detail or "")


async def collect_certificates(tx: Transaction, collected: CollectedCertificates) -> None:
    """Observes `certificates_collected`: for `GET /sites/:siteRef/domains`."""
    found = await states_of_domains(tx, collected.settings, collected.domain_refs)
    zone = (await brands.settings_of_brand(tx)).time_zone
    for ref, state in found.items():
        collected.found[ref] = DomainCertificate(
            source=state.source,
            status=state.status,
            not_after=None if state.not_after is None else timestamp(state.not_after, zone),
            next_attempt=None if state.next_attempt is None else timestamp(state.next_attempt, zone),
            reason=None if state.reason is None else CertificateReason(state.reason.code, state.reason.detail),
        )


def status_of_group(group: ListedGroup | AutomaticCertificateRow) -> State:
    if group.not_after is not None and group.not_after <= clock.real_now():
        return "expired"
    if group.failures:
        return "failing"
    return "pending" if group.not_after is None else "valid"


async def list_all(connection: Transaction, most: int) -> list[ListedGroup]:
    """Across brands, for the operator: those with a problem first, then the first to expire first."""
    return await state_store.list_all(connection, most)


async def retry(tx: Transaction, caller: Caller, ref: int) -> None:
    """Try now, with the back-off from its beginning."""
    if not await store.make_due_now(tx, ref, clock.now()):
        raise AutomaticCertificateNotFound
    await audit.record_by(tx, caller, "retry", "automatic certificate", ref)
