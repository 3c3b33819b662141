"""GET /v2/widget-types, and parsing of values by type."""

import re
from typing import Any, cast

import httpx
import pytest
import yaml

from sitewright.sites.content import service
from sitewright.sites.content.schemas import WidgetContent, WidgetType, WidgetTypeItem, WidgetTypeValue
from sitewright.sites.content.widget_types.service import LANGUAGES, TYPES, picture_of, read_types, types_in
from tests.sites.content.shapes import MAIN
from tests.support.responses import problem_in

KINDS = [
    "content", "heading", "image", "gallery", "button", "columns", "map", "contactForm", "space", "html",
    "openingHours", "questions", "prices", "testimonials", "team", "iconList", "downloads", "divider", "video",
    "embeddedMap", "slideshow", "socialLinks", "news", "newsletter",
]  # fmt: skip


def widget(kind: str, **values: str) -> WidgetContent:
    return WidgetContent(1, MAIN, "widgets", "one", kind, 0, values)


async def test_the_types_are_listed(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    for client in (owner, reseller):
        response = await client.get("/v2/widget-types")
        assert response.status_code == 200
        types = response.json()["widgetTypes"]
        assert [each["type"] for each in types] == [f"widget.{kind}" for kind in KINDS]
        for value in [value for each in types for value in each["values"]]:
            assert {"name", "title", "type", "default", "description", "example"} <= set(value)


async def test_titles_are_in_the_callers_language(owner: httpx.AsyncClient) -> None:
    async def first(language: str) -> tuple[str, str]:
        response = await owner.get("/v2/widget-types", headers={"Accept-Language": language})
        heading = response.json()["widgetTypes"][1]
        return heading["title"], heading["values"][2]["choiceTitles"][1]

    assert [await first(each) for each in ("de-CH,de;q=0.9", "fr", "xx", "")] == [
        ("Überschrift", "Mitte"),
        ("Titre", "Centre"),
        ("Heading", "Center"),
        ("Heading", "Center"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_title_is_translated(language: str) -> None:
    def titles(types: list[WidgetType]) -> list[str]:
        values = [value for each in types for value in each.values]
        fields: list[WidgetTypeValue | WidgetTypeItem] = [*values, *(item for value in values for item in value.items)]
        choices = [title for each in fields for title in each.choice_titles]
        return [*(each.title for each in types), *(each.title for each in fields), *choices]

    own = titles(types_in(language))
    assert all(0 < len(title) <= 40 for title in own)
    same = [title for title, english in zip(own, titles(TYPES), strict=True) if title == english]
    assert language == "en" or len(same) < len(own) / 3
    assert [(each.type, each.group, each.icon) for each in types_in(language)] == [
        (each.type, each.group, each.icon) for each in TYPES
    ]


async def test_a_system_owner_names_a_brand(system_owner: httpx.AsyncClient) -> None:
    assert (await system_owner.get("/v2/widget-types")).json()["code"] == "brandRequired"
    assert (await system_owner.get("/v2/widget-types", headers={"X-Brand-Ref": "1"})).status_code == 200
    unknown = await system_owner.get("/v2/widget-types", headers={"X-Brand-Ref": "999"})
    assert problem_in(unknown) == (404, "brandNotFound")


@pytest.mark.parametrize("kind", KINDS)
def test_the_prefix_is_optional(kind: str) -> None:
    known = service.widget_type(kind)
    assert known is not None
    assert service.widget_type(f"widget.{kind}") is known


@pytest.mark.parametrize("name", ["", "widget.", "Content", "widget.widget.content", "partner.own", "contactform"])
def test_unknown_types(name: str) -> None:
    assert service.widget_type(name) is None
    assert (service.values_with_defaults(widget(name, content="x")), service.invalid_values(widget(name))) == ({}, [])


@pytest.mark.parametrize("kind", KINDS)
def test_missing_values_have_defaults(kind: str) -> None:
    known = service.widget_type(kind)
    assert known is not None
    assert set(service.values_with_defaults(widget(kind))) == {value.name for value in known.values}
    assert service.invalid_values(widget(kind)) == []


def test_values_are_parsed_by_type() -> None:
    read = service.values_with_defaults(widget("widget.button", text="Go", newWindow="1", url=" /menu "))
    assert read == {"text": "Go", "url": "/menu", "style": "primary", "align": "start", "newWindow": True}
    assert service.values_with_defaults(widget("space", height="80")) == {"height": 80}


def test_lists_have_every_field_of_their_items() -> None:
    read = service.values_with_defaults(widget("gallery", images='[{"src": "a.jpg", "alt": "A"}, {"more": 1}]'))
    empty = {"src": "", "alt": "", "caption": ""}
    assert read["images"] == [empty | {"src": "a.jpg", "alt": "A"}, empty]


def test_days_and_times_are_normalized() -> None:
    text = '[{"days": "Fr-Mo, we", "times": "9:00 - 12.30,14:00\u201318:00"}, {"days": ""}]'
    empty = {"closed": "0", "note": ""}
    assert service.values_with_defaults(widget("openingHours", hours=text))["hours"] == [
        empty | {"days": "mo,we,fr,sa,su", "times": "09:00-12:30,14:00-18:00"},
        empty | {"days": "", "times": ""},
    ]


def test_missing_choices_and_flags_of_items_have_defaults() -> None:
    [entry] = cast("list[dict[str, str]]", service.values_with_defaults(widget("iconList", entries="[{}]"))["entries"])
    [price] = cast("list[dict[str, str]]", service.values_with_defaults(widget("prices", prices="[{}]"))["prices"])
    assert (entry["icon"], price["highlighted"]) == ("check", "0")


def test_aliases_of_a_value() -> None:
    assert service.values_with_defaults(widget("content", html="<p>"))["content"] == "<p>"
    both = service.values_with_defaults(widget("content", text="second", html="first"))
    assert both["content"] == "first"
    assert service.values_with_defaults(widget("content", content="", html="no"))["content"] == ""


WRONG = [
    ("heading", "level", "0"), ("heading", "level", "7"), ("heading", "level", "two"), ("heading", "level", "1.0"),
    ("heading", "level", ""), ("heading", "level", "٣"), ("heading", "align", "left"), ("space", "height", "-1"),
    ("space", "height", "9" * 30), ("button", "newWindow", "yes"), ("button", "url", "javascript:alert(1)"),
    ("button", "url", " JavaScript:alert(1)"), ("button", "url", "java\nscript:alert(1)"),
    ("button", "url", "\x01javascript:alert(1)"), ("button", "url", "data:text/html,x"), ("button", "url", "vbs:x"),
    ("image", "src", "data:text/html,x"), ("image", "src", "file:///etc/passwd"), ("image", "link", "data:image/png,x"),
    ("gallery", "images", "a.jpg"), ("gallery", "images", "{}"), ("gallery", "images", '["a.jpg"]'),
    ("gallery", "images", '[{"src": 7}]'), ("gallery", "images", '[{"src": "javascript:x"}]'),
    ("gallery", "images", "[" * 100_000), ("gallery", "columns", "40"),
    ("openingHours", "hours", '[{"days": "mo-xx"}]'), ("openingHours", "hours", '[{"days": "mo", "times": "9-5"}]'),
    ("openingHours", "hours", '[{"times": "25:00-26:00"}]'), ("openingHours", "hours", '[{"closed": "yes"}]'),
    ("iconList", "entries", '[{"icon": "unheard"}]'), ("iconList", "entries", '[{"url": "javascript:x"}]'),
    ("downloads", "files", '[{"url": "data:text/html,x"}]'), ("prices", "style", "table"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "name", "text"), WRONG)
def test_an_invalid_value_is_replaced_by_its_default(kind: str, name: str, text: str) -> None:
    wrong = widget(kind, **{name: text})
    assert service.invalid_values(wrong) == [name]
    assert service.values_with_defaults(wrong) == service.values_with_defaults(widget(kind))


@pytest.mark.parametrize(
    "url", ["https://a.example/b", "HTTP://a.example", "mailto:a@b.example", "tel:+1", "/a", "a/b", "#map", "?a=b", ""]
)
def test_addresses(url: str) -> None:
    assert service.values_with_defaults(widget("button", url=url))["url"] == url


def test_images_may_be_data_urls() -> None:
    assert service.values_with_defaults(widget("image", src="data:image/png;base64,AAAA"))["src"]


GOOD = {"name": "a", "title": "A", "type": "text", "default": "", "description": "A.", "example": "x"}

TYPE = {"type": "widget.a", "title": "A", "group": "text", "icon": "a"}


@pytest.mark.parametrize(
    "value",
    [
        GOOD | {"unheard": 1},
        GOOD | {"type": "unheard"},
        GOOD | {"type": "integer"},
        GOOD | {"minimum": 1, "maximum": 2},
        GOOD | {"type": "integer", "minimum": 1, "maximum": 2, "default": "3"},
        GOOD | {"type": "integer", "minimum": 1, "maximum": 2, "default": "1", "example": "1", "choiceTitles": ["One"]},
        GOOD | {"type": "choice", "choices": []},
        GOOD | {"type": "choice", "choices": ["b"], "choiceTitles": ["B"], "default": "b", "example": "c"},
        GOOD | {"type": "list", "default": "[]", "example": "[]"},
        GOOD | {"also": ["a"]},
        GOOD | {"description": ""},
        GOOD | {"title": {"en": "A", "de": "A"}},
        GOOD | {"type": "choice", "choices": ["b"], "choiceTitles": [], "default": "b", "example": "b"},
        {name: text for name, text in GOOD.items() if name != "title"},
        {name: text for name, text in GOOD.items() if name != "example"},
    ],
)
def test_inconsistent_type_definitions_are_rejected(value: dict[str, Any]) -> None:
    def text(of: dict[str, Any]) -> str:
        return yaml.safe_dump([{**TYPE, "description": "A.", "values": [of]}])

    assert read_types(text(GOOD))
    with pytest.raises(ValueError, match=r"."):
        read_types(text(value))


def test_types_are_unique_and_named_alike() -> None:
    one = TYPE | {"description": "A.", "values": []}
    for types in ([one, one], [one | {"type": "a"}]):
        with pytest.raises(ValueError, match=r"widget|twice"):
            read_types(yaml.safe_dump(types))


@pytest.mark.parametrize("kind", KINDS)
def test_every_type_has_a_drawing(kind: str) -> None:
    drawing = picture_of(kind)
    assert drawing is not None
    assert 'viewBox="0 0 96 64"' in drawing
    assert set(re.findall(r'(?:fill|stroke)="([^"]+)"', drawing)) == {"none", "currentColor"}
    assert picture_of("unheard") is None


def test_every_type_of_the_data_is_known_by_its_name() -> None:
    assert [service.widget_type(each.type) for each in TYPES] == TYPES
