"""Errors of log-in and log-out, shown as a page instead of a problem document; `text` is the key of the message."""

from typing import ClassVar

from sitewright.tenants.brands.schemas import BrandSettings


class LogInError(Exception):
    status: ClassVar[int]
    text: ClassVar[str]

    def __init__(
        self,
        *,
        language: str | None = None,
        brand: BrandSettings | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """`language` and `brand` are the account holder's, where they became known during the log-in."""
        self.language = language
        self.brand = brand
        self.headers = headers or {}
        super().__init__(self.text)


class RetryableLogInError(LogInError):
    """Shown on the log-in form, for another attempt."""


class InvalidHash(LogInError):
    """The hash is used, expired, unknown or malformed."""

    status = 400
    text = "hash_not_usable"


class TargetNotAllowed(LogInError):
    status = 400
    text = "target_not_allowed"


class AccountSuspended(LogInError):
    status = 403
    text = "suspended"


class CrossSiteRequest(LogInError):
    """The form was sent by another site's page (CSRF protection)."""

    status = 403
    text = "came_from_elsewhere"


class InvalidLogOutToken(LogInError):
    """The form's token does not belong to the session (CSRF protection)."""

    status = 403
    text = "log_out_not_asked"


class WrongCredentials(RetryableLogInError):
    """User name or password is wrong; the response does not say which."""

    status = 401
    text = "wrong_credentials"

    def __init__(self) -> None:
        """A 401 must have a challenge; browsers do not know this scheme, and show the page."""
        super().__init__(headers={"www-authenticate": 'Form realm="sitewright"'})


class SeveralAccounts(RetryableLogInError):
    """User name and password match accounts of more than one brand."""

    status = 409
    text = "several_accounts"


class TooManyAttempts(RetryableLogInError):
    """The rate limit of failed log-ins is reached."""

    status = 429
    text = "too_many_attempts"

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(headers={"retry-after": str(seconds)})


class TooBusy(RetryableLogInError):
    """The queue of password verifications is full."""

    status = 503
    text = "too_busy"

    def __init__(self, retry_after: str) -> None:
        super().__init__(headers={"retry-after": retry_after})
