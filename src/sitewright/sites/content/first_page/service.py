"""Writes the first page of a site from plain text, for account holders who have no editor."""

import re

from markupsafe import escape

from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.content import usage
from sitewright.sites.content.access import change_site
from sitewright.sites.content.pages import service as pages
from sitewright.sites.content.pages.requests import NewPage
from sitewright.sites.content.pages.urls import HOME
from sitewright.sites.content.schemas import MAIN_ZONE
from sitewright.sites.content.widgets import service as widgets
from sitewright.sites.content.widgets.requests import NewWidget, NewWidgetValue

_BLANK_LINES = re.compile(r"\n\s*\n")


async def write_first_page(
    tx: Transaction, settings: Settings, caller: Caller, site_ref: int, *, title: str, text: str
) -> None:
    """Create the home page with one paragraph for each part of the text between blank lines.

    Raises PageUrlTaken where the site has a home page already.
    """
    await change_site(tx, caller, site_ref)
    await usage.check_page_count(tx, settings, site_ref)
    page = await pages.create_page(tx, caller, site_ref, NewPage(page_url=HOME, title=title))
    if content := paragraphs_of(text):
        await usage.check_widget_count(tx, settings, site_ref)
        widget = NewWidget(
            page_ref=page.ref,
            collection="widgets",
            name="text",
            parent_id=MAIN_ZONE,
            type="widget.content",
            values=[NewWidgetValue("content", content)],
        )
        await widgets.create_widget(tx, caller, site_ref, widget)
    await usage.check_added_bytes(tx, settings, site_ref, len(title.encode()) + len(content.encode()))


def paragraphs_of(text: str) -> str:
    """Plain text as rich text: blank lines separate paragraphs, other line breaks are kept."""
    parts = [part.strip() for part in _BLANK_LINES.split(text.replace("\r\n", "\n"))]
    return "".join(f"<p>{str(escape(part)).replace(chr(10), '<br>')}</p>" for part in parts if part)
