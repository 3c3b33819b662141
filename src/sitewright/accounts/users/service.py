"""The rules of account holders and all changes to them. A user's row is locked before rows that belong to it."""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec
from msgspec import UNSET

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.account_packages.hooks import LiveSiteLimit, live_sites_limited
from sitewright.accounts.resellers import service as resellers
from sitewright.accounts.search import service as search
from sitewright.accounts.users import presenters, store, user_events
from sitewright.accounts.users.checks import check_user
from sitewright.accounts.users.errors import Anonymized, UserNotFound
from sitewright.accounts.users.hooks import access_revoked, user_erased
from sitewright.accounts.users.log_ins.service import (
    find_password_hash,
    list_log_in_candidates,
    lock_account,
    lock_accounts_by_email,
    lock_accounts_by_username,
    lock_holder,
    record_log_in,
    set_email_verified,
)
from sitewright.accounts.users.log_ins.store import Account, Candidate, Holder
from sitewright.accounts.users.mails import EMAIL_CHANGED, PASSWORD_CHANGED, WELCOME
from sitewright.accounts.users.recipients import find_recipients
from sitewright.accounts.users.requests import DescribedUser, Metadata, MetadataList, NewUser, UserChanges
from sitewright.accounts.users.schemas import AccountHolderDetails, AccountHolderFields
from sitewright.accounts.users.searching import SEARCHED_COLUMNS, update_terms
from sitewright.accounts.users.store import User
from sitewright.accounts.users.tokens import EMAIL_CHANGE_TOKEN, LOGIN_TOKEN, RESET_TOKEN, VERIFICATION_TOKEN
from sitewright.accounts.users.user_events import (
    USER_ANONYMISED,
    USER_DELETED,
    USER_RESTORED,
    USER_SUSPENDED,
    USER_UNSUSPENDED,
)
from sitewright.kit import audit, clock, mail, tokens
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.mail import Mail
from sitewright.kit.row_changes import fields_of
from sitewright.kit.sealing import Sealer
from sitewright.kit.text import ANONYMIZED, key_of
from sitewright.tenants.brands.clock import service as brand_clock
from sitewright.tenants.brands.schemas import BrandSettings

PERSONAL = (
    "first_name", "last_name", "username", "username_key", "email", "email_key", "phone_number", "address1", "address2",
    "city", "state", "postcode", "country", "company", "cpf_number",
)  # fmt: skip
PERSONAL_NULLABLE = ("password_hash", "email_verified_at", "suspended_reason")
REQUEST_COLUMNS = frozenset(PERSONAL) | {"language_code", "newsletter", "currency_ref", "cpf_company"}
"""Columns with the same name as an attribute of the requests."""


class PasswordOwner(Protocol):
    """A user, as far as changing the password needs one."""

    @property
    def ref(self) -> int: ...
    @property
    def brand_ref(self) -> int: ...
    @property
    def email(self) -> str: ...


__all__ = [
    "Account",
    "Candidate",
    "DescribedUser",
    "Holder",
    "Metadata",
    "MetadataList",
    "NewUser",
    "PasswordOwner",
    "User",
    "UserChanges",
    "anonymize_user",
    "check_user",
    "create_user",
    "delete_user",
    "edit_user",
    "find_by_username",
    "find_password_hash",
    "find_recipients",
    "find_user",
    "get_user",
    "list_log_in_candidates",
    "lock_account",
    "lock_accounts_by_email",
    "lock_accounts_by_username",
    "lock_holder",
    "lock_reachable",
    "log_out_everywhere",
    "names_of",
    "record_log_in",
    "set_email_verified",
    "set_password",
    "set_verified_email",
    "storage_bytes_of",
    "store_rehashed_password",
    "suspend_user",
    "unsuspend_user",
]


async def find_user(
    tx: Transaction, caller: Caller, user_ref: int, *, deleted: bool = False, lock: bool = False
) -> User:
    """A user that the caller may access: of its brand and, for a reseller, its own. `deleted`: also deleted ones."""
    user = await store.find_user(tx, user_ref, caller.reseller_ref, lock=lock)
    if user is None or (user.deleted and not deleted):
        raise UserNotFound
    return user


async def lock_reachable(tx: Transaction, user_ref: int) -> bool:
    """Takes a row lock; returns whether the user gets mails, being neither deleted nor anonymized."""
    user = await store.find_user(tx, user_ref, None, lock=True)
    return user is not None and not user.deleted and not user.anonymized


async def storage_bytes_of(tx: Transaction, user_ref: int) -> int:
    """The bytes of the user's files; exact while the user's row is locked."""
    return await store.read_storage_bytes(tx, user_ref)


async def find_by_username(tx: Transaction, username: str) -> int | None:
    """The brand's user with that username, in any case, neither deleted nor anonymized."""
    return await store.find_by_username(tx, key_of(username))


async def get_user(tx: Transaction, caller: Caller, user_ref: int, *, show_deleted: bool) -> AccountHolderDetails:
    row = await store.read_user(tx, user_ref, caller.reseller_ref, show_deleted=show_deleted)
    if row is None:
        raise UserNotFound
    return presenters.details(row)


async def create_user(
    tx: Transaction, sealer: Sealer, caller: Caller, brand: BrandSettings, new: NewUser, password_hash: str
) -> AccountHolderDetails:
    now = brand.now
    reseller_ref = caller.reseller_ref or new.reseller_ref
    await resellers.enforce_user_limit(tx, reseller_ref)
    default_currency_ref = await resellers.default_currency(tx, reseller_ref) or brand.default_currency_ref
    currency_ref = new.currency_ref or default_currency_ref
    row = await store.insert_user(
        tx,
        _columns(new)
        | {
            "reseller_ref": reseller_ref,
            "currency_ref": currency_ref,
            "password_hash": password_hash,
            "created_at": now,
            "updated_at": now,
        },
    )
    user_ref: int = row["ref"]
    await search.add_user(tx, user_ref, [row[name] for name in SEARCHED_COLUMNS])
    registered = await account_packages.register(tx, user_ref, reseller_ref, currency_ref)
    await mail.put(tx, sealer, brand.brand_ref, [Mail(kind=WELCOME, user_ref=user_ref)])
    await audit.record_by(tx, caller, "create", "user", user_ref)
    await user_events.emit_created(tx, user_ref, reseller_ref, now, after=registered.events)
    return presenters.created(row, brand, registered)


async def edit_user(
    tx: Transaction, sealer: Sealer, caller: Caller, user: User, changes: UserChanges, password_hash: str | None
) -> AccountHolderFields:
    """`user` is locked, and is deleted only if the edit restores it."""
    if user.anonymized:
        raise Anonymized
    columns = _columns(changes) | {"updated_at": clock.now()}
    new_address = changes.email is not UNSET and changes.email != user.email
    if new_address:
        columns["email_verified_at"] = None
    if changes.deleted is False and user.deleted:
        columns |= await _restore(tx, user)
    changed = await store.update_user(tx, user.ref, columns)
    if SEARCHED_COLUMNS & set(columns):
        await update_terms(tx, user.ref)
    if new_address:
        await tokens.revoke(tx, user.ref, VERIFICATION_TOKEN, RESET_TOKEN, EMAIL_CHANGE_TOKEN)
    if password_hash is not None:
        await set_password(tx, sealer, caller, user, password_hash, action=None)
    if changes.deleted is True:
        await _delete(tx, user.ref)
    await audit.record_by(tx, caller, "edit", "user", user.ref, fields=sorted(msgspec.to_builtins(changes)))
    await _emit_edited(tx, user, changes, changed)
    row = await store.read_user(tx, user.ref, show_deleted=True)
    assert row is not None  # noqa: S101 - it is locked
    return presenters.edited(row)


async def _emit_edited(tx: Transaction, user: User, changes: UserChanges, columns: Sequence[str]) -> None:
    """Events for what an edit changed, which may be nothing."""
    now = await brand_clock.now(tx)
    if changes.deleted is False and user.deleted:
        await user_events.emit(tx, USER_RESTORED, user.ref, now)
    fields = fields_of(UserChanges, columns)
    if changes.password is not UNSET:
        fields = sorted([*fields, "password"])
    await user_events.emit_updated(tx, user.ref, fields, now)
    if changes.deleted is True and not user.deleted:
        await user_events.emit(tx, USER_DELETED, user.ref, now)


async def set_password(
    tx: Transaction,
    sealer: Sealer,
    caller: Caller,
    user: PasswordOwner,
    password_hash: str,
    *,
    action: str | None,
) -> None:
    """The one place that changes a password: end all sessions, revoke log-in and reset tokens, mail the user, audit it.

    The user's row is locked. `action` is what the audit records; None where the caller's own entry names the password.
    """
    now = await brand_clock.now(tx)
    await store.update_user(tx, user.ref, {"password_hash": password_hash, "updated_at": now})
    await _end_sessions(tx, user.ref)
    changed = Mail(kind=PASSWORD_CHANGED, user_ref=user.ref, facts={"to": user.email})
    await mail.put(tx, sealer, user.brand_ref, [changed])
    if action is not None:
        await audit.record_by(tx, caller, action, "user", user.ref)
        await user_events.emit_updated(tx, user.ref, ["password"], now)


async def store_rehashed_password(tx: Transaction, user_ref: int, password_hash: str) -> None:
    """The same password, hashed with today's parameters: sessions and tokens stay. The user's row is locked."""
    await store.update_user(tx, user_ref, {"password_hash": password_hash})


async def set_verified_email(tx: Transaction, sealer: Sealer, caller: Caller, user: User, email: str) -> None:
    """Change the address to one that was just verified, and notify the former one. The user's row is locked."""
    now = await brand_clock.now(tx)
    columns = {"email": email, "email_key": key_of(email), "email_verified_at": now, "updated_at": now}
    await store.update_user(tx, user.ref, columns)
    await update_terms(tx, user.ref)
    await tokens.revoke(tx, user.ref, VERIFICATION_TOKEN, RESET_TOKEN, EMAIL_CHANGE_TOKEN)
    changed = Mail(kind=EMAIL_CHANGED, user_ref=user.ref, facts={"to": user.email, "newEmail": email})
    await mail.put(tx, sealer, user.brand_ref, [changed])
    await audit.record_by(tx, caller, "change email", "user", user.ref)
    await user_events.emit_updated(tx, user.ref, ["email", "emailVerified"], now)


async def log_out_everywhere(tx: Transaction, caller: Caller, user: User) -> None:
    """End all sessions, on every device. The user's row is locked."""
    await _end_sessions(tx, user.ref)
    await audit.record_by(tx, caller, "log out everywhere", "user", user.ref)


async def delete_user(tx: Transaction, caller: Caller, user: User) -> None:
    """Soft delete: an edit with `deleted: 0` restores the user."""
    await _delete(tx, user.ref)
    await audit.record_by(tx, caller, "delete", "user", user.ref)
    if not user.deleted:
        await user_events.emit(tx, USER_DELETED, user.ref, await brand_clock.now(tx))


async def anonymize_user(tx: Transaction, caller: Caller, user: User) -> None:
    now = await brand_clock.now(tx)
    cleared: dict[str, Any] = {"metadata": "[]"} | dict.fromkeys(PERSONAL_NULLABLE)
    columns = dict.fromkeys(PERSONAL, ANONYMIZED) | cleared | {"anonymised_at": now, "updated_at": now}
    await store.update_user(tx, user.ref, columns)
    await user_erased.notify(tx, user.ref)
    await audit.record_by(tx, caller, "anonymise", "user", user.ref)
    if not user.anonymized:
        await user_events.emit(tx, USER_ANONYMISED, user.ref, now)


async def suspend_user(tx: Transaction, caller: Caller, user: User, reason: str | None) -> None:
    """Suspending again keeps the time of the first suspension; a new reason replaces the old one."""
    now = await brand_clock.now(tx)
    columns: dict[str, Any] = {"updated_at": now}
    columns |= {} if user.suspended else {"suspended_at": now}
    columns |= {} if reason is None else {"suspended_reason": reason}
    await store.update_user(tx, user.ref, columns)
    await _revoke_access(tx, user.ref)
    await audit.record_by(tx, caller, "suspend", "user", user.ref)
    if not user.suspended:
        await user_events.emit(tx, USER_SUSPENDED, user.ref, now)


async def unsuspend_user(tx: Transaction, caller: Caller, user: User) -> None:
    now = await brand_clock.now(tx)
    columns = {"suspended_at": None, "suspended_reason": None, "updated_at": now}
    await store.update_user(tx, user.ref, columns)
    await audit.record_by(tx, caller, "unsuspend", "user", user.ref)
    if user.suspended:
        await user_events.emit(tx, USER_UNSUSPENDED, user.ref, now)


async def _restore(tx: Transaction, user: User) -> dict[str, Any]:
    """The reseller's row is locked before the username is taken again, as when users are created."""
    await resellers.enforce_user_limit(tx, user.reseller_ref)
    return {"deleted_at": None, "deletion_requested_at": None}


async def _delete(tx: Transaction, user_ref: int) -> None:
    now = await brand_clock.now(tx)
    await store.update_user(tx, user_ref, {"deleted_at": now, "updated_at": now})
    await _revoke_access(tx, user_ref)
    await tokens.revoke(tx, user_ref, VERIFICATION_TOKEN)
    await live_sites_limited.notify(tx, [LiveSiteLimit(user_ref)])


async def _revoke_access(tx: Transaction, user_ref: int) -> None:
    """For a user who is suspended or deleted."""
    await _end_sessions(tx, user_ref)
    await access_revoked.notify(tx, user_ref)


async def _end_sessions(tx: Transaction, user_ref: int) -> None:
    """End all sessions; revoke log-in and reset tokens, and links that would change the e-mail address."""
    await tokens.end_sessions(tx, user_ref)
    await tokens.revoke(tx, user_ref, LOGIN_TOKEN, RESET_TOKEN, EMAIL_CHANGE_TOKEN)


def _columns(request: NewUser | UserChanges) -> dict[str, Any]:
    """The sent fields by column, with the lookup keys of username and e-mail address."""
    sent = msgspec.structs.asdict(request)
    columns = {name: value for name, value in sent.items() if name in REQUEST_COLUMNS and value is not UNSET}
    if "newsletter" in columns:
        columns["newsletter"] = int(columns["newsletter"])
    if request.metadata is not UNSET:
        columns["metadata"] = msgspec.json.encode(request.metadata).decode()
    for name in ("username", "email"):
        if name in columns:
            columns[f"{name}_key"] = key_of(columns[name])
    return columns


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """How staff calls users; without those who are anonymized."""
    return await store.names_of(tx, refs)
