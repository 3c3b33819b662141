"""Replaces the whole content of a site as one change, for example by that of a published version."""

import msgspec

from sitewright.sites.content.changes.images.rows import Scope
from sitewright.sites.content.changes.work import Work
from sitewright.sites.content.pages import service as pages
from sitewright.sites.content.replacing import service as replacing
from sitewright.sites.content.stored import StoredContent
from sitewright.sites.sites import service as sites


class Replacement(msgspec.Struct, frozen=True):
    """The new content. Redirects and the profile stay."""

    content: StoredContent
    template_ref: int | None
    """The template to choose; None: it stays."""


async def replace(work: Work, new: Replacement) -> None:
    former = list(await pages.read_paths(work.tx, work.site.ref))
    await work.recorder.watch(
        Scope(pages=former, every_page=True, widgets_of_pages=former, every_value=True, template=True)
    )
    await replacing.replace(work.tx, work.site.ref, new.content)
    if new.template_ref is not None:
        await sites.choose_template(work.tx, work.caller, work.site, new.template_ref)
        work.recorder.chose_template(new.template_ref)
    work.recorder.replaced(list(await pages.read_paths(work.tx, work.site.ref)))
