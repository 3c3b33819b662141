"""Lists templates and their categories, and decides which of them an account holder can choose."""

import re
from pathlib import Path

import asyncpg

from sitewright.catalogue.templates import store
from sitewright.catalogue.templates.errors import InvalidTemplateGroupRefs
from sitewright.catalogue.templates.schemas import (
    ChoosableTemplate,
    Template,
    TemplateCategory,
    TemplateDesign,
    TemplateFilter,
    TemplateOffer,
)
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Page, Window, cut
from sitewright.kit.timestamps import timestamp
from sitewright.kit.validation import MAX_REF
from sitewright.tenants.brands import service as brands

BUILTIN = Path(__file__).parent / "builtin"
"""The built-in templates, one folder each; `shared` has their common files."""
_REFS = re.compile(r"[0-9]{1,19}(?:,[0-9]{1,19})*")


async def list_templates(
    tx: Transaction, wanted: TemplateFilter, reseller_ref: int | None
) -> tuple[list[Template], Page]:
    """List the templates visible to the brand: shared ones and its own private ones.

    Templates of deleted account holders are left out; a reseller does not see those of other resellers' users.
    """
    rows = await store.list_templates(tx, wanted, parse_group_refs(wanted.template_group_refs), reseller_ref)
    if not rows:
        await brands.require_brand(tx)
    page = cut(wanted.window, [row["ref"] for row in rows])
    return [_template(row) for row in wanted.window.shown(rows)], page


async def find_design(tx: Transaction, template_ref: int) -> TemplateDesign | None:
    """Return the design of a template; None when the template is not visible to the brand."""
    return await store.find_design(tx, template_ref)


async def list_categories(tx: Transaction, window: Window) -> tuple[list[TemplateCategory], Page]:
    await brands.require_brand(tx)
    found = await store.list_categories(tx, window)
    return list(window.shown(found)), cut(window, [category.ref for category in found])


async def list_choosable(
    tx: Transaction, user_ref: int, offer: TemplateOffer, current_ref: int | None = None
) -> list[ChoosableTemplate]:
    """List the templates that an account holder can choose: those on offer, their own, and the current one."""
    return await store.list_choosable(tx, user_ref, offer, current_ref)


async def is_choosable(tx: Transaction, template_ref: int, user_ref: int | None) -> bool:
    """Whether a site of the account holder may have the template; without a user: whether every site may."""
    return await store.is_choosable(tx, template_ref, user_ref)


def parse_group_refs(text: str | None) -> list[int] | None:
    """Parse a comma-separated list of refs."""
    if text is None:
        return None
    refs = [int(ref) for ref in text.split(",")] if _REFS.fullmatch(text) else []
    if not refs or not all(1 <= ref <= MAX_REF for ref in refs):
        raise InvalidTemplateGroupRefs(
            errors={"templateGroupRefs": {InvalidTemplateGroupRefs.code: "must be refs with commas between them"}}
        )
    return refs


def _template(row: asyncpg.Record) -> Template:
    fields = {name: row[name] for name in Template.__struct_fields__ if name != "updated"}
    return Template(**fields, updated=timestamp(row["updated_at"], row["time_zone"]))
