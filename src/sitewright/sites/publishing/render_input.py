"""The input of rendering, read beforehand: rendering itself uses neither database nor clock."""

import gzip
import hashlib

import msgspec

from sitewright.sites.content.schemas import PageContent
from sitewright.sites.content.service import StoredContent
from sitewright.sites.media.schemas import MediaFiles

HOME = "home"


class DesignChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The template of a site. Private templates are in the data folder, under their directory."""

    directory: str = ""
    is_private: bool = False
    color_swatch_ref: int | None = None
    font_swatch_ref: int | None = None


class RenderInput(msgspec.Struct, frozen=True, kw_only=True):
    """The decoded input. `address` is the site's URL without a trailing slash; empty without a domain."""

    language: str
    address: str
    profile: dict[str, str]
    pages: list[PageContent]
    """The pages to publish, in display order."""
    global_values: dict[str, str]
    static_values: dict[str, dict[str, str]]
    design: DesignChoice
    media: dict[int, MediaFiles] = {}
    """The pictures that the profile or the content may name, by ref."""
    preview_media: str = ""
    """What precedes the names of their files in previews, which the service's own host shows."""
    edited: PageContent | None = None
    """The page that is being edited, which may be one that is not published."""

    @property
    def home(self) -> PageContent | None:
        """The page with the URL `home`, else the first."""
        named = (each for each in self.pages if each.page.request.lower() == HOME)
        return next(named, self.pages[0] if self.pages else None)


class RenderSource(msgspec.Struct, frozen=True, kw_only=True):
    """The input as read from the database; its content is decoded where it is rendered, off the event loop."""

    language: str
    address: str
    profile: dict[str, str]
    design: DesignChoice
    content: StoredContent
    template_ref: int | None = None
    media: dict[int, MediaFiles] = {}
    preview_media: str = ""

    def fingerprint(self) -> str:
        """A digest of the input without the variants of media: equal inputs give the same pages."""
        return fingerprint_of(self, self.content.digest)

    def decoded(self, edited_ref: int | None = None) -> RenderInput:
        content = self.content.decoded()
        edited = next((each for each in content.pages if each.page.ref == edited_ref), None)
        return RenderInput(
            language=self.language,
            address=self.address,
            profile=self.profile,
            pages=[each for each in content.pages if each.page.status == "active" and each.page.can_publish],
            global_values=content.global_values,
            static_values=content.static_values,
            design=self.design,
            media=self.media,
            preview_media=self.preview_media,
            edited=edited,
        )


def fingerprint_of(source: RenderSource, content_digest: str) -> str:
    """Compute the fingerprint from the input without its content, and the content's digest."""
    fields = (source.language, source.address, source.profile, source.design, content_digest)
    return hashlib.sha256(msgspec.msgpack.encode(fields)).hexdigest()


class File(msgspec.Struct, frozen=True):
    """A file of a snapshot: `''` is the home page, and paths that begin with a colon are internal."""

    path: str
    content_type: str
    etag: str
    body: bytes
    """Compressed."""


def compressed_file(path: str, content_type: str, body: bytes) -> File:
    etag = hashlib.blake2b(body, digest_size=16).hexdigest()
    return File(path, content_type, f'"{etag}"', gzip.compress(body, 6, mtime=0))
