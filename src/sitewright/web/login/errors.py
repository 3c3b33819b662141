"""Why nobody was logged in or out. A page tells it, so these are no problem documents: `text` names the words."""

from typing import ClassVar

from sitewright.tenants.brands.schemas import BrandSettings


class Refused(Exception):
    status: ClassVar[int]
    text: ClassVar[str]

    def __init__(
        self,
        *,
        language: str | None = None,
        brand: BrandSettings | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        """`language` and `brand` are the account holder's, where it came out only now whom the page speaks to."""
        self.language = language
        self.brand = brand
        self.headers = headers or {}
        super().__init__(self.text)


class AskedAgain(Refused):
    """Said on the form itself, for another try."""


class HashNotUsable(Refused):
    """Used, expired, unknown or malformed."""

    status = 400
    text = "hash_not_usable"


class TargetNotAllowed(Refused):
    status = 400
    text = "target_not_allowed"


class AccountSuspended(Refused):
    status = 403
    text = "suspended"


class CameFromElsewhere(Refused):
    """Another site's page sent the form."""

    status = 403
    text = "came_from_elsewhere"


class LogOutNotAsked(Refused):
    """The form does not belong to the session."""

    status = 403
    text = "log_out_not_asked"


class WrongCredentials(AskedAgain):
    """Whatever was wrong about them."""

    status = 401
    text = "wrong_credentials"

    def __init__(self) -> None:
        """A 401 must name a way to log in; browsers know none of this name, and show the page."""
        super().__init__(headers={"www-authenticate": 'Form realm="sitewright"'})


class SeveralAccounts(AskedAgain):
    """The same user name and password fit in more than one brand."""

    status = 409
    text = "several_accounts"


class TooManyAttempts(AskedAgain):
    status = 429
    text = "too_many_attempts"

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        super().__init__(headers={"retry-after": str(seconds)})


class TooBusy(AskedAgain):
    """More people log in at once than passwords can be verified in time."""

    status = 503
    text = "too_busy"

    def __init__(self, retry_after: str) -> None:
        super().__init__(headers={"retry-after": retry_after})
