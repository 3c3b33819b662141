"""The page of a list, and the CSV file with all of its rows."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from sitewright.kit import clock
from sitewright.kit.auth.rights import Right
from sitewright.kit.http.page import HTML
from sitewright.kit.http.page import Page as HtmlPage
from sitewright.kit.http.public import PublicRoute
from sitewright.kit.http.responses import Response
from sitewright.kit.http.streaming import Streamed
from sitewright.kit.keyset import Page
from sitewright.kit.problems import Problem
from sitewright.kit.spreadsheets import safe_cell
from sitewright.kit.validation import parse, parse_query, read_fields
from sitewright.web.console.frame.console_pages import Scope, console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.page_routes import SHOWN, page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.lists.columns import Column, Value
from sitewright.web.console.lists.console_list import ConsoleList, ListQuery, page_request, written
from sitewright.web.console.lists.filter_errors import filter_errors
from sitewright.web.console.lists.view import filters_of, list_values

CSV = "text/csv"
FILE_ROWS = 1000
"""Read in one transaction, so that a slow client holds no connection."""


def list_pages(listed: ConsoleList) -> list[HtmlPage]:
    shown = page_route(listed.path, f"show{listed.name}", listed.summary, listed.query, _refusal(listed))
    return [
        console_page(
            shown, partial(show_list, listed), partial(show_problem, listed), right=listed.right, scope=listed.scope
        ),
        console_page(_file_route(listed), partial(download, listed), right=listed.right, scope=Scope.NONE),
    ]


def _refusal(listed: ConsoleList) -> dict[int, str]:
    return {} if listed.right is Right.READ else {403: "A page: the role does not allow it."}


def _file_route(listed: ConsoleList) -> PublicRoute:
    return PublicRoute(
        path=f"{listed.path}.csv",
        operation_id=f"download{listed.name}",
        summary=f"{listed.summary.removesuffix('.')}: as a CSV file.",
        description="For operators who are logged in to the console. All rows that match the filters, in their order.",
        query=listed.query,
        responses=SHOWN | _refusal(listed) | {200: "The file."},
        media_type=CSV,
        error_media_type=HTML,
        tag="console",
    )


def _sent(request: ConsoleRequest) -> dict[str, Any]:
    """Fields that were left empty count as left out."""
    return {name: value for name, value in parse_query(request.http_request.query).items() if value != ""}


async def show_list(listed: ConsoleList, request: ConsoleRequest) -> Response:
    query: ListQuery = parse(listed.query, _sent(request))
    found = await listed.read(request.tx, query, page_request(listed, query))
    values = await list_values(listed, request, query, filters_of(query), found)
    return await _page(listed, request, values)


async def show_problem(listed: ConsoleList, request: ConsoleRequest, problem: Problem) -> Response:
    """The page without rows, with the filters as they were typed and what is wrong with them."""
    errors = filter_errors(listed, problem, request.messages)
    if not errors:
        raise problem
    sent = _sent(request)
    read, _ = read_fields(listed.query, sent)
    typed = {each.name: str(sent[each.name]) for each in listed.filters if each.name in sent}
    values = await list_values(listed, request, listed.query(**read), typed, Page([]), errors)
    return await _page(listed, request, values, problem.status)


async def _page(listed: ConsoleList, request: ConsoleRequest, values: dict[str, Any], status: int = 200) -> Response:
    more = {} if listed.more is None else await listed.more(request)
    return render(request, listed.template, status, **values, **more)


async def download(listed: ConsoleList, request: ConsoleRequest) -> Response:
    query: ListQuery = parse(listed.query, _sent(request))
    query = msgspec.structs.replace(query, after=None, before=None)
    page_request(listed, query)
    name = f"{listed.path.rpartition('/')[2]}-{clock.now():%Y-%m-%d}.csv"
    return Streamed(
        200,
        b"",
        {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"},
        f"{CSV}; charset=utf-8; header=present",
        length=None,
        chunks=partial(_chunks, listed, request, query),
    )


async def _chunks(listed: ConsoleList, request: ConsoleRequest, query: ListQuery) -> AsyncIterator[bytes]:
    columns = [each for each in listed.columns if each.only_in != "page"]
    yield _lines([[each.name for each in columns]])
    while True:
        page = await _read(listed, request, query)
        yield _lines([_values(columns, row) for row in page.rows])
        if page.after is None:
            return
        query = msgspec.structs.replace(query, after=written(page.after))


async def _read(listed: ConsoleList, request: ConsoleRequest, query: ListQuery) -> Page[Any]:
    brand_ref = request.brand_ref if listed.scope is Scope.BRAND else request.operator.brand_ref
    async with request.resources.database.transaction(brand_ref) as tx:
        return await listed.read(tx, query, page_request(listed, query, FILE_ROWS))


def _values(columns: Sequence[Column], row: Any) -> list[str]:
    return [_in_file(each.value(row)) for each in columns]


def _in_file(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return safe_cell(value) if isinstance(value, str) else str(value)


def _lines(rows: Sequence[Sequence[str]]) -> bytes:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode()
