"""The templates that a brand offers, as its staff sees them."""

from sitewright.catalogue.templates.listing import store
from sitewright.catalogue.templates.listing.store import TemplateRow
from sitewright.kit.db import Transaction
from sitewright.kit.keyset import Page, PageRequest

__all__ = ["TemplateRow", "list_category_names", "list_templates"]


async def list_templates(
    tx: Transaction, name: str | None, category: str | None, page: PageRequest
) -> Page[TemplateRow]:
    return await store.list_templates(tx, name, category, page)


async def list_category_names(tx: Transaction) -> list[tuple[str, str]]:
    return await store.list_category_names(tx)
