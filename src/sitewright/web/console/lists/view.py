"""The values of a list's template: links that sort, page and download, fields of filters, and cells."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import msgspec

from sitewright.kit.keyset import Page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.lists.columns import Cell, Filter, cell_of
from sitewright.web.console.lists.console_list import NOT_FILTERS, ConsoleList, ListQuery, has_own_order, written

NO_ERRORS: Mapping[str, str] = MappingProxyType({})


class Heading(msgspec.Struct, frozen=True):
    label: str
    name: str
    is_number: bool
    href: str | None
    """Sorts by the column; the other way round if it is sorted by it already."""
    direction: str | None
    """For `aria-sort`."""


class FilterField(msgspec.Struct, frozen=True):
    name: str
    kind: str
    label: str
    value: str
    error: str | None
    options: list[tuple[str, str]]


async def list_values(
    listed: ConsoleList,
    request: ConsoleRequest,
    query: ListQuery,
    set_filters: Mapping[str, str],
    page: Page[Any],
    errors: Mapping[str, str] = NO_ERRORS,
) -> dict[str, Any]:
    """`set_filters` are those of the query, or what was typed; `errors` what is wrong with it."""
    messages, prefix = request.messages, listed.prefix
    filters = [await _filter_field(listed, request, set_filters, errors, each) for each in listed.filters]
    kept = {**set_filters, **({"sort": query.sort} if query.sort else {})}
    done = f"{prefix}_done_{query.done}"
    return {
        "title": messages(f"{prefix}_title"),
        "hint": messages(f"{prefix}_hint") if f"{prefix}_hint" in messages else None,
        "empty_text": messages(f"{prefix}_empty"),
        "path": listed.path,
        "sort": query.sort,
        "headings": _headings(listed, request, query, set_filters),
        "filters": filters,
        "problems": [f"{each.label}: {each.error}" for each in filters if each.error],
        "is_filtered": bool(set_filters),
        "rows": _rows(listed, request, page),
        "previous": None if page.before is None else _address(listed.path, kept, before=written(page.before)),
        "next": None if page.after is None else _address(listed.path, kept, after=written(page.after)),
        "file": _address(f"{listed.path}.csv", kept),
        "done": messages(done) if query.done and done in messages else None,
    }


def filters_of(query: ListQuery) -> dict[str, str]:
    """Those that are set, as the address holds them."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(query)}
    values = {names[name]: getattr(query, name) for name in names if name not in NOT_FILTERS}
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _address(path: str, parameters: Mapping[str, str], **more: str) -> str:
    written_parameters = urlencode({**parameters, **more})
    return f"{path}?{written_parameters}" if written_parameters else path


def _headings(
    listed: ConsoleList, request: ConsoleRequest, query: ListQuery, set_filters: Mapping[str, str]
) -> list[Heading]:
    sort = query.sort or listed.default_sort
    is_fixed = has_own_order(listed, query)
    headings = []
    for column in listed.columns:
        if column.only_in == "file":
            continue
        is_current = sort.removeprefix("-") == column.name and not is_fixed
        direction = ("descending" if sort.startswith("-") else "ascending") if is_current else None
        wanted = f"-{column.name}" if direction == "ascending" else column.name
        href = _address(listed.path, set_filters, sort=wanted) if column.is_sortable and not is_fixed else None
        label = request.messages(f"{listed.prefix}_{column.name}")
        headings.append(Heading(label, column.name, column.is_number, href, direction))
    return headings


async def _filter_field(
    listed: ConsoleList,
    request: ConsoleRequest,
    set_filters: Mapping[str, str],
    errors: Mapping[str, str],
    each: Filter,
) -> FilterField:
    messages, prefix = request.messages, listed.prefix
    options = [] if each.options is None else [*(await each.options(request))]
    options += [(choice, messages(f"{prefix}_{each.name}_{choice}")) for choice in each.choices]
    label, value = messages(f"{prefix}_filter_{each.name}"), set_filters.get(each.name, "")
    return FilterField(each.name, each.kind, label, value, errors.get(each.name), options)


def _rows(listed: ConsoleList, request: ConsoleRequest, page: Page[Any]) -> list[list[Cell]]:
    columns = [each for each in listed.columns if each.only_in != "file"]
    return [[cell_of(column, row, request.messages) for column in columns] for row in page.rows]
