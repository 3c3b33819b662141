"""GET /v2/widget-types, and parsing of values by type."""

from typing import Any

import httpx
import pytest
import yaml

from sitewright.sites.content import service
from sitewright.sites.content.schemas import WidgetContent
from sitewright.sites.content.widget_types.service import TYPES, read_types
from tests.sites.content.shapes import MAIN
from tests.support.responses import problem_in

KINDS = ["content", "heading", "image", "gallery", "button", "columns", "map", "contactForm", "space", "html"]


def widget(kind: str, **values: str) -> WidgetContent:
    return WidgetContent(1, MAIN, "widgets", "one", kind, 0, values)


async def test_the_types_are_listed(owner: httpx.AsyncClient, reseller: httpx.AsyncClient) -> None:
    for client in (owner, reseller):
        response = await client.get("/v2/widget-types")
        assert response.status_code == 200
        types = response.json()["widgetTypes"]
        assert [each["type"] for each in types] == [f"widget.{kind}" for kind in KINDS]
        for value in [value for each in types for value in each["values"]]:
            assert {"name", "type", "default", "description", "example"} <= set(value)


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


GOOD = {"name": "a", "type": "text", "default": "", "description": "A.", "example": "x"}


@pytest.mark.parametrize(
    "value",
    [
        GOOD | {"unheard": 1},
        GOOD | {"type": "unheard"},
        GOOD | {"type": "integer"},
        GOOD | {"minimum": 1, "maximum": 2},
        GOOD | {"type": "integer", "minimum": 1, "maximum": 2, "default": "3"},
        GOOD | {"type": "choice", "choices": []},
        GOOD | {"type": "choice", "choices": ["b"], "default": "b", "example": "c"},
        GOOD | {"type": "list", "default": "[]", "example": "[]"},
        GOOD | {"also": ["a"]},
        GOOD | {"description": ""},
        {name: text for name, text in GOOD.items() if name != "example"},
    ],
)
def test_inconsistent_type_definitions_are_rejected(value: dict[str, Any]) -> None:
    def text(of: dict[str, Any]) -> str:
        return yaml.safe_dump([{"type": "widget.a", "description": "A.", "values": [of]}])

    assert read_types(text(GOOD))
    with pytest.raises(ValueError, match=r"."):
        read_types(text(value))


def test_types_are_unique_and_named_alike() -> None:
    one = {"type": "widget.a", "description": "A.", "values": []}
    for types in ([one, one], [one | {"type": "a"}]):
        with pytest.raises(ValueError, match=r"widget|twice"):
            read_types(yaml.safe_dump(types))


def test_every_type_of_the_data_is_known_by_its_name() -> None:
    assert [service.widget_type(each.type) for each in TYPES] == TYPES
