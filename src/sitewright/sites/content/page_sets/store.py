"""SQL of the language of a site."""

from sitewright.kit.db import Transaction


async def read_language(tx: Transaction, user_ref: int) -> str:
    """Return the language code of an account holder."""
    code: str = await tx.fetchval(
        "select language_code from account_holders where brand_ref = current_brand() and ref = $1", user_ref
    )
    return code
