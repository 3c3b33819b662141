"""The API credentials of the transaction's brand. To rotate one, create another, and revoke the old one once it is not
used any more."""

import msgspec

from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials import store as credential_store
from sitewright.tenants.credentials.api_credentials import store
from sitewright.tenants.credentials.api_credentials.schemas import ROLE, NewApiCredential
from sitewright.tenants.credentials.api_credentials.store import Credential, State
from sitewright.tenants.credentials.errors import CredentialNotFound, TooManyCredentials
from sitewright.tenants.credentials.service import OAuthCredentials

__all__ = [
    "ROLE",
    "Credential",
    "CredentialFilter",
    "NewApiCredential",
    "State",
    "create",
    "find",
    "list_newest",
    "list_page",
    "revoke",
]

MAX_LISTED = 500
MAX_CREDENTIALS = 500
"""In force, of one brand."""


class CredentialFilter(msgspec.Struct, frozen=True, kw_only=True):
    state: State | None = None
    role: str | None = None


async def list_newest(tx: Transaction) -> list[Credential]:
    return await store.list_newest(tx, MAX_LISTED)


async def list_page(tx: Transaction, wanted: CredentialFilter, page: PageRequest) -> Page[Credential]:
    return await store.list_page(tx, wanted.state, wanted.role, page)


async def find(tx: Transaction, ref: int) -> Credential:
    """One of the brand, also if it is revoked."""
    found = await store.find(tx, ref)
    if found is None:
        raise CredentialNotFound
    return found


async def create(
    tx: Transaction, sealer: Sealer, caller: Caller, brand_ref: int, wanted: NewApiCredential
) -> tuple[Credential, OAuthCredentials]:
    """Returns the credential, and the secrets, which cannot be read again."""
    if await store.count_active(tx) >= MAX_CREDENTIALS:
        raise TooManyCredentials
    secrets = await credentials.create_api_credential(
        tx, sealer, caller, brand_ref=brand_ref, label=wanted.label.strip(), role=Role(wanted.role)
    )
    ref = await credential_store.find_api_credential(tx, secrets.consumer_key)
    return await find(tx, ref or 0), secrets


async def revoke(tx: Transaction, caller: Caller, ref: int) -> None:
    """Every process rejects its requests from the commit on."""
    await find(tx, ref)
    await credentials.revoke(tx, caller, kind="api", ref=ref)
