"""The changes of pages and of the template, made by the services of pages and sites."""

from typing import Any

import msgspec
from msgspec import UNSET

from sitewright.sites.content import usage
from sitewright.sites.content.changes import package_rules
from sitewright.sites.content.changes.images.rows import PAGES, Rows, Scope
from sitewright.sites.content.changes.items import find_page, page_places
from sitewright.sites.content.changes.requests import AddPage, ChooseTemplate, DeletePage, EditPage, MakeHome, MovePage
from sitewright.sites.content.changes.schemas import PageItem, PagePlace
from sitewright.sites.content.changes.widget_operations import check_inside, copies_of, insert_widgets
from sitewright.sites.content.changes.work import Work, check_etag, check_fields
from sitewright.sites.content.errors import PageNotFound
from sitewright.sites.content.pages import service as pages
from sitewright.sites.content.pages.requests import NewPage
from sitewright.sites.content.pages.urls import HOME
from sitewright.sites.sites import service as sites

COPIED = ("headscript", "bodyscript", "template_type")
"""Fields that a copy of a page takes over where they are not sent."""


async def add_page(work: Work, change: AddPage) -> str:
    copied = [] if change.copy_of is None else [change.copy_of]
    rows = await work.recorder.watch(Scope(every_page=True, pages=copied, widgets_of_pages=copied))
    fields = _sent({name: getattr(change, name) for name in NewPage.__struct_fields__})
    errors = await pages.check_page(work.tx, work.site.ref, None, fields)
    if copied and str(change.copy_of) not in rows[PAGES]:
        errors["copyOf"] = {"invalidCopyOf": "is not a page of this site"}
    check_fields(errors)
    await package_rules.check_page(work, fields)
    await package_rules.check_page_count(work, len(rows[PAGES]))
    await usage.check_page_count(work.tx, work.settings, work.site.ref)
    for name in COPIED if copied else ():
        if fields.get(name) in (None, "default"):
            fields[name] = rows[PAGES][str(change.copy_of)][name]
    page = await pages.create_page(work.tx, work.caller, work.site.ref, NewPage(**fields))
    work.recorder.created(pages=[page.ref])
    if copied:
        await insert_widgets(work, page.ref, [each for _ref, each in copies_of(rows)])
    return page.title


async def edit_page(work: Work, change: EditPage) -> str:
    item = _found(await work.recorder.watch(Scope(pages=[change.page_ref])), change.page_ref)
    check_etag(item, change.etag)
    fields = _sent(msgspec.structs.asdict(change.fields))
    check_fields(await pages.check_page(work.tx, work.site.ref, change.page_ref, fields), "fields.")
    await package_rules.check_page(work, fields)
    await pages.edit_page(work.tx, work.caller, work.site.ref, item.page, change.fields)
    return item.page.title


async def move_page(work: Work, change: MovePage) -> str:
    """The position counts the other pages of the parent. All pages are numbered anew, in their order."""
    rows = await work.recorder.watch(Scope(pages=[change.page_ref], every_page=True))
    item = _found(rows, change.page_ref)
    fields = {"parent_id": change.parent_id}
    check_fields(await pages.check_page(work.tx, work.site.ref, change.page_ref, fields))
    others = [place for place in page_places(rows) if place.ref != change.page_ref]
    order = [place.ref for place in others]
    order.insert(_index(others, change), change.page_ref)
    await pages.move_page(work.tx, work.caller, work.site.ref, change.page_ref, change.parent_id, order)
    return item.page.title


def _index(others: list[PagePlace], change: MovePage) -> int:
    """Where the page stands among all others: before the sibling at the position, or after the last one."""
    siblings = [index for index, place in enumerate(others) if place.parent_id == change.parent_id]
    if change.position is not None and change.position < len(siblings):
        return siblings[change.position]
    return siblings[-1] + 1 if siblings else len(others)


async def make_home(work: Work, change: MakeHome) -> str:
    paths = await pages.read_paths(work.tx, work.site.ref)
    others = [ref for ref, path in paths.items() if path == HOME and ref != change.page_ref]
    rows = await work.recorder.watch(Scope(pages=[change.page_ref, *others]))
    item = _found(rows, change.page_ref)
    if paths[item.ref] != HOME:
        former = _found(rows, others[0]).page if others else None
        await pages.make_home(work.tx, work.caller, work.site.ref, item.page, former)
    return item.page.title


async def delete_page(work: Work, change: DeletePage) -> str:
    ref = change.page_ref
    rows = await work.recorder.watch(Scope(pages=[ref], every_page=True, widgets_of_pages=[ref]))
    item = _found(rows, ref)
    check_etag(item, change.etag)
    if change.inside is not UNSET:
        check_inside(rows, set(), change.inside)
    await pages.delete_page(work.tx, work.caller, work.site.ref, item.page)
    return item.page.title


async def choose_template(work: Work, change: ChooseTemplate) -> str:
    await work.recorder.watch(Scope(template=True))
    check_fields(await sites.check_changes(work.tx, work.site, {"template_ref": change.template_ref}))
    await package_rules.check_template(work, change.template_ref)
    await sites.choose_template(work.tx, work.caller, work.site, change.template_ref)
    work.recorder.chose_template(change.template_ref)
    return "template"


def _found(rows: Rows, page_ref: int) -> PageItem:
    item = find_page(rows, page_ref)
    if item is None:
        raise PageNotFound
    return item


def _sent(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not UNSET}
