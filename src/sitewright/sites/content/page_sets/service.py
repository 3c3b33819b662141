"""The ready-made sets of first pages, loaded and validated when a language is first needed."""

from functools import lru_cache
from importlib.resources import files

import msgspec
import msgspec.yaml

from sitewright.kit.db import Transaction
from sitewright.kit.text import language_of
from sitewright.sites.content.page_sets import store
from sitewright.sites.content.page_sets.schemas import PageSet, PageSetPage
from sitewright.sites.content.pages.urls import HOME, read_page_url
from sitewright.sites.content.sections.schemas import Section, SectionBlock, SectionWidget
from sitewright.sites.content.sections.service import NAMES, find_section
from sitewright.sites.content.widget_types.service import DEFAULT_LANGUAGE, LANGUAGES, localized

__all__ = ["PageSet", "find_page_set", "page_sets_in", "read_page_sets", "sections_of", "site_language"]

_FILE = files("sitewright.sites.content.page_sets") / "page_sets.yaml"
CONTACT = "contact"
"""The section with the contact form."""
TO_CONTACT = "#contact"
"""Where buttons of sections lead: to the contact form of the same page."""


async def site_language(tx: Transaction, user_ref: int) -> str:
    """The language in which a site's pages are published: its account holder's."""
    return language_of(await store.read_language(tx, user_ref))


@lru_cache
def page_sets_in(language: str) -> list[PageSet]:
    """The sets with texts in a language: one of `LANGUAGES`, else the default."""
    return read_page_sets(_FILE.read_text(encoding="utf-8"), language if language in LANGUAGES else DEFAULT_LANGUAGE)


def read_page_sets(text: str, language: str = DEFAULT_LANGUAGE) -> list[PageSet]:
    """Load the sets from `text`, with the texts of a language; raises ValueError for an invalid one."""
    sets = msgspec.convert(localized(msgspec.yaml.decode(text), language), list[PageSet])
    for each in sets:
        paths = [read_page_url(page.page_url) for page in each.pages]
        if paths[0] != HOME or len(set(paths)) < len(paths):
            raise ValueError(f"{each.name}: the first page has the address {HOME}, and every page its own")
        if unknown := {name for page in each.pages for name in page.sections} - NAMES:
            raise ValueError(f"{each.name}: {', '.join(sorted(unknown))} is not a known section")
    return sets


def find_page_set(name: str, language: str) -> PageSet | None:
    return next((each for each in page_sets_in(language) if each.name == name), None)


def sections_of(page_set: PageSet, page: PageSetPage, language: str) -> list[Section]:
    """The sections of a page, whose buttons lead to the contact form, wherever it is."""
    found = [section for name in page.sections if (section := find_section(name, language)) is not None]
    with_form = next((each.page_url for each in page_set.pages if CONTACT in each.sections), None)
    return found if with_form in (None, page.page_url) else [_linked(each, f"/{with_form}") for each in found]


def _linked(section: Section, target: str) -> Section:
    widgets = [
        SectionWidget(
            widget.type,
            _linked_block(widget, target).values,
            [[_linked_block(each, target) for each in column] for column in widget.columns],
        )
        for widget in section.widgets
    ]
    return msgspec.structs.replace(section, widgets=widgets)


def _linked_block(block: SectionBlock, target: str) -> SectionBlock:
    values = {name: target if value == TO_CONTACT else value for name, value in block.values.items()}
    return SectionBlock(block.type, values)
