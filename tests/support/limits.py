"""A second instance with other limits on the same database, like another process: no shared memory."""

import msgspec

from sitewright.kit.auth.authenticator import Authenticator
from sitewright.kit.auth.passwords import LOG_IN_PLACES, Passwords
from sitewright.kit.auth.rate_limits import RateLimiter, RateLimits
from sitewright.kit.resources import Resources


def limited(resources: Resources, passwords: Passwords | None = None, **settings: int) -> Resources:
    changed = msgspec.structs.replace(resources.settings, **settings)
    passwords = passwords or resources.passwords
    return msgspec.structs.replace(
        resources,
        settings=changed,
        passwords=passwords,
        authenticator=Authenticator(resources.sealer, passwords, changed),
        login_rate_limiter=RateLimiter(RateLimits.of_log_in(changed), resources.sealer),
    )


class CountingPasswords(Passwords):
    """Verifies for real, and counts the verifications."""

    def __init__(self, log_in_places: int = LOG_IN_PLACES) -> None:
        super().__init__(at_once=2, log_in_places=log_in_places)
        self.verifications = 0

    async def verify(self, password: str, password_hash: str | None) -> bool:
        self.verifications += 1
        return await super().verify(password, password_hash)
