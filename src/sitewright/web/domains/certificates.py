"""View model of the certificate of a host name."""

import msgspec
from markupsafe import Markup

from sitewright.domains.certificates.acme.service import CertificateState
from sitewright.kit.http.messages import Messages

TONES = {"valid": "good", "pending": "accent", "failing": "warn", "expired": "bad", "off": "neutral"}


class CertificateView(msgspec.Struct, frozen=True, kw_only=True):
    status: str
    label: str
    tone: str
    source: str | None
    until: Markup | None
    """Until when it is or was valid, as a sentence."""
    reason: str | None
    next_attempt: Markup | None
    """The next attempt or renewal, as a sentence."""
    is_being_ordered: bool
    """It can be there within seconds."""
    may_be_retried: bool


def certificate_view(state: CertificateState, messages: Messages) -> CertificateView:
    is_waiting = state.status == "pending" and state.reason is not None
    return CertificateView(
        status=state.status,
        label=messages(f"tls_{'waiting' if is_waiting else state.status}"),
        tone="neutral" if is_waiting else _tone(state),
        source=None if state.source == "none" else messages(f"tls_source_{state.source}"),
        until=_until(state, messages),
        reason=None if state.reason is None else reason_text(state.reason.code, state.reason.detail, messages),
        next_attempt=_next_attempt(state, messages),
        is_being_ordered=state.status == "pending" and not is_waiting,
        may_be_retried=state.automatic_ref is not None and state.status in ("pending", "failing", "expired"),
    )


def _tone(state: CertificateState) -> str:
    return "bad" if state.status == "failing" and state.not_after is None else TONES[state.status]


def reason_text(code: str, detail: str, messages: Messages) -> str:
    """In the reader's language; a reason of a later release keeps the service's text."""
    key = f"tls_reason_{code}"
    return messages(key) if key in messages else detail


def _until(state: CertificateState, messages: Messages) -> Markup | None:
    if state.not_after is None:
        return None
    text = "tls_expired_on" if state.status == "expired" else "tls_until"
    return messages.html(text, time=messages.time(state.not_after))


def _next_attempt(state: CertificateState, messages: Messages) -> Markup | None:
    if state.next_attempt is None or (state.status == "pending" and state.reason is None):
        return None
    text = "tls_renewal" if state.status == "valid" and state.reason is None else "tls_next"
    return messages.html(text, time=messages.time(state.next_attempt))
