"""Style sheets, scripts and fonts that pages link to, each under a name with a hash of its content.

Styles of the design system and layouts of features (`web/*.css` in their folders) are plain files of the package.
Scripts and fonts are in `built/`, which the browser build writes; without it pages have neither.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from sitewright.kit.ui.tokens import STYLES

ADDRESS = "/assets/"
PACKAGE = Path(__file__).parents[2]
BUILT = Path(__file__).parent / "built"
SHEETS = ("tokens.css", "base.css", "components.css")
MESSAGE_SHEETS = SHEETS[:2]
"""All that a page with one message needs: small enough to be part of it."""
MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "woff2": "font/woff2",
}
_FONT_FILE = re.compile(r"url\((inter-[a-z-]+\.woff2)\)")


class Asset(msgspec.Struct, frozen=True):
    """`name` is its own, `file_name` the one with the hash."""

    name: str
    body: bytes

    @property
    def file_name(self) -> str:
        stem, _, extension = self.name.rpartition(".")
        return f"{stem}-{hashlib.sha256(self.body).hexdigest()[:12]}.{extension}"

    @property
    def url(self) -> str:
        return ADDRESS + self.file_name

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.name.rpartition(".")[2]]


@cache
def assets() -> dict[str, Asset]:
    """By name. Read once for each process."""
    fonts = {path.name: Asset(path.name, path.read_bytes()) for path in sorted(BUILT.glob("*.woff2"))}
    others = [Asset("ui.css", (_font_faces(fonts) + read_styles(SHEETS)).encode())]
    others += [Asset(path.name, path.read_bytes()) for path in [*sorted(BUILT.glob("*.js")), *_layouts()]]
    return fonts | {each.name: each for each in others}


@cache
def by_file_name() -> dict[str, Asset]:
    return {each.file_name: each for each in assets().values()}


@cache
def url_of(name: str) -> str | None:
    """The address of an asset; None where it was not built. Hashed once: pages have several assets."""
    asset = assets().get(name)
    return None if asset is None else asset.url


def current_version(file_name: str) -> Asset | None:
    """The asset that has this name with another hash: another release's page asks for it, during an update."""
    stem, _, extension = file_name.rpartition(".")
    return assets().get(f"{stem.rpartition('-')[0]}.{extension}")


@cache
def read_styles(sheets: tuple[str, ...]) -> str:
    """The text of some style sheets of the design system, without comments."""
    texts = ((STYLES / sheet).read_text(encoding="utf-8") for sheet in sheets)
    return "".join(_without_comments(text) for text in texts)


def _without_comments(text: str) -> str:
    before, *others = text.split("/*")
    return before + "".join(each.partition("*/")[2].lstrip() for each in others)


def _font_faces(fonts: dict[str, Asset]) -> str:
    rules = BUILT / "fonts.css"
    if not rules.exists():
        return ""
    return _FONT_FILE.sub(lambda found: f"url({fonts[found[1]].url})", rules.read_text(encoding="utf-8"))


def _layouts() -> Iterator[Path]:
    """Layouts of features: their files `web/*.css`."""
    yield from sorted(path for path in PACKAGE.glob("*/**/web/*.css"))
