"""Where sites come in: which of the user's a log-in leads to, and which the account page lists."""

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.problems import Invalid


class SiteLine(msgspec.Struct, frozen=True):
    """A site as the account page shows it."""

    name: str
    url: str


async def site_to_log_in_to(_tx: Transaction, _user_ref: int, site_ref: int | None) -> int | None:
    """The user's site that was asked for, else the user's first one. No user has any site yet."""
    if site_ref is not None:
        raise Invalid.fields({"siteRef": {"invalidSiteRef": "is not a site of this user"}})
    return None


async def sites_of(_tx: Transaction, _user_ref: int) -> list[SiteLine]:
    return []
