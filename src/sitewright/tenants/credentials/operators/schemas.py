"""Wire schemas of operators."""

from typing import Annotated, Literal

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS

StaffRole = Literal["brand-admin", "support", "viewer"]
ROLE = "`brand-admin` may do everything, `support` may help account holders, `viewer` only sees."
EXAMPLE = {
    "ref": 4, "username": "kim@brand.example", "name": "Kim Example", "email": "kim@brand.example", "role": "support",
    "secondFactor": True, "created": AT, "lastUsed": AT,
}  # fmt: skip


class OperatorDetails(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A person who works for the brand."""

    ref: Annotated[int, about("The operator's number.", 4)]
    username: Annotated[str, about("What the person logs in with.", "kim@brand.example")]
    name: Annotated[str | None, about("The person's name; null where an operator was created without one.", "Kim")]
    email: Annotated[str | None, about("The person's e-mail address.", "kim@brand.example")]
    role: Annotated[str, about(ROLE, "support")]
    second_factor: Annotated[bool, about("Whether the person logs in with a one-time code too.", True)]
    created: Annotated[TS, about("Since when.", AT)]
    last_used: Annotated[
        TS | None, about("When the person last used the console or the API, exact to some minutes; null: never.", AT)
    ]


class OperatorList(msgspec.Struct, frozen=True):
    """The operators of a brand."""

    operators: Annotated[list[OperatorDetails], about("Oldest first, at most 500.", [EXAMPLE])]


class OperatorResponse(msgspec.Struct, frozen=True):
    """One operator."""

    operator: Annotated[OperatorDetails, about("The operator.", EXAMPLE)]


class OperatorChanges(msgspec.Struct, frozen=True):
    """What is to be changed."""

    role: Annotated[StaffRole, about(ROLE, "viewer")]
