"""Lifecycle hooks of package changes, for sites and domains, which are above packages in the import order."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from sitewright.kit.lifecycle import Hook


class LiveSiteLimit(msgspec.Struct, frozen=True, gc=False):
    """At most `live_sites` of the user's sites stay live; the most recently published ones go offline."""

    user_ref: int
    live_sites: int = 0


class AddOnChange(msgspec.Struct, frozen=True, kw_only=True):
    """A package that is not the subscription (an add-on, such as a domain's) was renewed, or has ended."""

    user_ref: int
    package_ref: int
    account_package_ref: int
    at: datetime
    renewed_until: datetime | None
    """None: it has ended."""
    is_replaced: bool
    """Whether another account package of the same package replaces it."""


live_sites_limited: Hook[Sequence[LiveSiteLimit]] = Hook("live_sites_limited")
"""Users may have fewer live sites, because their subscription changed or they were deleted."""
subscriptions_begun: Hook[Sequence[int]] = Hook("subscriptions_begun")
"""Users, by their refs, have another package as their subscription, whose capabilities may be others."""
add_ons_changed: Hook[Sequence[AddOnChange]] = Hook("add_ons_changed")
