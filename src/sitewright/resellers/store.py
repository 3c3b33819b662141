from sitewright.kit.db import Transaction


async def reseller_exists(tx: Transaction, reseller_ref: int) -> bool:
    """Whether the transaction's brand has this reseller, and it is not deleted."""
    found = await tx.fetchval(
        "select exists (select from resellers where brand_ref = current_brand() and ref = $1 and deleted_at is null)",
        reseller_ref,
    )
    return found is True
