"""The audit entries of sessions of operators that have ended: one for each, with its deletion."""

from collections.abc import Sequence

from sitewright.kit import audit, clock
from sitewright.kit.db import Transaction
from sitewright.kit.tokens.store import OperatorSession


async def record(tx: Transaction, ended: Sequence[OperatorSession], reason: str) -> None:
    """There is hardly ever more than one. After the hour the reason is always that it expired."""
    for each in ended:
        await audit.record(
            tx,
            actor=f"operator:{each.operator_ref}",
            action="end-log-in-as",
            subject="user",
            ref=each.user_ref,
            brand_ref=each.brand_ref,
            reason="expired" if each.expires_at <= clock.now() else reason,
            begun=each.created_at,
            until=each.expires_at,
        )
