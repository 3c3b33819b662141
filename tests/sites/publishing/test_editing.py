"""The editing mode: the published page with marks. Without the marks, both are the same."""

import gzip
import html
import json
import re
from itertools import count
from typing import Any
from xml.etree.ElementTree import Element, tostring

import html5lib
import msgspec
import pytest

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.sites.content.schemas import PageContent
from sitewright.sites.content.widget_types.service import TYPES
from sitewright.sites.publishing import sandboxed_renderer
from sitewright.sites.publishing.designs import builtin_design
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput
from sitewright.sites.publishing.rendering import Rendering
from sitewright.sites.publishing.sandboxed_renderer import RenderRequest
from tests.sites.publishing.pages import input_with, page, page_with, source_of
from tests.sites.publishing.test_pictures import files
from tests.support.sample_parts import SampleWidget, button, columns, gallery, heading, image, text

DESIGNS = sorted(folder.name for folder in BUILTIN.iterdir() if (folder / "template.yaml").exists())
MARKS = re.compile(
    r' data-(?:widget|type|parent|position|zone|zone-end|value|edit|static|source)="[^"]*"|<base target="_blank">'
)
CONTAINED = re.compile(r'<div([^<>]*) data-html="([^"]*)"([^<>]*)></div>')
HOSTILE_HTML = "</div></section><!-- <p>lost<script>alert(1)</script><iframe src='//evil.example'></iframe>"
PREFIX = "/account/media/1-7-"
PROFILE = {
    "business": "Kettle", "headline": "Good tea", "strapline": "Since 1998", "companydescription": "A shop.",
    "phone": "+1 202 555 0100", "email": "hello@kettle.example", "address1": "1 Main Street", "city": "Springfield",
    "logo": "media:6", "featureimage": "media:5", "twitter": "https://social.example/kettle",
}  # fmt: skip


def numbered(content: PageContent) -> PageContent:
    """Give every widget a ref of its own."""
    numbers = count(1)
    return PageContent(
        content.page,
        {
            parent: [msgspec.structs.replace(each, ref=next(numbers)) for each in inside]
            for parent, inside in content.by_parent.items()
        },
    )


def input_of(*widgets: SampleWidget, design: str = "consult", **fields: Any) -> RenderInput:
    plain: dict[str, Any] = {
        "design": DesignChoice(directory=design),
        "preview_media": PREFIX,
        "media": {5: files(5), 6: files(6)},
        "profile": PROFILE,
        "static_values": {"announcement": {"text": "Open today", "url": "menu"}, "hero": {"text": "Go", "url": "menu"}},
    }
    return input_with(numbered(page_with(*widgets)), **(plain | fields))


def published(render_input: RenderInput) -> str:
    [home] = [
        file for file in Rendering(render_input, builtin_design(render_input.design.directory)).files() if not file.path
    ]
    return gzip.decompress(home.body).decode()


def edited(render_input: RenderInput) -> str:
    return Rendering(render_input, builtin_design(render_input.design.directory), "editing").edited_page(None).decode()


def without_marks(page_html: str) -> str:
    """Remove the editor's attributes and elements, and map the addresses of media, as the issue defines equality."""
    contained = CONTAINED.sub(lambda found: f"<div{found[1]}{found[3]}>{html.unescape(found[2])}</div>", page_html)
    mapped = MARKS.sub("", contained).replace(PREFIX, "/_media/")
    root = html5lib.parse(mapped, namespaceHTMLElements=False)
    remove_editor_elements(root)
    return canonical(root)


def canonical(root: Element) -> str:
    """Style, icon and script are files of a published site; an edited page contains its style."""
    head = root.find("head")
    assert head is not None
    for child in [each for each in head if _is_file_of_site(each)]:
        head.remove(child)
    return re.sub(r">\s+<", "><", re.sub(r"\s+", " ", tostring(root, encoding="unicode")))


def _is_file_of_site(element: Element) -> bool:
    is_link = element.get("rel") in ("icon", "stylesheet", "preload")
    return element.tag == "style" or is_link or element.get("src", "").startswith("/_site/site.js?v=")


def remove_editor_elements(element: Element) -> None:
    for child in list(element):
        if child.get("data-editor-only") is None:
            remove_editor_elements(child)
            continue
        assert not child.tail or not child.tail.strip()
        element.remove(child)


def every_widget() -> list[SampleWidget]:
    """A widget of every type with all of its examples, one with only what must be there, and one without values."""
    found = []
    for each in TYPES:
        kind = each.type.removeprefix("widget.")
        examples = {value.name: value.example for value in each.values}
        if kind == "columns":
            found.append(columns([heading("Left", 3)], [text("<p>Right</p>"), SampleWidget("image", {})], []))
        elif kind != "html":
            found.append(SampleWidget(kind, examples))
        found.append(SampleWidget(kind, {}))
    raw = SampleWidget("html", {"html": '<div id="booking" onclick="x()"><b>Book</b></div>'})
    nested = columns([columns([image("media:5", "Tea"), button("Go", "")], [])], [])
    rich = text('<p>With <img src="media:6" alt="A cup"> and <a href="menu">a link</a></p>')
    pictures = gallery(2, ("media:5", "", "One"), ("https://pictures.example/cake.jpg", "Cake", ""))
    return [*found, raw, nested, rich, pictures, SampleWidget("unknown", {}), heading("Last")]


@pytest.mark.parametrize("design", DESIGNS)
def test_every_widget_in_every_template_is_the_published_one_with_marks(design: str) -> None:
    render_input = input_of(*every_widget(), design=design)
    assert without_marks(edited(render_input)) == canonical(
        html5lib.parse(published(render_input), namespaceHTMLElements=False)
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_html_that_breaks_the_page_is_contained(design: str) -> None:
    render_input = input_of(heading("A"), SampleWidget("html", {"html": HOSTILE_HTML}), heading("B"), design=design)
    shown = edited(render_input)
    assert HOSTILE_HTML in published(render_input)
    assert "<script>alert" not in shown
    assert "<iframe" not in shown
    widgets = marked(shown)
    assert [each.get("data-type") for each in widgets] == ["heading", "html", "heading"]
    assert widgets[1].get("data-html") == HOSTILE_HTML


def test_html_with_scripts_is_the_published_one() -> None:
    render_input = input_of(heading("A"), SampleWidget("html", {"html": "<p>a<script>b()</script><iframe></iframe>"}))
    assert without_marks(edited(render_input)) == canonical(
        html5lib.parse(published(render_input), namespaceHTMLElements=False)
    )


def marked(page_html: str) -> list[Element]:
    root = html5lib.parse(page_html, namespaceHTMLElements=False)
    return [each for each in root.iter() if each.get("data-widget") is not None]


@pytest.mark.parametrize("design", DESIGNS)
def test_every_widget_is_marked_once_in_its_order(design: str) -> None:
    render_input = input_of(*every_widget(), design=design)
    [content] = render_input.pages
    found = [
        (int(each.get("data-widget", "")), each.get("data-parent"), int(each.get("data-position", "")))
        for each in marked(edited(render_input))
    ]
    expected = [
        (each.ref, parent, position)
        for parent, inside in content.by_parent.items()
        for position, each in enumerate(inside)
    ]
    assert sorted(found) == sorted(expected)


def test_columns_are_zones_also_when_they_are_empty() -> None:
    shown = edited(input_of(columns([], [heading("A", 3)]), columns([], [])))
    root = html5lib.parse(shown, namespaceHTMLElements=False)
    zones = [each.get("data-zone") for each in root.iter() if each.get("data-zone") is not None]
    main = "page-zones__main"
    inner = [f"{main}__columns{position}__{column}" for position in (0, 1) for column in (0, 1)]
    assert zones == [main, *inner, "page-zones__footer"]
    [first, _, second] = marked(shown)
    assert (first.get("data-editor-only"), second.get("data-editor-only")) == (None, "")


def test_texts_that_can_be_edited_in_place_are_marked() -> None:
    shown = edited(input_of(heading("A"), text("<p>B</p>"), button("C", "menu"), image("media:5", "", "D")))
    root = html5lib.parse(shown, namespaceHTMLElements=False)
    found = [(each.get("data-value"), each.get("data-edit")) for each in root.iter() if each.get("data-value")]
    assert found == [("text", "line"), ("content", "rich"), ("text", "line"), ("caption", "line")]


def test_pictures_in_rich_text_keep_their_names() -> None:
    shown = edited(input_of(text('<p><img src="media:5" alt="Tea"></p>')))
    assert 'data-source="media:5"' in shown
    assert PREFIX in shown
    assert "/_media/" not in shown


def test_scripts_of_the_site_are_left_out() -> None:
    render_input = input_of(heading("A"), global_values={"headscript": "<script>1</script>", "bodyscript": "<i>2</i>"})
    shown = edited(render_input)
    assert "<script>1" not in shown
    assert "<i>2</i>" not in shown


def test_a_page_that_is_not_published_can_be_edited() -> None:
    hidden = page("hidden", "Hidden", ref=2, status="inactive")
    source = source_of(input_with(page(), hidden))

    def render(page_ref: int | None) -> str:
        folder = str(BUILTIN / "consult")
        request = RenderRequest(folder, source, "editing", page_ref=page_ref)
        return sandboxed_renderer.render(request).page.decode()

    assert '<h1 data-static="title">Hidden</h1>' in render(2)
    assert "/hidden" not in render(2).partition("<main")[0].partition("<nav")[2]
    assert render(None) == render(1)
    assert render(99) == ""


def test_published_pages_have_no_marks() -> None:
    html = published(input_of(*every_widget()))
    assert not MARKS.search(html)
    assert "data-editor-only" not in html


def test_marks_are_escaped() -> None:
    widget = SampleWidget("html", {"html": '<p "><script>alert(1)</script>'})
    shown = edited(input_of(widget))
    assert "<script>alert(1)" not in shown
    assert json.dumps(marked(shown)[0].get("data-html")) == json.dumps(widget.values["html"])
