"""Lifecycle hooks of profiles, observed by features above."""

import msgspec

from sitewright.kit.lifecycle import Hook


class ProfileMedia(msgspec.Struct):
    """Fields that may name media and are about to be stored; observers add those that name media which the site of the
    profile does not have."""

    profile_ref: int
    fields: dict[str, str]
    unknown: set[str] = msgspec.field(default_factory=set)


profile_media_named: Hook[ProfileMedia] = Hook("profile_media_named")
"""Fields of a profile name media. The holder's row is locked."""
