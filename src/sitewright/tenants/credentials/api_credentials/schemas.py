"""Wire schemas of API credentials."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about
from sitewright.kit.timestamps import AT, TS
from sitewright.kit.validation import Text
from sitewright.tenants.credentials.operators.schemas import StaffRole

ROLE = "`brand-admin` may do everything, `support` may help account holders, `viewer` may GET."
KEY = "Zb3wXk0y8mQn4cVt7LrJ5hGd2sPf9aUe1iKoWxTyB6M"
EXAMPLE = {
    "ref": 7, "label": "Billing system", "role": "brand-admin", "resellerRef": None, "consumerKey": KEY, "created": AT,
    "lastUsed": AT, "revoked": None,
}  # fmt: skip


class ApiCredential(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What a program signs requests with (OAuth 1.0a), without its secrets."""

    ref: Annotated[int, about("The credential's number.", 7)]
    label: Annotated[str, about("What it is for.", "Billing system")]
    role: Annotated[str, about(f"{ROLE} `reseller`: see `resellerRef`.", "brand-admin")]
    reseller_ref: Annotated[int | None, about("The reseller that it belongs to, for the role `reseller`.", None)]
    consumer_key: Annotated[str, about("The `oauth_consumer_key` of its requests.", KEY)]
    created: Annotated[TS, about("Since when.", AT)]
    last_used: Annotated[TS | None, about("When it was last used, exact to a minute; null: never.", AT)]
    revoked: Annotated[TS | None, about("When it was revoked; null: it is in force.", None)]


class ApiCredentialList(msgspec.Struct, frozen=True):
    """The API credentials of a brand."""

    credentials: Annotated[list[ApiCredential], about("Newest first, at most 500.", [EXAMPLE])]


class ApiCredentialResponse(msgspec.Struct, frozen=True):
    """One API credential."""

    credential: Annotated[ApiCredential, about("The credential.", EXAMPLE)]


class NewApiCredential(msgspec.Struct, frozen=True):
    """What is to be created."""

    label: Annotated[str, Text(1, 100), about("What it is for.", "Billing system")]
    role: Annotated[StaffRole, about(ROLE, "brand-admin")]


class CreatedApiCredential(ApiCredential, frozen=True, kw_only=True, rename="camel"):
    """A new API credential with its secrets, which are shown this once."""

    consumer_secret: Annotated[str, about("The secret of the key.", "…")]
    access_token: Annotated[str, about("The `oauth_token` of its requests.", "…")]
    access_secret: Annotated[str, about("The secret of the token.", "…")]


SECRETS = {"consumerSecret": "…", "accessToken": "…", "accessSecret": "…"}


class CreatedApiCredentialResponse(msgspec.Struct, frozen=True):
    """The new API credential."""

    credential: Annotated[CreatedApiCredential, about("The credential with its secrets.", EXAMPLE | SECRETS)]
