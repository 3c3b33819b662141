"""The content of a version as it is stored: what rendering read, as compressed JSON."""

import gzip

import msgspec

from sitewright.sites.content.service import StoredContent
from sitewright.sites.publishing.render_input import DesignChoice, RenderSource

LEVEL = 6


class StoredInput(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that the pages of a version were made from, except pictures, which stay in the media library."""

    language: str
    address: str
    profile: dict[str, str]
    template_ref: int | None
    design: DesignChoice
    content: StoredContent


_DECODER = msgspec.json.Decoder(StoredInput)


def encode_input(source: RenderSource) -> bytes:
    """Slow for large sites, as `decode_input` is: run it in a thread."""
    stored = StoredInput(
        language=source.language,
        address=source.address,
        profile=source.profile,
        template_ref=source.template_ref,
        design=source.design,
        content=source.content,
    )
    return gzip.compress(msgspec.json.encode(stored), LEVEL, mtime=0)


def decode_input(stored: bytes) -> StoredInput:
    return _DECODER.decode(gzip.decompress(stored))


def source_of(stored: StoredInput) -> RenderSource:
    """The input of rendering it again; its pictures are to be looked up."""
    return RenderSource(
        language=stored.language,
        address=stored.address,
        profile=stored.profile,
        template_ref=stored.template_ref,
        design=stored.design,
        content=stored.content,
    )
