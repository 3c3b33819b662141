"""The drawings of blocks and sections in the editor's picker, which are part of its page."""

from functools import lru_cache

from sitewright.sites.content.sections import service as sections
from sitewright.sites.content.widget_types.service import PREFIX, TYPES, picture_of


@lru_cache
def pictures() -> dict[str, str]:
    """SVG by the id under which the editor's script uses it."""
    found = {f"block-{each.type.removeprefix(PREFIX)}": picture_of(each.type) or "" for each in TYPES}
    return found | {f"section-{each.name}": sections.picture_of(each.name) for each in sections.SECTIONS}
