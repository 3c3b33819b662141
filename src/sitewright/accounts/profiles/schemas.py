"""Schemas of profiles."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.validation import Pairs

MAX_FIELDS = 200
USUAL = (
    "business", "headline", "strapline", "companydescription", "copyright", "email", "address", "address1", "address2",
    "postalcode", "country", "phone", "rss", "logo", "logowidth", "logoheight", "featureimage",
)  # fmt: skip
"""The names of the specification, apart from those of companies."""
_NAMES = (
    "Usual names: "
    + ", ".join(f"`{name}`" for name in USUAL)
    + ", and those of social networks, video sites and review sites for the business's own pages there."
)
_FIELDS = [{"name": "business", "value": "Joe's Bakery"}, {"name": "email", "value": "joe@mail.example"}]


class ProfileField(msgspec.Struct, frozen=True):
    """A piece of business information."""

    name: Annotated[str, about(f"The name. {_NAMES}", "business", min_length=1, max_length=100)]
    value: Annotated[str, about("The value.", "Joe's Bakery", max_length=10_000)]


class ProfileChanges(msgspec.Struct, frozen=True):
    """What to change; other fields stay as they are."""

    fields: Annotated[
        list[ProfileField],
        Pairs,
        about(
            f"Fields to create or to change, {MAX_FIELDS} in all at the most; also as one object of names and values.",
            _FIELDS,
            max_length=MAX_FIELDS,
        ),
    ]


class ProfileDetails(msgspec.Struct, frozen=True, rename="camel"):
    """The business information of a site."""

    ref: Annotated[int, about("The profile's number.", 5)]
    user_ref: Annotated[int, about("The account holder it belongs to.", 41)]
    fields: Annotated[list[ProfileField], about("In the order of names.", _FIELDS)]


class Profile(msgspec.Struct, frozen=True):
    """One profile."""

    profile: Annotated[ProfileDetails, about("The profile.", {"ref": 5, "userRef": 41, "fields": _FIELDS})]


class ChangedProfileDetails(msgspec.Struct, frozen=True, rename="camel"):
    """Which profile was changed."""

    profile_ref: Annotated[int, about("The profile's number.", 5)]


class ChangedProfile(msgspec.Struct, frozen=True):
    """The profile after a change."""

    profile: Annotated[ChangedProfileDetails, about("The profile.", {"profileRef": 5})]
