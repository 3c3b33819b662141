"""Whether a described password is the stored one, without hashing it for every call."""

from sitewright.kit.auth.authenticator import VerifiedPasswordCache
from sitewright.kit.resources import Resources


class DescribedPasswords:
    """Passwords of account holders that were verified a moment ago, as keyed digests in this process only."""

    def __init__(self, resources: Resources) -> None:
        self._verified = VerifiedPasswordCache(resources.passwords, resources.settings.remember_password_seconds)

    @classmethod
    def of(cls, resources: Resources) -> "DescribedPasswords":
        """The one of the process."""
        return resources.opened.get(cls, lambda: cls(resources))

    def is_known(self, user_ref: int, password: str, password_hash: str | None) -> bool:
        """Whether it was verified against this hash before."""
        return password_hash is not None and self._verified.is_cached(str(user_ref), password, password_hash)

    async def verify(self, user_ref: int, password: str, password_hash: str) -> bool:
        """Hashes, so call it without a connection."""
        return await self._verified.verify(str(user_ref), password, password_hash)

    async def close(self) -> None:
        """Nothing is open."""
