"""Adds a ready-made set of first pages, with their sections, as one change."""

from sitewright.kit.problems import Invalid
from sitewright.sites.content import usage
from sitewright.sites.content.changes import package_rules
from sitewright.sites.content.changes.images.rows import PAGES, Scope
from sitewright.sites.content.changes.requests import AddPageSet
from sitewright.sites.content.changes.section_operations import rows_of
from sitewright.sites.content.changes.widget_operations import insert_widgets
from sitewright.sites.content.changes.work import Work
from sitewright.sites.content.page_sets import service as page_sets
from sitewright.sites.content.pages import service as pages
from sitewright.sites.content.pages.requests import NewPage
from sitewright.sites.content.sections.schemas import Section
from sitewright.sites.content.widgets.copies import NewWidgetRow


async def add_page_set(work: Work, change: AddPageSet) -> str:
    rows = await work.recorder.watch(Scope(every_page=True))
    language = await page_sets.site_language(work.tx, work.site.user_ref)
    page_set = page_sets.find_page_set(change.page_set, language)
    if page_set is None:
        message = "is not a ready-made set of pages; GET /page-sets lists them"
        raise Invalid.fields({"change.pageSet": {"invalidPageSet": message}})
    await package_rules.check_page_count(work, len(rows[PAGES]), len(page_set.pages))
    await usage.check_page_count(work.tx, work.settings, work.site.ref, len(page_set.pages))
    for each in page_set.pages:
        new = NewPage(page_url=each.page_url, title=each.title)
        page = await pages.create_page(work.tx, work.caller, work.site.ref, new)
        work.recorder.created(pages=[page.ref])
        if widgets := _rows_of_page(page_sets.sections_of(page_set, each, language)):
            await insert_widgets(work, page.ref, widgets)
    return page_set.name


def _rows_of_page(sections: list[Section]) -> list[NewWidgetRow]:
    """The widgets of sections that follow each other."""
    rows: list[NewWidgetRow] = []
    position = 0
    for section in sections:
        rows += rows_of(section, position)
        position += len(section.widgets)
    return rows
