import msgspec

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


class Brand(msgspec.Struct, frozen=True):
    brand_ref: int
    name: str
    domain: str | None


async def list_brands(tx: Transaction) -> list[Brand]:
    """Every brand of the environment, for the operator's shell."""
    rows = await tx.fetch("select brand_ref, name, domain from all_brands() order by brand_ref")
    return [Brand(*row) for row in rows]
