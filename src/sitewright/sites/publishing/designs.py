"""Templates as folders: `template.yaml` tells what it is and which fonts and colours it has, `page.html` arranges a
page, `style.css` dresses it. What a folder leaves out comes from the folder that all share.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import msgspec
import yaml
from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.sites.publishing.material import DesignChoice

SHARED = BUILTIN / "shared"
NEUTRAL = "plain"
"""For a site without a template, and for one whose template is not there."""
MOST_BYTES = 512 * 1024
_DIRECTORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)


class Swatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A set of colours or fonts, by the names that the style uses."""

    ref: int
    name: str
    values: dict[str, str]


class About(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `template.yaml` tells."""

    name: str
    description: str
    colours: list[Swatch]
    fonts: list[Swatch]


class Design(msgspec.Struct, frozen=True):
    about: About
    style: str
    environment: Environment

    def colours(self, *refs: int | None) -> Swatch:
        return _chosen(self.about.colours, refs)

    def fonts(self, *refs: int | None) -> Swatch:
        return _chosen(self.about.fonts, refs)


class Folders(BaseLoader):
    """Templates from these folders, the first that has one, and from nowhere else, wherever names or links lead."""

    def __init__(self, *folders: Path) -> None:
        self._folders = [folder.resolve() for folder in folders]

    def get_source(self, _environment: Environment, name: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        for folder in self._folders:
            file = (folder / name).resolve()
            if file.is_relative_to(folder) and file.is_file():
                return _read(file), name, None
        raise TemplateNotFound(name)


def folder_of(choice: DesignChoice, own_templates: Path) -> Path:
    """A brand's own template lies among `own_templates`; one of the environment may."""
    if not _DIRECTORY.fullmatch(choice.directory):
        return BUILTIN / NEUTRAL
    places = [] if choice.is_private else [BUILTIN / choice.directory]
    places.append(own_templates / choice.directory)
    there = [place for place in places if place.is_dir() and place != SHARED]
    return there[0] if there else BUILTIN / NEUTRAL


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
    """Raises OSError, ValueError or a YAML error where the folder is not a template."""
    about = msgspec.convert(yaml.safe_load(_read(_inside(folder, "template.yaml"))), About)
    if not about.colours or not about.fonts:
        raise ValueError("template.yaml must name at least one set of colours and one of fonts")
    style = _inside(folder, "style.css")
    own = _read(style) if style.is_file() else ""
    return Design(about, small("\n".join([*_properties(about), _read(SHARED / "base.css"), own])), environment)


def small(css: str) -> str:
    """Without comments and indentation."""
    lines = (line.strip() for line in _COMMENT.sub("", css).splitlines())
    dense = re.sub(r"(?<!\s)\s++(?=[{};,])", "", "\n".join(line for line in lines if line))
    return re.sub(r"([{};,])\s++", r"\1", dense).replace(";}", "}")


def _properties(about: About) -> Iterator[str]:
    """Each set of colours and fonts as the properties of pages that choose it; the first also of all others."""
    for kind, attribute, swatches in (("c", "colours", about.colours), ("f", "fonts", about.fonts)):
        for swatch in swatches:
            places = (":root," if swatch is swatches[0] else "") + f'[data-{attribute}="{swatch.ref}"]'
            yield places + "{" + "".join(f"--{kind}-{name}:{value};" for name, value in swatch.values.items()) + "}"


def _chosen(swatches: list[Swatch], refs: tuple[int | None, ...]) -> Swatch:
    """The first of `refs` that there is, else the first set."""
    by_ref = {swatch.ref: swatch for swatch in swatches}
    return next((by_ref[ref] for ref in refs if ref is not None and ref in by_ref), swatches[0])


def _inside(folder: Path, name: str) -> Path:
    file = (folder / name).resolve()
    if not file.is_relative_to(folder.resolve()):
        raise ValueError(f"{name} leads out of the template's folder")
    return file


def _read(file: Path) -> str:
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"{file.name} is too large")
    return file.read_text(encoding="utf-8")
