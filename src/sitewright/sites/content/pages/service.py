"""The rules of pages. Changes require the lock on the site's content (`content.access`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.kit import audit, paging
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.paging import Window
from sitewright.kit.problems import FieldErrors
from sitewright.kit.validation import MAX_INT4
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.content.media_names import check_media
from sitewright.sites.content.pages import store
from sitewright.sites.content.pages.requests import NewPage, PageChanges
from sitewright.sites.content.pages.urls import HOME, free_path, read_page_url
from sitewright.sites.content.redirects import service as redirects
from sitewright.sites.content.schemas import Page

EVERY_TYPE = "all"
"""A `type` that means no filter, for clients that always send one."""


async def find_page(tx: Transaction, site_ref: int, page_ref: int) -> Page:
    row = await store.read_page(tx, site_ref, page_ref)
    if row is None:
        raise PageNotFound
    return Page(**row)


async def list_pages(
    tx: Transaction, site_ref: int, page_type: str | None, window: Window
) -> tuple[list[Page], paging.Page]:
    wanted = None if page_type == EVERY_TYPE else page_type
    rows, too_large = await store.list_pages(tx, site_ref, wanted, window)
    pages = [Page(**row) for row in rows]
    shown = paging.cut(window, [page.ref for page in pages], too_large=too_large)
    return [page for page in pages if shown.refs[0] <= page.ref <= shown.refs[-1]], shown


async def check_page(tx: Transaction, site_ref: int, page_ref: int | None, read: dict[str, Any]) -> FieldErrors:
    """Validate the fields of a page beyond their types; `page_ref` is set when an existing page is changed."""
    errors: FieldErrors = {}
    for attribute, field in (("page_url", "pageUrl"), ("request", "request")):
        if isinstance(text := read.get(attribute), str):
            try:
                read_page_url(text)
            except ValueError as error:
                errors[field] = {"invalidPageUrl": str(error)}
    if read.get("parent_id"):
        problem = _parent_problem(await store.read_parents(tx, site_ref), page_ref, read["parent_id"])
        errors |= {"parentId": {"invalidParentId": problem}} if problem else {}
    scripts = {name: script for name in ("headscript", "bodyscript") if isinstance(script := read.get(name), str)}
    unknown = await check_media(tx, site_ref, scripts)
    return errors | {name: {f"invalid{name.capitalize()}": found["invalidValue"]} for name, found in unknown.items()}


def _parent_problem(parents: dict[int, int], page_ref: int | None, parent_id: int) -> str | None:
    if parent_id not in parents:
        return "is not a page of this site"
    if _has_circle(parents, [parent_id]):
        return "is in a circle of pages, or below one: move one of them to the top first, with parentId 0"
    if page_ref is not None and _has_circle(parents | {page_ref: parent_id}, [parent_id]):
        return "is this page itself, or a page under it"
    return None


def _has_circle(parents: Mapping[int, int], page_refs: Iterable[int]) -> bool:
    """Whether the way up from one of these pages never ends."""
    ended: set[int] = set()
    for page_ref in page_refs:
        above, way = page_ref, set[int]()
        while above in parents and above not in ended:
            if above in way:
                return True
            way.add(above)
            above = parents[above]
        ended |= way
    return False


async def are_placed(tx: Transaction, site_ref: int, page_refs: Sequence[int]) -> bool:
    """Whether the parent of each of these pages exists, or it has none, and no page is below itself."""
    parents = await store.read_parents(tx, site_ref)
    return {parents[ref] for ref in page_refs} <= {0, *parents} and not _has_circle(parents, page_refs)


async def create_page(tx: Transaction, caller: Caller, site_ref: int, new: NewPage) -> Page:
    columns = _columns(new)
    if new.display_order is None:
        last = await store.last_display_order(tx, site_ref)
        columns["display_order"] = 0 if last is None else min(last, MAX_INT4 - 1) + 1
    page = Page(**await store.insert_page(tx, site_ref, columns))
    await redirects.release_path(tx, site_ref, page.request)
    await audit.record_by(tx, caller, "create", "page", page.ref, site=site_ref)
    return page


async def edit_page(tx: Transaction, caller: Caller, site_ref: int, page: Page, changes: PageChanges) -> Page:
    columns, former = _columns(changes), page.request
    if columns:
        page = Page(**await store.update_page(tx, page.ref, columns))
        await redirects.record_move(tx, site_ref, page.ref, former, page.request)
    fields = sorted(msgspec.to_builtins(changes))
    await audit.record_by(tx, caller, "edit", "page", page.ref, site=site_ref, fields=fields)
    return page


async def read_paths(tx: Transaction, site_ref: int) -> dict[int, str]:
    """Return the path of each page, in lower case."""
    return await store.read_paths(tx, site_ref)


async def make_home(tx: Transaction, caller: Caller, site_ref: int, page: Page, former: Page | None) -> None:
    """Give a page the address of the home page; the former home page gets a free one, made of its title."""
    if former is not None:
        taken = set((await store.read_paths(tx, site_ref)).values())
        await edit_page(tx, caller, site_ref, former, PageChanges(page_url=free_path(former.title, taken)))
    await edit_page(tx, caller, site_ref, page, PageChanges(page_url=HOME))


async def move_page(
    tx: Transaction, caller: Caller, site_ref: int, page_ref: int, parent_id: int, order: Sequence[int]
) -> None:
    """Move a page below another, and number all pages of the site in this order."""
    await store.place_pages(tx, site_ref, page_ref, parent_id, order)
    await audit.record_by(tx, caller, "edit", "page", page_ref, site=site_ref, fields=["displayOrder", "parentId"])


async def delete_page(tx: Transaction, caller: Caller, site_ref: int, page: Page) -> None:
    await store.delete_page(tx, site_ref, page.ref, page.parent_id)
    await audit.record_by(tx, caller, "delete", "page", page.ref, site=site_ref)


def _columns(request: NewPage | PageChanges) -> dict[str, Any]:
    """Map the sent fields to columns; `pageUrl`, `seoTitle` and `hiddenFromNavigation` precede their aliases."""
    sent = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not UNSET}
    url, seo_title = sent.pop("request", None), sent.pop("other_seo_title", UNSET)
    if (url := sent.pop("page_url", url)) is not None:
        sent["request"] = read_page_url(url)
        sent["request_key"] = sent["request"].lower()
    if seo_title is not UNSET:
        sent.setdefault("seo_title", seo_title)
    if "menu" in sent:
        sent.setdefault("hidden_from_navigation", not sent.pop("menu"))
    if "hidden_from_navigation" in sent:
        sent["hidden_from_navigation"] = int(sent["hidden_from_navigation"])
    return sent
