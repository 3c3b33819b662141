"""API releases, 7.1 to 7.106: which endpoints, fields and limits a request sees.

One table, from part 9 of the specification. A request names its API release in X-Api-Version; without one it gets
the newest. What goes beyond the specification exists in every API release. The software version is another number:
`sitewright.__version__`.
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
    title = "Newer than the API release asked for"
    detail = "This endpoint is newer than the API release named in X-Api-Version. Ask for a newer one, or for none."


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What came with a release: an endpoint, one of its fields, or a wider limit (`older_maximum` held before)."""

    since: int
    endpoint: str
    field: str | None = None
    older_maximum: int | None = None


TABLE = (
    Row(since=44, endpoint="POST /sites/{site_ref:int}/hard-delete"),
    Row(since=44, endpoint="GET /users", field="resellerRef"),
    Row(since=42, endpoint="POST /sites/{site_ref:int}/publish"),
    Row(since=45, endpoint="GET /sites/{site_ref:int}/global-values"),
    Row(since=45, endpoint="POST /sites/{site_ref:int}/global-values"),
    Row(since=45, endpoint="PUT /sites/{site_ref:int}/global-values/{name:str}"),
    Row(since=67, endpoint="POST /users/{user_ref:int}/anonymise"),
    Row(since=94, endpoint="DELETE /ssl-certs/{domain:str}"),
    Row(since=104, endpoint="PUT /ssl-certs/{domain:str}", field="intermediates"),
    Row(since=106, endpoint="POST /users", field="metadata"),
    Row(since=37, endpoint="POST /users", field="password", older_maximum=19),
    Row(since=37, endpoint="PUT /users/{user_ref:int}", field="password", older_maximum=19),
)
RSA_KEY_HEADER_SINCE = 95
"""Not a field but a form of one: the private key of a certificate may begin with the RSA header."""


class Release(msgspec.Struct, frozen=True):
    """What one endpoint looks like in the release a request asked for."""

    number: int
    newer_fields: frozenset[str]
    older_maximums: dict[str, int]

    def __str__(self) -> str:
        return f"7.{self.number}"

    def visible(self, values: dict[str, Any]) -> dict[str, Any]:
        """`values` without the fields that this release does not know, however they are written."""
        if not self.newer_fields:
            return values
        return {name: value for name, value in values.items() if field_of(name) not in self.newer_fields}


def release_of(header: str | None) -> int:
    """The release a request asks for."""
    if header is None:
        return NEWEST
    written = _WRITTEN.fullmatch(header.strip())
    if written is None or int(written[1]) > NEWEST:
        raise UnknownVersion
    return int(written[1])


@lru_cache(maxsize=4096)
def release_for(endpoint: str, number: int, table: tuple[Row, ...] = TABLE) -> Release:
    newer = [row for row in table if row.endpoint == endpoint and row.since > number]
    if any(row.field is None for row in newer):
        raise NotInThisVersion
    return Release(
        number,
        frozenset(row.field for row in newer if row.field is not None and row.older_maximum is None),
        {row.field: row.older_maximum for row in newer if row.field is not None and row.older_maximum is not None},
    )
