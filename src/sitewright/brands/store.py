from sitewright.brands.schemas import Language
from sitewright.kit.db import Transaction


async def brand_exists(tx: Transaction) -> bool:
    """Whether the brand of this transaction exists."""
    return await tx.fetchval("select exists (select from brands where brand_ref = current_brand())") is True


async def list_languages(tx: Transaction, brand_ref: int) -> list[Language]:
    rows = await tx.fetch(
        "select l.ref, l.code, l.name from brand_languages b join languages l on l.ref = b.language_ref"
        " where b.brand_ref = $1 order by b.display_order, l.ref",
        brand_ref,
    )
    return [Language(*row) for row in rows]
