"""Pages of a snapshot, rendered without a database and parsed as browsers do."""

import gzip
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib
import msgspec

from sitewright.sites.content.schemas import PageContent
from sitewright.sites.content.service import StoredContent
from sitewright.sites.publishing.designs import builtin_design, folder_of
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput, RenderSource
from sitewright.sites.publishing.rendering import Rendering
from tests.support.sample_parts import Sample, SamplePage, SampleWidget, make_page

NOWHERE = Path("/nowhere")


class Document:
    """One parsed page. Raises where the HTML is invalid."""

    def __init__(self, html: str) -> None:
        self.html = html
        self.root: Element = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(html)

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Elements with these attributes; `class_` is one of an element's classes."""
        return [each for each in self.root.iter(tag) if all(_has(each, *pair) for pair in attributes.items())]

    def one(self, tag: str, **attributes: str) -> Element:
        [found] = self.all(tag, **attributes)
        return found

    def text(self, tag: str, **attributes: str) -> str:
        return text_of(self.one(tag, **attributes))

    @property
    def main(self) -> Element:
        return self.one("main")


def _has(element: Element, name: str, value: str) -> bool:
    if name == "class_":
        return value in element.get("class", "").split()
    return element.get(name.replace("_", "-")) == value


def text_of(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def rendered(render_input: RenderInput) -> dict[str, str]:
    """The files of a snapshot, by path."""
    design = builtin_design(folder_of(render_input.design, NOWHERE).name)
    return {file.path: gzip.decompress(file.body).decode() for file in Rendering(render_input, design).files()}


def input_with(*pages: PageContent, **fields: Any) -> RenderInput:
    plain: dict[str, Any] = {
        "language": "en",
        "address": "https://www.example.com",
        "profile": {"business": "Kettle"},
        "global_values": {},
        "static_values": {},
        "design": DesignChoice(directory="consult"),
    }
    return RenderInput(pages=list(pages), **(plain | fields))


def source_of(render_input: RenderInput) -> RenderSource:
    """As it is read from the database."""
    pages = [
        msgspec.json.encode(
            (msgspec.structs.asdict(each.page), [msgspec.structs.astuple(widget) for widget in each.widgets])
        ).decode()
        for each in render_input.pages
    ]
    values: list[tuple[str | None, str, str]] = [(None, *pair) for pair in render_input.global_values.items()]
    values += [(part, *pair) for part, named in render_input.static_values.items() for pair in named.items()]
    stored = StoredContent(pages, [msgspec.json.encode(value).decode() for value in values], "")
    return RenderSource(
        language=render_input.language,
        address=render_input.address,
        profile=render_input.profile,
        design=render_input.design,
        content=stored,
    )


def page(request: str = "home", title: str = "Home", *, ref: int = 1, **fields: Any) -> PageContent:
    return PageContent(make_page(ref, request, title, **fields), {})


def page_with(*widgets: SampleWidget, title: str = "Home") -> PageContent:
    sample = Sample(directory="consult", profile={}, pages=[SamplePage("home", title, list(widgets))])
    return sample.render_input().pages[0]


def home_with(*widgets: SampleWidget, **fields: Any) -> Document:
    """A home page with these widgets."""
    return Document(rendered(input_with(page_with(*widgets), **fields))[""])


def home_of(**fields: Any) -> Document:
    return Document(rendered(input_with(page(), **fields))[""])
