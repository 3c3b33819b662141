"""Lifecycle hooks of content, observed by features above."""

import msgspec

from sitewright.kit.lifecycle import Hook


class NamedMedia(msgspec.Struct):
    """Media that values name which are about to be stored; observers add those that the site does not have."""

    site_ref: int
    refs: set[int]
    unknown: set[int] = msgspec.field(default_factory=set)


media_named: Hook[NamedMedia] = Hook("media_named")
"""Values name media of a site. The lock on the site's content is held."""
