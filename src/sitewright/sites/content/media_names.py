"""Pictures of the media library in values: `media:<ref>`, alone or in quotation marks (lists, rich text)."""

import re
from collections.abc import Mapping

from sitewright.kit.db import Transaction
from sitewright.kit.problems import FieldErrors
from sitewright.sites.content.hooks import NamedMedia, media_named

PREFIX = "media:"
MEDIA = re.compile(r"media:([1-9][0-9]{0,17})")
_IN_TEXT = re.compile(rf"""(?:\A\s*|["']){MEDIA.pattern}(?:\s*\Z|["'])""")


def media_refs_in(text: str) -> set[int]:
    return {int(ref) for ref in _IN_TEXT.findall(text)} if PREFIX in text else set()


async def check_media(tx: Transaction, site_ref: int, texts: Mapping[str, str]) -> FieldErrors:
    """The errors of values, by field, that name media which the site does not have."""
    named = {field: refs for field, text in texts.items() if (refs := media_refs_in(text))}
    if not named:
        return {}
    asked = NamedMedia(site_ref, set().union(*named.values()))
    await media_named.notify(tx, asked)
    return {
        field: {"invalidValue": f"{_listed(refs & asked.unknown)}: not in the site's media library"}
        for field, refs in named.items()
        if refs & asked.unknown
    }


def _listed(refs: set[int]) -> str:
    return ", ".join(f"{PREFIX}{ref}" for ref in sorted(refs)[:5])
