"""Operators of a brand: who they are, their role, and their removal. Both changes end their sessions."""

from collections.abc import Sequence

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.tenants.credentials import store as credential_store
from sitewright.tenants.credentials.console_sessions import service as console_sessions
from sitewright.tenants.credentials.errors import LastBrandAdmin, OperatorNotFound
from sitewright.tenants.credentials.operators import store
from sitewright.tenants.credentials.operators.schemas import ROLE, StaffRole
from sitewright.tenants.credentials.operators.store import Operator

__all__ = [
    "MAX_OPERATORS",
    "ROLE",
    "Operator",
    "StaffRole",
    "change_role",
    "count_operators",
    "find_operator",
    "list_operators",
    "lock_password_hash",
    "names_of",
    "remove",
    "set_language",
]

MAX_OPERATORS = 500
"""Of one brand, with open invitations."""


async def list_operators(tx: Transaction) -> list[Operator]:
    """The operators of the transaction's brand, oldest first."""
    return await store.list_operators(tx)


async def find_operator(tx: Transaction, ref: int) -> Operator:
    """An active operator of the transaction's brand."""
    found = await store.find_operator(tx, ref)
    if found is None:
        raise OperatorNotFound
    return found


async def change_role(tx: Transaction, caller: Caller, ref: int, role: StaffRole) -> Operator:
    """Change what the operator may do. The operator's sessions end; the last brand-admin stays one."""
    found = await find_operator(tx, ref)
    if found.role != role:
        if found.role == Role.BRAND_ADMIN:
            await _require_another_brand_admin(tx, ref)
        await store.change_role(tx, ref, role)
        await console_sessions.end_all(tx, ref)
        await audit.record_by(tx, caller, "change-role", "operator", ref, former=found.role, role=role)
    return await find_operator(tx, ref)


async def remove(tx: Transaction, caller: Caller, ref: int) -> None:
    """Take all access away from an operator, for good; the last brand-admin stays."""
    found = await find_operator(tx, ref)
    if found.role == Role.BRAND_ADMIN:
        await _require_another_brand_admin(tx, ref)
    await credential_store.revoke_operator(tx, ref, clock.now())
    await console_sessions.end_all(tx, ref)
    await audit.record_by(tx, caller, "revoke", "operator", ref)


async def count_operators(tx: Transaction) -> int:
    return await store.count_operators(tx)


async def lock_password_hash(tx: Transaction, ref: int) -> str | None:
    """Lock an active operator of the transaction's brand, or system-owner; None if there is none any more."""
    return await store.lock_password_hash(tx, ref)


async def set_language(tx: Transaction, ref: int, language_code: str) -> None:
    """The language of the console for this operator."""
    await store.set_language(tx, ref, language_code)


async def _require_another_brand_admin(tx: Transaction, ref: int) -> None:
    if not set(await store.lock_brand_admins(tx)) - {ref}:
        raise LastBrandAdmin


async def names_of(tx: Transaction, refs: Sequence[int]) -> dict[int, str]:
    """The names of operators of the brand and of system-owners, also of those whose access was taken away."""
    return await store.names_of(tx, refs) if refs else {}
