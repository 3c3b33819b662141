"""What the editor's script gets at the start: texts, widget types, templates, and what the package allows."""

from typing import Any

import msgspec

from sitewright.accounts.account_packages import service as account_packages
from sitewright.accounts.profiles import service as profiles
from sitewright.kit import site_fonts
from sitewright.sites.content.page_sets.service import page_sets_in
from sitewright.sites.content.sections.service import sections_in
from sitewright.sites.content.widget_types.service import types_in
from sitewright.sites.publishing import service as publishing
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site
from sitewright.web.account.holder_pages.service import (
    PageRequest,
    SiteLabel,
    find_own_site,
    template_name,
    thumbnail_of,
)
from sitewright.web.editor.messages import CATALOG
from sitewright.web.editor.schemas import Choice, DesignChoices, EditorStart, FontFace, TemplateChoice

PICTURES = ("logo", "featureimage")
"""Pictures of the profile that the design panel changes."""

BUSINESS = "business"
"""The name of the business: without it the editor recommends one before publishing."""


async def start(request: PageRequest, site_ref: int | None) -> EditorStart:
    site = await find_own_site(request, site_ref)
    profile = await profiles.read_fields(request.tx, site.profile_ref)
    label = SiteLabel.of(site, request.messages, profile.get("business", "").strip() or None)
    return EditorStart(
        token=request.form_token,
        name=label.name,
        address=label.url,
        published=site.last_publish_at is not None,
        texts=CATALOG.own[request.messages.language],
        types=widget_types(request.messages.language),
        sections=sections(request.messages.language),
        page_sets=page_sets_in(request.messages.language),
        templates=await _templates(request, site),
        design=await _design(request, site),
        rules=await account_packages.capabilities_of(request.tx, request.holder.user_ref),
        profile={name: profile[name] for name in (*PICTURES, BUSINESS) if profile.get(name)},
    )


def sections(language: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.to_builtins(sections_in(language))
    return found


def widget_types(language: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = msgspec.to_builtins(types_in(language))
    return found


async def _templates(request: PageRequest, site: Site) -> list[TemplateChoice]:
    choosable = await sites.list_choosable_templates(request.tx, site.user_ref, site.template_ref)
    return [TemplateChoice(each.ref, template_name(each, request.messages), thumbnail_of(each)) for each in choosable]


async def _design(request: PageRequest, site: Site) -> DesignChoices:
    choices = await publishing.read_design_choices(request.tx, request.resources.settings, site)
    faces = site_fonts.sample_faces(choices.bundled_fonts)
    return DesignChoices(
        colors=[Choice(each.ref, each.name, each.values) for each in choices.colors],
        fonts=[Choice(each.ref, each.name, _expanded(each.values)) for each in choices.fonts],
        color_ref=choices.color_ref,
        font_ref=choices.font_ref,
        faces=[FontFace(face.family, face.url, face.weights) for face in faces],
    )


def _expanded(values: dict[str, str]) -> dict[str, str]:
    """With the families of bundled fonts, as styles name them."""
    return {name: site_fonts.expand(value) for name, value in values.items()}
