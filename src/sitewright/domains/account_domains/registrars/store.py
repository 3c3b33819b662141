from collections.abc import Sequence
from datetime import datetime

from sitewright.domains.account_domains.registrars.interface import Registration
from sitewright.kit.db import Transaction


async def is_registered(connection: Transaction, domain: str) -> bool:
    return await connection.fetchval("select is_registered_domain($1)", domain) is True


async def register(tx: Transaction, registration: Registration, now: datetime) -> bool:
    """False when the name belongs to another registration. Repeating the same one only extends it."""
    await tx.execute(
        "insert into registered_domains (brand_ref, account_domain_ref, domain, registered_at, expires_at)"
        " values (current_brand(), $1, $2, $3, $4) on conflict do nothing",
        registration.account_domain_ref,
        registration.domain,
        now,
        registration.until,
    )
    return await renew(tx, registration)


async def renew(tx: Transaction, registration: Registration) -> bool:
    """False when there is no such registration."""
    renewed = await tx.fetchval(
        "update registered_domains set expires_at = greatest(expires_at, $2)"
        " where brand_ref = current_brand() and account_domain_ref = $1 returning true",
        registration.account_domain_ref,
        registration.until,
    )
    return renewed is True


async def release(tx: Transaction, registration: Registration) -> None:
    await tx.execute(
        "delete from registered_domains where brand_ref = current_brand() and account_domain_ref = $1",
        registration.account_domain_ref,
    )


async def set_ds(tx: Transaction, registration: Registration, ds: Sequence[str]) -> None:
    await tx.execute(
        "update registered_domains set ds = $2 where brand_ref = current_brand() and account_domain_ref = $1",
        registration.account_domain_ref,
        ds,
    )
