"""The business data of sites. Each site has a profile of its own, which its pages show."""

import msgspec

from sitewright.kit.db import Transaction
from sitewright.profiles import store


async def read_fields(tx: Transaction, profile_ref: int) -> dict[str, str]:
    """The values of a profile by name, in the order of names."""
    fields = await store.find_profile(tx, profile_ref, None)
    return {} if fields is None else in_order(fields)


def in_order(fields: str) -> dict[str, str]:
    """From the database's JSON, which keeps no order of its own."""
    return dict(sorted(msgspec.json.decode(fields, type=dict[str, str]).items()))
