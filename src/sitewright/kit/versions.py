"""API releases, 7.1 to 7.106: which endpoints, fields and limits a request sees.

Endpoints declare their changes as in part 9 of the specification. A request selects its API release with X-Api-Version;
the default is the newest. What goes beyond the specification exists in every API release. The software version is a
different number: `sitewright.__version__`.
"""

import re
from functools import lru_cache
from typing import Any

import msgspec

from sitewright.kit.problems import Invalid, NotFound
from sitewright.kit.validation.nesting import field_of

NEWEST = 106
_WRITTEN = re.compile(r"(?:7\.|v)?([1-9][0-9]{0,2})")


class UnknownVersion(Invalid):
    code = "unknownVersion"
    title = "No such API release"
    detail = f"X-Api-Version must be an API release from 7.1 to 7.{NEWEST}, written like 7.44, v44 or 44."


class NotInThisVersion(NotFound):
    code = "notInThisVersion"
    title = "Newer than the requested API release"
    detail = (
        "This endpoint is newer than the API release named in X-Api-Version. Request a newer one, or omit the header."
    )


class Since(msgspec.Struct, frozen=True, kw_only=True):
    """What an API release added: an endpoint, one of its fields, or a higher limit of a field."""

    release: int
    field: str | None = None
    """None: the endpoint itself."""
    older_maximum: int | None = None
    """The limit of the field before the release."""


class Release(msgspec.Struct, frozen=True):
    """The differences of one endpoint in the requested API release."""

    number: int
    newer_fields: frozenset[str]
    older_maximums: dict[str, int]

    def __str__(self) -> str:
        return f"7.{self.number}"

    def visible(self, values: dict[str, Any]) -> dict[str, Any]:
        """`values` without the fields that this release does not have, also in bracket notation."""
        if not self.newer_fields:
            return values
        return {name: value for name, value in values.items() if field_of(name) not in self.newer_fields}


def release_of(header: str | None) -> int:
    """The requested API release."""
    if header is None:
        return NEWEST
    written = _WRITTEN.fullmatch(header.strip())
    if written is None or int(written[1]) > NEWEST:
        raise UnknownVersion
    return int(written[1])


@lru_cache(maxsize=4096)
def release_for(changes: tuple[Since, ...], number: int) -> Release:
    """The differences of the endpoint with these changes in API release `number`."""
    newer = [change for change in changes if change.release > number]
    if any(change.field is None for change in newer):
        raise NotInThisVersion
    fields = [change for change in newer if change.field is not None]
    return Release(
        number,
        frozenset(change.field for change in fields if change.field and change.older_maximum is None),
        {change.field: change.older_maximum for change in fields if change.field and change.older_maximum is not None},
    )
