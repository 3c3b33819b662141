"""What an attempt needs that must not be done in a transaction: passwords are hashed, and sites are rendered.

The first attempt finds it out and is rolled back; it is prepared; the next attempt uses it.
"""

import msgspec

from sitewright.kit.auth.caller import Caller
from sitewright.kit.resources import Resources
from sitewright.provisioning.accounts.passwords import DescribedPasswords
from sitewright.sites.publishing import service as publishing
from sitewright.sites.publishing.service import AheadOfChanges, Prepared

UNKNOWN_HASH = ""
"""Stands for the hash of a new password in an attempt that is rolled back."""


class StoredPassword(msgspec.Struct, frozen=True):
    user_ref: int
    password_hash: str


class Needs(msgspec.Struct):
    """What the attempt could not do."""

    compare: StoredPassword | None = None
    """Compare the described password with the stored one."""
    new_hash: bool = False
    sites: list[AheadOfChanges] = []

    @property
    def any(self) -> bool:
        return self.compare is not None or self.new_hash or bool(self.sites)


class Ready(msgspec.Struct):
    """What was prepared for an attempt."""

    matching_hash: str | None = None
    """The stored hash that the described password matches."""
    differing_hash: str | None = None
    """The stored hash that it does not match."""
    new_hash: str | None = None
    snapshots: dict[str, Prepared] = {}
    """Rendered sites by fingerprint."""


async def prepare(
    resources: Resources, brand_ref: int, caller: Caller, password: str | None, needs: Needs, ready: Ready
) -> Ready:
    """`ready`: what earlier attempts prepared."""
    matching_hash, differing_hash, new_hash = ready.matching_hash, ready.differing_hash, ready.new_hash
    if password is not None and needs.compare is not None:
        stored = needs.compare
        is_same = await DescribedPasswords.of(resources).verify(stored.user_ref, password, stored.password_hash)
        matching_hash, differing_hash = (stored.password_hash, None) if is_same else (None, stored.password_hash)
    if password is not None and new_hash is None and (needs.new_hash or differing_hash is not None):
        new_hash = await resources.passwords.hash(password, brand_ref)
    snapshots = dict(ready.snapshots)
    for ahead in needs.sites:
        snapshots[ahead.fingerprint] = await publishing.render_ahead(resources, brand_ref, caller, ahead)
    return Ready(matching_hash, differing_hash, new_hash, snapshots)
