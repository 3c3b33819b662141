"""Templates as folders: `template.yaml` (metadata, fonts, colors), `page.html` and `style.css`.

Files that a folder does not have come from the shared folder.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import msgspec
import yaml
from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.kit import site_fonts
from sitewright.sites.publishing.render_input import DesignChoice

SHARED = BUILTIN / "shared"
NEUTRAL = "plain"
"""Used for a site without a template, or whose template is not installed."""
MAX_FILE_BYTES = 512 * 1024
_DIRECTORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class Swatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of colors or fonts, by the names that the style uses."""

    ref: int
    name: str
    values: dict[str, str]

    @property
    def bundled_fonts(self) -> list[str]:
        """The keys of the bundled fonts in it, each once. Raises ValueError where there is no such font."""
        return list(dict.fromkeys(key for value in self.values.values() for key in site_fonts.families_in(value)))


class TemplateInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of `template.yaml`."""

    name: str
    description: str
    colours: list[Swatch]
    fonts: list[Swatch]


class Design(msgspec.Struct, frozen=True):
    info: TemplateInfo
    style: str
    environment: Environment

    def colours(self, *refs: int | None) -> Swatch:
        return _chosen(self.info.colours, refs)

    def fonts(self, *refs: int | None) -> Swatch:
        return _chosen(self.info.fonts, refs)


class Folders(BaseLoader):
    """Loads templates from the first folder that has one; neither paths nor symbolic links can leave the folders."""

    def __init__(self, *folders: Path) -> None:
        self._folders = [folder.resolve() for folder in folders]

    def get_source(self, _environment: Environment, name: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        for folder in self._folders:
            file = (folder / name).resolve()
            if file.is_relative_to(folder) and file.is_file():
                return _read(file), name, None
        raise TemplateNotFound(name)


def folder_of(choice: DesignChoice, own_templates: Path) -> Path:
    """Find the folder of a template: private ones are in `own_templates`, others may be built in."""
    if not _DIRECTORY.fullmatch(choice.directory):
        return BUILTIN / NEUTRAL
    candidates = [] if choice.is_private else [BUILTIN / choice.directory]
    candidates.append(own_templates / choice.directory)
    existing = [place for place in candidates if place.is_dir() and place != SHARED]
    return existing[0] if existing else BUILTIN / NEUTRAL


def is_builtin(folder: Path) -> bool:
    return folder.parent == BUILTIN


@lru_cache
def builtin_design(name: str) -> Design:
    folder = BUILTIN / name
    environment = Environment(
        loader=Folders(folder, SHARED), autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return design_of(folder, environment)


def design_of(folder: Path, environment: Environment) -> Design:
    """Load a design. Raises OSError, ValueError or a YAML error where the folder is not a template."""
    info = info_of(folder)
    style = _inside(folder, "style.css")
    own = _read(style) if style.is_file() else ""
    faces = site_fonts.face_rules(dict.fromkeys(key for swatch in info.fonts for key in swatch.bundled_fonts))
    return Design(info, minify("\n".join([faces, *_properties(info), _read(SHARED / "base.css"), own])), environment)


def info_of(folder: Path) -> TemplateInfo:
    """Load the description of a template. Raises like `design_of`."""
    info = msgspec.convert(yaml.safe_load(_read(_inside(folder, "template.yaml"))), TemplateInfo)
    if not info.colours or not info.fonts:
        raise ValueError("template.yaml must have at least one set of colours and one of fonts")
    return info


def minify(css: str) -> str:
    """Minify CSS: remove comments and white space."""
    lines = (line.strip() for line in _COMMENT.sub("", css).splitlines())
    dense = re.sub(r"(?<!\s)\s++(?=[{};,])", "", "\n".join(line for line in lines if line))
    return re.sub(r"([{};,])\s++", r"\1", dense).replace(";}", "}")


def _properties(info: TemplateInfo) -> Iterator[str]:
    """Yield CSS custom properties for each set of colors and fonts; the first set is the default."""
    for kind, attribute, swatches in (("c", "colours", info.colours), ("f", "fonts", info.fonts)):
        for swatch in swatches:
            candidates = (":root," if swatch is swatches[0] else "") + f'[data-{attribute}="{swatch.ref}"]'
            values = {name: site_fonts.expand(value) for name, value in swatch.values.items()}
            yield candidates + "{" + "".join(f"--{kind}-{name}:{value};" for name, value in values.items()) + "}"


def _chosen(swatches: list[Swatch], refs: tuple[int | None, ...]) -> Swatch:
    """Return the set of the first known ref, else the first set."""
    by_ref = {swatch.ref: swatch for swatch in swatches}
    return next((by_ref[ref] for ref in refs if ref is not None and ref in by_ref), swatches[0])


def _inside(folder: Path, name: str) -> Path:
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"{name} leads out of the template's folder")
    return file


def _read(file: Path) -> str:
    if file.stat().st_size > MAX_FILE_BYTES:
        raise ValueError(f"{file.name} is too large")
    return file.read_text(encoding="utf-8")
