"""The rules of redirects. Changes require the lock on the site's content (`content.access`).

A redirect to a page names the page and not its path, so that chains cannot arise: every former address of a page leads
to where the page is now.
"""

from collections.abc import Mapping
from typing import Any

from sitewright.accounts.account_packages import service as account_packages
from sitewright.kit import audit, clock, paging
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.links import check_link, host_of
from sitewright.kit.paging import Window
from sitewright.kit.problems import FieldErrors
from sitewright.kit.timestamps import timestamp
from sitewright.sites.content.errors import PageUrlTaken, RedirectExists, RedirectNotFound, SiteFull
from sitewright.sites.content.pages.urls import HOME, read_page_url
from sitewright.sites.content.redirects import store
from sitewright.sites.content.redirects.schemas import NewRedirect, Redirect, RedirectResponse
from sitewright.sites.content.redirects.store import RedirectRow, Target
from sitewright.sites.content.widgets.service import check_page_ref
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.errors import PackageLimitReached

__all__ = [
    "MAX_REDIRECTS",
    "NewRedirect",
    "Redirect",
    "RedirectResponse",
    "add_redirect",
    "check_may_edit",
    "check_redirect",
    "delete_redirect",
    "find_redirect",
    "list_redirects",
    "read_targets",
    "record_move",
    "record_moves",
    "release_path",
]
MAX_REDIRECTS = 1000
"""Of one site. An automatic one beyond it evicts the oldest automatic one."""
EDITING, EXTERNAL = "seoAndRedirects", "allowExternalRedirects"
"""Capabilities of a package."""
ONE_TARGET = "send pageRef, or url, and not both"


async def list_redirects(tx: Transaction, site_ref: int, window: Window) -> tuple[list[Redirect], paging.Page]:
    rows, too_large = await store.list_redirects(tx, site_ref, window)
    shown = paging.cut(window, [row.ref for row in rows], too_large=too_large)
    return [_serialize(row) for row in rows if row.ref in set(shown.refs)], shown


async def check_redirect(tx: Transaction, site_ref: int, read: dict[str, Any]) -> FieldErrors:
    """Validate the fields of a new redirect beyond their types."""
    errors = await check_page_ref(tx, site_ref, read)
    if isinstance(path := read.get("from_path"), str):
        errors |= _check_path(path)
    if isinstance(url := read.get("url"), str):
        errors |= await _check_url(tx, site_ref, url)
    if (read.get("page_ref") is None) == (read.get("url") is None) and not errors:
        errors["pageRef"] = {"invalidPageRef": ONE_TARGET}
    return errors


def _check_path(path: str) -> FieldErrors:
    try:
        is_home = read_page_url(path).lower() == HOME
    except ValueError as error:
        return {"from": {"invalidFrom": str(error)}}
    return {"from": {"invalidFrom": "is the home page, which is always there"}} if is_home else {}


async def _check_url(tx: Transaction, site_ref: int, url: str) -> FieldErrors:
    try:
        host = host_of(check_link(url))
    except ValueError as error:
        return {"url": {"invalidUrl": str(error)}}
    if any(each.domain == host for each in await sites.list_domains(tx, site_ref)):
        return {"url": {"invalidUrl": "is on this site itself: send pageRef, the page that it leads to"}}
    return {}


async def add_redirect(tx: Transaction, caller: Caller, site_ref: int, new: NewRedirect) -> Redirect:
    """Add a validated redirect (`check_redirect`)."""
    await check_may_edit(tx, caller, site_ref, is_external=new.url is not None)
    path = read_page_url(new.from_path).lower()
    if await store.find_page(tx, site_ref, path) is not None:
        raise PageUrlTaken
    if await store.evict(tx, site_ref, MAX_REDIRECTS - 1) >= MAX_REDIRECTS:
        raise SiteFull(f"The site has {MAX_REDIRECTS} redirects, and may not have more. Delete some first.")
    url = None if new.url is None else check_link(new.url)
    ref = await store.insert_redirect(tx, site_ref, path, new.page_ref, url, clock.now())
    if ref is None:
        raise RedirectExists
    await audit.record_by(tx, caller, "create", "redirect", ref, site=site_ref)
    return await find_redirect(tx, site_ref, ref)


async def find_redirect(tx: Transaction, site_ref: int, ref: int) -> Redirect:
    row = await store.read_redirect(tx, site_ref, ref)
    if row is None:
        raise RedirectNotFound
    return _serialize(row)


async def delete_redirect(tx: Transaction, caller: Caller, site_ref: int, ref: int) -> None:
    await check_may_edit(tx, caller, site_ref)
    if not await store.delete_redirect(tx, site_ref, ref):
        raise RedirectNotFound
    await audit.record_by(tx, caller, "delete", "redirect", ref, site=site_ref)


async def check_may_edit(tx: Transaction, caller: Caller, site_ref: int, *, is_external: bool = False) -> None:
    """Raise where the package does not allow it: account holders need `seoAndRedirects`, and every caller
    `allowExternalRedirects` for a target on another website."""
    if not (caller.is_account_holder or is_external):
        return
    site = await sites.find_site(tx, caller, site_ref)
    capabilities = await account_packages.capabilities_of(tx, site.user_ref)
    if caller.is_account_holder and not capabilities[EDITING]:
        raise PackageLimitReached(EDITING, 0, 0)
    if is_external and not capabilities[EXTERNAL]:
        raise PackageLimitReached(EXTERNAL, 0, 0)


async def record_move(tx: Transaction, site_ref: int, page_ref: int, old: str, new: str) -> None:
    """Keep the former address of a page as a redirect; the new one is no redirect any more.

    Called whenever the address of a page changes. The home page needs none: `/` and `/home` always lead to it.
    """
    if old.lower() == new.lower():
        return
    await release_path(tx, site_ref, new)
    if old.lower() != HOME:
        await store.evict(tx, site_ref, MAX_REDIRECTS - 1)
        await store.record_move(tx, site_ref, page_ref, old.lower(), clock.now())


async def record_moves(tx: Transaction, site_ref: int, before: Mapping[int, str], after: Mapping[int, str]) -> None:
    """Keep the former addresses of many pages, by ref, when the content of a site is replaced."""
    moved = {ref: path for ref, path in before.items() if ref in after and after[ref] != path and path != HOME}
    for page_ref, path in moved.items():
        await store.evict(tx, site_ref, MAX_REDIRECTS - 1)
        await store.record_move(tx, site_ref, page_ref, path, clock.now())
    await store.delete_from_paths(tx, site_ref, list(after.values()))


async def release_path(tx: Transaction, site_ref: int, path: str) -> None:
    """Remove the redirect from a path at which there is a page now."""
    await store.delete_from_paths(tx, site_ref, [path.lower()])


async def read_targets(tx: Transaction, site_ref: int, user_ref: int) -> list[Target]:
    """Read what publishing writes; targets on other websites only while the package allows them."""
    targets = await store.read_targets(tx, site_ref)
    if all(each.url is None for each in targets):
        return targets
    if (await account_packages.capabilities_of(tx, user_ref))[EXTERNAL]:
        return targets
    return [each for each in targets if each.url is None]


def _serialize(row: RedirectRow) -> Redirect:
    path = None if row.page_path is None else "/" if row.page_path.lower() == HOME else f"/{row.page_path}"
    return Redirect(
        ref=row.ref,
        from_path=row.from_path,
        page_ref=row.page_ref,
        url=row.url,
        to=row.url or path,
        automatic=row.is_automatic,
        created=timestamp(row.created_at, row.time_zone),
    )
