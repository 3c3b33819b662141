"""The parts of sample sites, and how a site is created through the API, or rendered without it."""

from typing import Any

import httpx
import msgspec

from sitewright.sites.content.schemas import MAIN_ZONE, Page, PageContent, WidgetContent
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput

Values = dict[str, str]


class SampleWidget(msgspec.Struct, frozen=True):
    type: str
    values: Values
    columns: list[list["SampleWidget"]] = []
    """The widgets in each column, for a columns widget."""


class SamplePage(msgspec.Struct, frozen=True):
    url: str
    title: str
    widgets: list[SampleWidget]
    parent: str | None = None


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    directory: str
    profile: Values
    static_values: dict[str, Values] = {}
    pages: list[SamplePage]

    async def fill(self, client: httpx.AsyncClient, user_ref: int, site: dict[str, Any]) -> None:
        """Create everything on a site of `user_ref` through the API. `site` is the site as it was created."""
        fields = [{"name": name, "value": value} for name, value in self.profile.items()]
        await _sent(client.put(f"/users/{user_ref}/profiles/{site['profileRef']}", json={"fields": fields}))
        for widget_id, values in self.static_values.items():
            await _sent(client.put(f"/sites/{site['ref']}/static-values/{widget_id}", json={"values": values}))
        refs: dict[str | None, int] = {None: 0}
        for page in self.pages:
            body = {"pageUrl": page.url, "type": "page", "title": page.title, "status": "active"}
            response = await _sent(client.post(f"/sites/{site['ref']}/pages", json=body))
            refs[page.url] = response.json()["page"]["ref"]
            if page.parent is not None:
                path = f"/sites/{site['ref']}/pages/{refs[page.url]}"
                await _sent(client.put(path, json={"parentId": refs[page.parent]}))
            for widget in _placed(page.widgets):
                body = msgspec.structs.asdict(widget) | {"pageRef": refs[page.url], "parentId": widget.parent_id}
                await _sent(client.post(f"/sites/{site['ref']}/widgets", json=body))

    def render_input(self, design: DesignChoice | None = None) -> RenderInput:
        """The same without a database."""
        refs = {page.url: number for number, page in enumerate(self.pages, 1)}
        return RenderInput(
            language="en",
            address="https://www.example.com",
            profile=self.profile,
            pages=[_page(page, refs) for page in self.pages],
            global_values={},
            static_values=self.static_values,
            design=design or DesignChoice(directory=self.directory),
        )


async def _sent(sending: Any) -> httpx.Response:
    response: httpx.Response = await sending
    assert response.is_success, response.text
    return response


def _placed(widgets: list[SampleWidget], parent_id: str = MAIN_ZONE) -> list[WidgetContent]:
    """Every widget with its position, those in columns after their columns widget."""
    placed = []
    for position, widget in enumerate(widgets):
        name = f"{widget.type.lower()}{position}"
        placed.append(
            WidgetContent(0, parent_id, "widgets", name, f"widget.{widget.type}", position, dict(widget.values))
        )
        for number, column in enumerate(widget.columns):
            placed += _placed(column, f"{parent_id}__{name}__{number}")
    return placed


def _page(page: SamplePage, refs: dict[str, int]) -> PageContent:
    by_parent: dict[str, list[WidgetContent]] = {}
    for widget in _placed(page.widgets):
        by_parent.setdefault(widget.parent_id, []).append(widget)
    return PageContent(make_page(refs[page.url], page.url, page.title, refs.get(page.parent or "", 0)), by_parent)


def make_page(ref: int, request: str, title: str, parent_id: int = 0, **fields: Any) -> Page:
    """An active page with defaults only."""
    plain: dict[str, Any] = dict.fromkeys(
        ("keywords", "description", "seo_title", "theme_ref", "color_swatch_ref", "font_swatch_ref", "headscript",
         "bodyscript")
    ) | {"type": "page", "status": "active", "can_publish": 1, "display_order": ref, "template_type": "default",
         "hidden_from_navigation": 0, "immutable": 0}  # fmt: skip
    return Page(**(plain | {"ref": ref, "request": request, "title": title, "parent_id": parent_id} | fields))


def text(html: str) -> SampleWidget:
    return SampleWidget("content", {"content": html})


def heading(words: str, level: int = 2, **values: str) -> SampleWidget:
    return SampleWidget("heading", {"text": words, "level": str(level), **values})


def image(src: str, alt: str, caption: str = "", **values: str) -> SampleWidget:
    return SampleWidget("image", {"src": src, "alt": alt, "caption": caption, **values})


def gallery(columns: int, *pictures: tuple[str, str, str]) -> SampleWidget:
    listed = [{"src": src, "alt": alt, "caption": caption} for src, alt, caption in pictures]
    return SampleWidget("gallery", {"images": msgspec.json.encode(listed).decode(), "columns": str(columns)})


def button(words: str, url: str, style: str = "primary", **values: str) -> SampleWidget:
    return SampleWidget("button", {"text": words, "url": url, "style": style, **values})


def columns(*inside: list[SampleWidget], gap: str = "medium") -> SampleWidget:
    return SampleWidget("columns", {"columns": str(len(inside)), "gap": gap}, list(inside))


def form(**values: str) -> SampleWidget:
    return SampleWidget("contactForm", values)
