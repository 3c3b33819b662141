"""`/console/catalogue/templates`: the designs that the brand offers."""

from collections.abc import Sequence
from typing import Annotated

from sitewright.catalogue.templates.listing import service
from sitewright.catalogue.templates.listing.service import TemplateRow
from sitewright.kit.db import Transaction
from sitewright.kit.http.about import about
from sitewright.kit.http.messages import Messages
from sitewright.kit.keyset import Page, PageRequest
from sitewright.kit.validation import Text
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import CATALOGUE
from sitewright.web.console.lists.columns import Cell, Column, Filter
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery
from sitewright.web.console.lists.pages import list_pages


class TemplateQuery(ListQuery, frozen=True, kw_only=True, rename="camel"):
    """Which templates to list."""

    name: Annotated[str, Text(1, 255), about("Part of the name.", "Atelier")] | None = None
    category: Annotated[str, Text(1, 100), about("The key of a category.", "shop")] | None = None


async def read(tx: Transaction, query: TemplateQuery, page: PageRequest) -> Page[TemplateRow]:
    return await service.list_templates(tx, query.name, query.category, page)


async def _categories(request: ConsoleRequest) -> Sequence[tuple[str, str]]:
    return await service.list_category_names(request.tx)


def _offer(row: TemplateRow, messages: Messages) -> Cell:
    return Cell(text=messages("templates_private" if row.is_private else "templates_shared"))


LIST = ConsoleList(
    path=f"{CATALOGUE}/templates",
    prefix="templates",
    name="CatalogueTemplates",
    summary="The templates that the brand offers.",
    query=TemplateQuery,
    columns=(
        Column(
            name="name",
            value=lambda row: row.name,
            show=lambda row, _messages: Cell(text=row.name, note=row.directory),
            is_sortable=True,
        ),
        Column(name="categories", value=lambda row: ", ".join(row.categories)),
        Column(name="tags", value=lambda row: ", ".join(row.tags)),
        Column(name="offer", value=lambda row: "private" if row.is_private else "shared", show=_offer),
        Column(name="updated", value=lambda row: row.updated_at, is_sortable=True),
        Column(name="ref", value=lambda row: row.ref, is_sortable=True, is_number=True),
        Column(name="directory", value=lambda row: row.directory, only_in="file"),
    ),
    filters=(Filter(name="name", kind="search"), Filter(name="category", options=_categories)),
    default_sort="name",
    read=read,
    template="catalogue_templates.html",
)
PAGES = list_pages(LIST)
