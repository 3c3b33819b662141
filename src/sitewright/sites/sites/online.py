"""Whether visitors see a site, and why not: one function and one table of reasons.

The services, the edge server and the reference share them.
"""

from collections.abc import Callable
from enum import StrEnum

import msgspec


class SiteState(msgspec.Struct, frozen=True, gc=False):
    """Everything that decides whether a site is online. A deleted site has no host name that could lead to it."""

    is_published: bool
    """Whether there is a version that visitors could see."""
    is_live: bool
    is_enabled: bool
    is_owner_suspended: bool = False
    is_owner_deleted: bool = False


class OfflineReason(StrEnum):
    """Why visitors of a site see the offline page."""

    NEVER_PUBLISHED = "neverPublished"
    NOT_LIVE = "notLive"
    SITE_DISABLED = "siteDisabled"
    OWNER_SUSPENDED = "accountHolderSuspended"
    OWNER_DELETED = "accountHolderDeleted"


class _Rule(msgspec.Struct, frozen=True):
    applies: Callable[[SiteState], bool]
    text: str
    """Completes the sentence "The site is offline while ..."."""


REASONS: dict[OfflineReason, _Rule] = {
    OfflineReason.NEVER_PUBLISHED: _Rule(lambda site: not site.is_published, "it was never published"),
    OfflineReason.NOT_LIVE: _Rule(lambda site: not site.is_live, "it is not live"),
    OfflineReason.SITE_DISABLED: _Rule(lambda site: not site.is_enabled, "it is disabled"),
    OfflineReason.OWNER_SUSPENDED: _Rule(lambda site: site.is_owner_suspended, "its account holder is suspended"),
    OfflineReason.OWNER_DELETED: _Rule(lambda site: site.is_owner_deleted, "its account holder is deleted"),
}
REASONS_IN_WORDS = "; ".join(rule.text for rule in REASONS.values())
"""For the reference and the guides."""


def offline_reason(site: SiteState) -> OfflineReason | None:
    """The first reason of the table that applies; None for a site that visitors see."""
    return next((reason for reason, rule in REASONS.items() if rule.applies(site)), None)
