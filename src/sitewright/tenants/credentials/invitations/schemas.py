"""Wire schemas of invitations."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import Text
from sitewright.tenants.credentials.operators.schemas import ROLE, StaffRole

EXAMPLE = {
    "ref": 2, "name": "Kim Example", "email": "kim@brand.example", "role": "support", "created": AT, "expires": AT,
}  # fmt: skip


class OperatorInvitation(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation that was neither accepted nor withdrawn."""

    ref: Annotated[int, about("The invitation's number.", 2)]
    name: Annotated[str, about("The person's name.", "Kim Example")]
    email: Annotated[str, about("Where the link was mailed to.", "kim@brand.example")]
    role: Annotated[str, about(ROLE, "support")]
    created: Annotated[TS, about("When it was mailed.", AT)]
    expires: Annotated[TS, about("Until when its link works: 7 days.", AT)]


class OperatorInvitationList(msgspec.Struct, frozen=True):
    """The open invitations of a brand."""

    invitations: Annotated[
        list[OperatorInvitation], about("Oldest first; those that expired in the last 30 days too.", [EXAMPLE])
    ]


class OperatorInvitationResponse(msgspec.Struct, frozen=True):
    """One invitation."""

    invitation: Annotated[OperatorInvitation, about("The invitation.", EXAMPLE)]


class NewInvitation(msgspec.Struct, frozen=True):
    """Who is to be invited."""

    name: Annotated[str, Text(1, 150), about("The person's name.", "Kim Example")]
    email: Annotated[str, Text(1, 254), about("Where the link is mailed to.", "kim@brand.example")]
    role: Annotated[StaffRole, about(ROLE, "support")]
