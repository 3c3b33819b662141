"""The fields of the form, in groups: names as in the API, and how each is entered."""

from collections.abc import Sequence
from typing import Literal

import msgspec

Kind = Literal["text", "url", "email", "zone", "lines", "flag", "choice", "picture", "days"]
ERRORS = {"url": "url", "lines": "lines", "picture": "picture", "email": "email"}
"""The text that explains what is wrong with a field of a kind, `settings_wrong_<...>`; others have one of their own."""


class Field(msgspec.Struct, frozen=True):
    """Its label is the text `settings_<name>`, its hint `settings_<name>_hint`, and that of a choice
    `settings_<name>_<choice>`."""

    name: str
    kind: Kind = "text"
    longest: int = 255
    is_required: bool = False
    choices: Sequence[str] = ()
    """The first one is the default."""


class FieldGroup(msgspec.Struct, frozen=True):
    """Its title is the text `settings_group_<name>`."""

    name: str
    fields: Sequence[Field]


def _url(name: str) -> Field:
    return Field(name, "url", 2000)


GROUPS = (
    FieldGroup(
        "look",
        (
            Field("name", is_required=True),
            Field("accentColour", longest=7),
            Field("logo", "picture"),
            Field("favicon", "picture"),
        ),
    ),
    FieldGroup(
        "contact",
        (
            Field("supportEmail", "email"),
            _url("supportUrl"),
            _url("helpURL"),
            _url("privacyUrl"),
            _url("termsUrl"),
            Field("mailSender"),
            Field("contact"),
        ),
    ),
    FieldGroup("place", (Field("languages", "lines"), Field("timeZone", "zone", is_required=True))),
    FieldGroup(
        "links",
        (
            _url("activationURL"),
            _url("editorUrl"),
            _url("redirectURL"),
            _url("externalPaymentURL"),
            _url("externalSubscriptionURL"),
            _url("externalPaymentCancellationURL"),
        ),
    ),
    FieldGroup(
        "rules",
        (
            Field("selfServiceDeletion", "choice", choices=("off", "request")),
            Field("dnsProvider", "choice", choices=("", "none", "powerdns", "rfc2136")),
            Field("allowedLinkHosts", "lines"),
            Field("reservedNames", "lines"),
            Field("allowedReservedNames", "lines"),
            Field("consistentTypes", "flag"),
            Field("upsertGlobalValues", "flag"),
            Field("hardDeleteDelayDays", "days", 3),
        ),
    ),
)
FIELDS = {each.name: each for group in GROUPS for each in group.fields}
