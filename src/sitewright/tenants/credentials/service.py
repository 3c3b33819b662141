"""Credentials of API clients: OAuth keys and secrets for programs, passwords for operators."""

import secrets
from collections.abc import Sequence

import asyncpg
import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.authenticator import secret_context
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials import store
from sitewright.tenants.credentials.console_sessions import service as console_sessions
from sitewright.tenants.credentials.errors import (
    CredentialNotFound,
    CredentialOfSeveralBrands,
    InvalidBrandRef,
    InvalidUsername,
    OperatorExists,
)

CHECKED_SECRETS = 10


class OAuthCredentials(msgspec.Struct, frozen=True, rename="camel"):
    """What a client signs OAuth 1.0a requests with. The secrets are shown once and stored sealed."""

    consumer_key: str
    consumer_secret: str
    access_token: str
    access_secret: str


def new_credentials() -> OAuthCredentials:
    return OAuthCredentials(*(secrets.token_urlsafe(32) for _ in range(4)))


async def create_api_credential(
    tx: Transaction,
    sealer: Sealer,
    actor: Caller,
    *,
    brand_ref: int,
    label: str,
    role: Role = Role.BRAND_ADMIN,
    reseller_ref: int | None = None,
    credentials: OAuthCredentials | None = None,
) -> OAuthCredentials:
    credentials = credentials or new_credentials()
    try:
        ref = await store.insert_api_credential(
            tx,
            brand_ref=brand_ref,
            role=role,
            reseller_ref=reseller_ref,
            label=label,
            consumer_key=credentials.consumer_key,
            consumer_secret=_sealed(sealer, credentials, "consumer", credentials.consumer_secret),
            access_token=credentials.access_token,
            access_secret=_sealed(sealer, credentials, "access", credentials.access_secret),
            created_at=clock.now(),
        )
    except asyncpg.ForeignKeyViolationError:
        raise InvalidBrandRef from None
    await audit.record_of(tx, actor, "create", "apiCredential", ref, brand_ref, role=role)
    return credentials


async def ensure_api_credential(
    tx: Transaction, sealer: Sealer, actor: Caller, *, brand_ref: int, label: str, credentials: OAuthCredentials
) -> None:
    if await store.find_api_credential(tx, credentials.consumer_key) is None:
        await create_api_credential(tx, sealer, actor, brand_ref=brand_ref, label=label, credentials=credentials)


async def find_operator(tx: Transaction, username: str) -> store.ActiveOperator | None:
    """Find the active operator with this name in the transaction's brand (without a brand: a system-owner)."""
    return await store.find_operator(tx, username)


async def create_operator(
    tx: Transaction,
    actor: Caller,
    *,
    brand_ref: int | None,
    username: str,
    password_hash: str,
    role: Role = Role.BRAND_ADMIN,
    name: str | None = None,
    email: str | None = None,
) -> int:
    """Create an operator of a brand with a role, or a system-owner when there is no brand."""
    role = Role.SYSTEM_OWNER if brand_ref is None else role
    try:
        ref = await store.insert_operator(
            tx,
            brand_ref=brand_ref,
            role=role,
            username=username,
            password_hash=password_hash,
            created_at=clock.now(),
            name=name,
            email=email,
        )
    except asyncpg.ForeignKeyViolationError:
        raise InvalidBrandRef from None
    except asyncpg.CheckViolationError:
        raise InvalidUsername from None
    if ref is None:
        raise OperatorExists
    await audit.record_of(tx, actor, "create", "operator", ref, brand_ref, role=role)
    return ref


async def change_operator_password(
    tx: Transaction, actor: Caller, *, brand_ref: int | None, ref: int, password_hash: str
) -> None:
    """Change the password, and end all sessions of the console."""
    await store.change_password(tx, ref, password_hash)
    await console_sessions.end_all(tx, ref)
    await audit.record_of(tx, actor, "changePassword", "operator", ref, brand_ref)


async def revoke(tx: Transaction, actor: Caller, *, kind: str, ref: int) -> None:
    """Revoke a credential of the transaction's brand: every process rejects it from the commit on."""
    change = store.revoke_operator if kind == "operator" else store.revoke_api_credential
    if not await change(tx, ref, clock.now()):
        raise CredentialNotFound
    if kind == "operator":
        await console_sessions.end_all(tx, ref)
    subject = "operator" if kind == "operator" else "apiCredential"
    await audit.record_by(tx, actor, "revoke", subject, ref)


async def revoke_of_reseller(tx: Transaction, actor: Caller, reseller_ref: int) -> None:
    """Revoke all credentials of a reseller of the transaction's brand."""
    for ref in await store.revoke_of_reseller(tx, reseller_ref, clock.now()):
        await audit.record_by(tx, actor, "revoke", "apiCredential", ref)


async def find_listed(tx: Transaction, kind: str, ref: int, brand_ref: int | None = None) -> store.ListedCredential:
    """The one with this ref, in all brands or in one."""
    found = await store.find_listed(tx, kind, ref, brand_ref)
    if not found:
        raise CredentialNotFound
    if len(found) > 1:
        raise CredentialOfSeveralBrands.of(kind, ref, [each.brand_ref for each in found])
    return found[0]


def _sealed(sealer: Sealer, credentials: OAuthCredentials, kind: str, secret: str) -> bytes:
    return sealer.seal(secret.encode(), secret_context(credentials.consumer_key, kind))


async def check_master_key(connection: Transaction, sealer: Sealer) -> None:
    """Raise MasterKeyError if the key does not decrypt the newest credentials."""
    for consumer_key, sealed in await store.newest_secrets(connection, CHECKED_SECRETS):
        sealer.unseal(sealed, secret_context(consumer_key, "consumer"))


async def labels_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The labels of API credentials of the transaction's brand, also of revoked ones."""
    return await store.labels_of(tx, refs)
