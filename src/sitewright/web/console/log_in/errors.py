"""Errors of the log-in, shown on its form; `text` is the key of the message."""

from typing import ClassVar


class LogInError(Exception):
    status: ClassVar[int]
    text: ClassVar[str]

    def __init__(self, seconds: int = 0) -> None:
        """`seconds`: how long to wait before the next attempt."""
        self.seconds = seconds
        super().__init__(self.text)

    @property
    def headers(self) -> dict[str, str]:
        return {"retry-after": str(self.seconds)} if self.seconds else {}


class WrongCredentials(LogInError):
    """User name or password is wrong; the response does not say which."""

    status = 401
    text = "wrong_credentials"

    @property
    def headers(self) -> dict[str, str]:
        """A 401 must have a challenge; browsers do not know this scheme, and show the page."""
        return {"www-authenticate": 'Form realm="sitewright"'}


class TooManyAttempts(LogInError):
    status = 429
    text = "too_many_attempts"


class TooBusy(LogInError):
    """The queue of password verifications is full."""

    status = 503
    text = "too_busy"


class FromElsewhere(LogInError):
    """The form was sent by another site's page (CSRF protection)."""

    status = 403
    text = "came_from_elsewhere"
