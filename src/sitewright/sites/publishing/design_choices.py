"""The sets of colors and fonts that a site's template offers, for the editor."""

import asyncio
from pathlib import Path

import msgspec
import yaml

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.kit.db import Transaction
from sitewright.settings import Settings
from sitewright.sites.publishing.designs import NEUTRAL, Swatch, TemplateInfo, folder_of, info_of
from sitewright.sites.publishing.render_pool import own_templates
from sitewright.sites.publishing.source_reader import read_design
from sitewright.sites.sites.service import Site


class DesignChoices(msgspec.Struct, frozen=True, kw_only=True):
    """`color_ref` and `font_ref` are the sets of a site that has not chosen any."""

    colors: list[Swatch]
    fonts: list[Swatch]
    color_ref: int | None
    font_ref: int | None
    bundled_fonts: list[str]
    """The keys of those that the sets name."""


async def read_design_choices(tx: Transaction, settings: Settings, site: Site) -> DesignChoices:
    """Those of the neutral template where the site's own cannot be read."""
    design = await read_design(tx, site.template_ref)
    folder = folder_of(design, own_templates(settings))
    try:
        info, bundled = await asyncio.to_thread(_read, folder)
    except (OSError, ValueError, yaml.YAMLError):
        info, bundled = await asyncio.to_thread(_read, BUILTIN / NEUTRAL)
    return DesignChoices(
        colors=info.colours,
        fonts=info.fonts,
        color_ref=design.color_swatch_ref,
        font_ref=design.font_swatch_ref,
        bundled_fonts=bundled,
    )


def _read(folder: Path) -> tuple[TemplateInfo, list[str]]:
    info = info_of(folder)
    return info, list(dict.fromkeys(key for swatch in info.fonts for key in swatch.bundled_fonts))
