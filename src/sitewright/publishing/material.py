"""What a snapshot is made of, read before rendering begins: rendering itself touches no database and no clock."""

import msgspec

from sitewright.content.schemas import PageContent

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


class File(msgspec.Struct, frozen=True):
    """A file of a snapshot: `''` is the home page, names that begin with a colon are not addresses."""

    path: str
    content_type: str
    etag: str
    body: bytes
    """Compressed."""
