"""What a snapshot is made of, read before rendering begins: rendering itself touches no database and no clock."""

import hashlib

import msgspec

from sitewright.sites.content.schemas import PageContent
from sitewright.sites.content.service import StoredContent

HOME = "home"


class DesignChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The template of a site. A brand's own lies in the data folder, under its directory."""

    directory: str = ""
    is_private: bool = False
    colour_swatch_ref: int | None = None
    font_swatch_ref: int | None = None


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """`address` is where the site is reached, without a slash at its end; empty where it has none."""

    language: str
    address: str
    profile: dict[str, str]
    pages: list[PageContent]
    """Those that are published, in the order they are shown in."""
    global_values: dict[str, str]
    static_values: dict[str, dict[str, str]]
    design: DesignChoice

    @property
    def home(self) -> PageContent | None:
        """The page called `home`, else the first."""
        named = (each for each in self.pages if each.page.request.lower() == HOME)
        return next(named, self.pages[0] if self.pages else None)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The same as it is read: what is on the site is decoded where it is rendered, off the event loop."""

    language: str
    address: str
    profile: dict[str, str]
    design: DesignChoice
    content: StoredContent

    def fingerprint(self) -> str:
        """Equal for two readings if they make the same snapshot."""
        return fingerprint_of(self, self.content.digest)

    def material(self) -> Material:
        found = self.content.decoded()
        return Material(
            language=self.language,
            address=self.address,
            profile=self.profile,
            pages=[each for each in found.pages if each.page.status == "active" and each.page.can_publish],
            global_values=found.global_values,
            static_values=found.static_values,
            design=self.design,
        )


def fingerprint_of(surroundings: Source, content_digest: str) -> str:
    """Of what is beside the content of a site, and the digest of the content itself."""
    beside = (surroundings.language, surroundings.address, surroundings.profile, surroundings.design, content_digest)
    return hashlib.sha256(msgspec.msgpack.encode(beside)).hexdigest()


class File(msgspec.Struct, frozen=True):
    """A file of a snapshot: `''` is the home page, names that begin with a colon are not addresses."""

    path: str
    content_type: str
    etag: str
    body: bytes
    """Compressed."""
