from datetime import datetime

import msgspec

from sitewright.kit.db import Transaction
from sitewright.kit.keyset import ListStatement, Page, PageRequest, SortKey, read_page

KEYS = {
    "ref": SortKey("t.ref"),
    "name": SortKey("lower(t.name)", "text"),
    "updated": SortKey("t.updated_at", "timestamptz"),
}
"""There are few templates: any order is sorted from all of them."""


class TemplateRow(msgspec.Struct, frozen=True):
    ref: int
    name: str
    directory: str
    thumbnail: str
    is_private: bool
    categories: list[str]
    tags: list[str]
    updated_at: datetime


async def list_templates(
    tx: Transaction, name: str | None, category: str | None, page: PageRequest
) -> Page[TemplateRow]:
    """`name`: part of it. Shared templates and the brand's own, without those of account holders."""
    statement = ListStatement(
        columns="t.ref, t.name, t.directory, t.thumbnail, t.brand_ref is not null,"
        " array(select c.category from template_categories c where c.ref = any(t.category_refs) order by c.category),"
        " array(select g.name from template_tags g where g.ref = any(t.tag_refs) order by g.name), t.updated_at",
        tables="templates t",
        conditions=[
            "t.account_holder_ref is null",
            "($1::text is null or strpos(lower(t.name), lower($1)) > 0)",
            "($2::text is null or t.category_refs && array(select ref from template_categories where key = $2))",
        ],
        parameters=[name, category],
        keys=KEYS,
        ref="t.ref",
    )
    found = await read_page(tx, statement, page)
    return found.of(lambda row: TemplateRow(*list(row)[:8]))


async def list_category_names(tx: Transaction) -> list[tuple[str, str]]:
    """Keys and names."""
    rows = await tx.fetch("select key, category from template_categories order by category limit 1000")
    return [(row["key"], row["category"]) for row in rows]
