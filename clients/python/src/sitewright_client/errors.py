"""What can go wrong. Every error of a call knows its request id and how many attempts were made."""

from collections.abc import Mapping
from typing import Any


class SitewrightError(Exception):
    """Any error of this package."""


class CallError(SitewrightError):
    """A call that did not succeed."""

    def __init__(self, message: str, *, request_id: str, attempts: int) -> None:
        super().__init__(f"{message} (request {request_id}, attempts: {attempts})")
        self.request_id = request_id
        """Mention it when you report a problem; the service's log has it too."""
        self.attempts = attempts


class ConnectionFailed(CallError):
    """No response arrived, after all attempts. Whether the call was carried out is not known: repeat it."""


class UnreadableResponse(CallError):
    """The response is not what this API sends: usually the address is wrong, or something else sent it."""


class ApiError(CallError):
    """The service refused the call, with a problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any], *, request_id: str, attempts: int) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code", ""))
        """What went wrong, for programs; it never changes."""
        self.detail = str(problem.get("detail", ""))
        self.errors: Mapping[str, Mapping[str, str]] = problem.get("errors") or {}
        """Every failing field with its code and what is wrong with it."""
        parts = [f"{status} {self.code}".strip(), self.detail, *self._field_texts()]
        message = ": ".join(part.removesuffix(".") for part in parts if part)
        super().__init__(message, request_id=request_id, attempts=attempts)

    def _field_texts(self) -> list[str]:
        if len(self.errors) < 2:  # the detail names a single field itself
            return []
        return ["; ".join(f"{name} {text}" for name, codes in self.errors.items() for text in codes.values())]


class EventsGone(ApiError):
    """The events after this position are no longer kept: read the state of everything, then follow the feed again."""

    @property
    def oldest_sequence(self) -> int | None:
        """The oldest event that is kept; follow the feed from the one before it."""
        current = self.problem.get("current") or {}
        return current.get("oldestSequence")


class WebhookRejected(SitewrightError):
    """A delivery that is not authentic, or too old."""


def api_error(status: int, problem: Mapping[str, Any], *, request_id: str, attempts: int) -> ApiError:
    kind = EventsGone if problem.get("code") == "eventsGone" else ApiError
    return kind(status, problem, request_id=request_id, attempts=attempts)
