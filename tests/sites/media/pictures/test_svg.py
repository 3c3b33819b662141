"""Sanitized SVG runs no script, loads no other file and cannot expand into large content; the harmless rest stays."""

import pytest

from sitewright.sites.media.pictures.limits import PictureTooLarge, PictureUnreadable
from sitewright.sites.media.pictures.service import Format, Variant
from sitewright.sites.media.pictures.svg.sanitizer import sanitize
from sitewright.sites.media.pictures.svg.styles import declarations, is_harmless, stylesheet
from tests.support.hostile_svg import XMLNS, billion_laughs, hostile_svgs, stylesheet_bomb, svg, use_bomb
from tests.support.pictures import SVG, check_harmless


def sanitized(data: bytes) -> str:
    made = sanitize(data)
    check_harmless(Variant("x.svg", Format.SVG, made.width, made.height, animated=False, data=made.data))
    return made.data.decode()


@pytest.mark.parametrize("name", hostile_svgs())
def test_hostile_svg_is_refused_or_harmless(name: str) -> None:
    try:
        text = sanitized(hostile_svgs()[name])
    except (PictureTooLarge, PictureUnreadable):
        return
    assert "evil" not in text
    assert "alert" not in text.replace("alert(1)</style>", "")


@pytest.mark.parametrize("bomb", [use_bomb(), stylesheet_bomb(), svg("<g/>" * 60_000), svg("<g>" * 100 + "</g>" * 100)])
def test_svg_that_expands_is_too_large(bomb: bytes) -> None:
    with pytest.raises(PictureTooLarge):
        sanitize(bomb)


def test_declared_entities_are_refused() -> None:
    with pytest.raises(PictureUnreadable, match="document type"):
        sanitize(billion_laughs())


def test_the_document_type_that_programs_write_is_dropped() -> None:
    usual = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
    assert "DOCTYPE" not in sanitized(usual.encode() + svg("<rect/>"))


def test_shapes_styles_and_texts_stay() -> None:
    text = sanitized(SVG)
    assert '<rect class="a" width="20" height="10" style="stroke:#123;stroke-width:2px"/>' in text
    assert "<style>.a{fill:url(#g)}</style>" in text
    assert '<linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient>' in text
    assert ">A &amp; B</text>" in text


def test_sanitizing_again_changes_nothing() -> None:
    once = sanitize(SVG).data
    assert sanitize(once).data == once


def test_references_within_the_file_stay() -> None:
    text = sanitized(
        svg('<path id="p" d="M0 0"/><use xlink:href="#p" fill="url(#p)"/><textPath href="#p">x</textPath>')
    )
    assert '<use href="#p" fill="url(#p)"/>' in text
    assert '<textPath href="#p">x</textPath>' in text


def test_a_link_becomes_a_group() -> None:
    assert '<g><rect width="1"/></g>' in sanitized(svg('<a href="https://example.com"><rect width="1"/></a>'))


def test_animations_of_harmless_attributes_stay() -> None:
    assert "<animate" in sanitized(svg('<rect><animate attributeName="x" from="0" to="9" dur="2s"/></rect>'))


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ('width="40" height="30"', (40, 30)),
        ('width="40px" height="30px"', (40, 30)),
        ('width="1in" height="2.54cm"', (96, 96)),
        ('viewBox="0 0 64 32"', (64, 32)),
        ('width="100%" height="100%" viewBox="0,0,64,32"', (64, 32)),
        ('width="128" viewBox="0 0 64 32"', (128, 64)),
        ('height="16" viewBox="0 0 64 32"', (32, 16)),
        ("", (300, 150)),
        ('viewBox="0 0 0 nan"', (300, 150)),
        ('viewBox="0 0 1e-9 inf" width="-5"', (300, 150)),
    ],
)
def test_the_size_is_the_one_that_browsers_use(attributes: str, size: tuple[int, int]) -> None:
    made = sanitize(f"<svg {XMLNS} {attributes}/>".encode())
    assert (made.width, made.height) == size
    assert b"viewBox=" in made.data


@pytest.mark.parametrize(
    "value", ["url(x)", "URL( 'https://x' )", r"u\rl(#a)", "image-set(x)", "src(x)", "var(--x)", "expression(1)", "a@b"]
)
def test_values_that_load_are_not_harmless(value: str) -> None:
    assert not is_harmless(value)


@pytest.mark.parametrize("value", ["url(#a)", "url('#a') red", "rgb(1, 2, 3)", "translate(1 2) rotate(4)", "M0 0L9 9"])
def test_ordinary_values_are_harmless(value: str) -> None:
    assert is_harmless(value)


def test_only_known_properties_stay() -> None:
    assert declarations("fill: red ;; position:fixed; stroke : url(x); /* x */ opacity:.5; x") == "fill:red;opacity:.5"


def test_at_rules_are_removed_and_other_rules_stay() -> None:
    text = "@charset 'x';.a{fill:red}@media print{.b{fill:red}.c{fill:red}}.d>.e{fill:blue}@import url(x)"
    assert stylesheet(text) == ".a{fill:red}.d>.e{fill:blue}"
