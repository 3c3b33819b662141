"""The built-in templates: valid, accessible, small, and self-contained."""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.kit import site_fonts
from sitewright.sites.publishing.designs import NEUTRAL, builtin_design, folder_of
from sitewright.sites.publishing.render_input import DesignChoice
from sitewright.sites.publishing.rendering import NOT_FOUND, Rendering
from sitewright.sites.publishing.translations import languages, texts_for
from tests.sites.publishing.pages import NOWHERE, Document, home_of, input_with, page, page_with, rendered, text_of
from tests.support.bundled_fonts import LATIN, bundled_fonts
from tests.support.sample_parts import Sample, heading
from tests.support.sample_sites import SAMPLES

TEMPLATES = sorted(folder.name for folder in BUILTIN.iterdir() if folder.name != "shared")
KIB = 1024
READ_ON = [
    ("text", "background"), ("text", "surface"), ("muted", "background"), ("muted", "surface"), ("link", "background"),
    ("link", "surface"), ("on-accent", "accent"), ("on-band", "band"),
]  # fmt: skip
"""Pairs of text and background colors."""
LOADED = ("stylesheet", "icon", "preload")
MAX_FONT_BYTES = 90 * KIB


def swatches() -> Iterator[tuple[str, int, dict[str, str]]]:
    for name in TEMPLATES:
        for swatch in builtin_design(name).info.colours:
            yield name, swatch.ref, swatch.values


def sample_of(name: str) -> Sample:
    return SAMPLES.get(name, SAMPLES["consult"])


@cache
def documents(name: str) -> dict[str, Document]:
    """The pages of a template, by path."""
    files = rendered(sample_of(name).render_input(DesignChoice(directory=name)))
    return {path: Document(html) for path, html in files.items() if not path.startswith("_site/")}


def paths_of(name: str) -> list[str]:
    return ["" if each.url == "home" else each.url for each in sample_of(name).pages] + [NOT_FOUND]


@pytest.fixture
def document(name: str, path: str) -> Document:
    return documents(name)[path]


EVERY_PAGE = pytest.mark.parametrize(("name", "path"), [(name, path) for name in TEMPLATES for path in paths_of(name)])


def luminance(colour: str) -> float:
    """The contrast ratio as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_template_has_a_sample_site() -> None:
    assert set(SAMPLES) | {NEUTRAL} == set(TEMPLATES)


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_page_of_a_sample_is_rendered(name: str) -> None:
    assert set(documents(name)) == set(paths_of(name))


@pytest.mark.parametrize(("name", "ref", "colours"), list(swatches()), ids=lambda value: str(value)[:12])
def test_every_set_of_colors_has_sufficient_contrast(name: str, ref: int, colours: dict[str, str]) -> None:
    glow = [("glow", "band"), ("band", "glow")] if "glow" in colours else []
    pairs = [*READ_ON, *glow, *([("text", "card")] if "card" in colours else [])]
    faint = {pair: round(contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    if name == "atelier":  # here the glow is a dot, and the footer has the page's own colour
        faint = {pair: ratio for pair, ratio in faint.items() if "glow" not in pair}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < 4.5} == {}
    assert contrast(colours["field"], colours["background"]) >= 3


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_colour_and_font_that_a_style_uses_is_in_every_set(name: str) -> None:
    design = builtin_design(name)
    for kind, sets in (("c", design.info.colours), ("f", design.info.fonts)):
        used = set(re.findall(rf"var\(--{kind}-([a-z-]+)", design.style))
        assert [swatch.name for swatch in sets if used - set(swatch.values)] == []
        assert len({swatch.ref for swatch in sets}) == len(sets)


@pytest.mark.parametrize("name", TEMPLATES)
def test_styles_are_small_and_load_nothing_external(name: str) -> None:
    style = builtin_design(name).style
    assert len(gzip.compress(style.encode())) < 10 * KIB
    loaded = re.findall(r"url\([\"']?([^\"')]{1,12})", style)
    assert [url for url in loaded if not url.startswith(("data:", "/_site/fonts"))] == []
    assert "@import" not in style
    for rule in ("@media print", "prefers-reduced-motion", ":focus-visible"):
        assert rule in style


@pytest.mark.parametrize("name", TEMPLATES)
def test_every_set_of_fonts_is_bundled_and_small(name: str) -> None:
    """Their sizes are known only where the browser build has run."""
    sets = builtin_design(name).info.fonts
    assert len(sets) >= 2
    for fonts in sets:
        files = [each.file for key in fonts.bundled_fonts for each in site_fonts.manifest().get(key, {}).values()]
        assert fonts.bundled_fonts
        assert sum((site_fonts.FOLDER / file).stat().st_size for file in files) <= MAX_FONT_BYTES, fonts.name


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_home_page_with_style_and_fonts_is_small(name: str) -> None:
    """Compressed, without pictures. Fonts count where the browser build has run."""
    html = rendered(SAMPLES.get(name, SAMPLES["consult"]).render_input(DesignChoice(directory=name)))[""]
    text, style = re.sub(r"data:image[^\"]+", "", html), builtin_design(name).style
    for fonts in builtin_design(name).info.fonts:
        files = [each.rpartition("/")[2] for each in site_fonts.first_urls(fonts.bundled_fonts)]
        sizes = [(site_fonts.FOLDER / file).stat().st_size for file in files]
        assert len(gzip.compress(text.encode())) + len(gzip.compress(style.encode())) + sum(sizes) < 100_000, fonts.name


def test_fonts_are_preloaded_in_latin_scripts_only(tmp_path: Path) -> None:
    with bundled_fonts(tmp_path):
        chosen = DesignChoice(directory="plain", font_swatch_ref=2)
        homes = {language: home_of(language=language, design=chosen) for language in ("en", "de_CH", "ar", "ru")}
    preloads = {name: [each.get("href") for each in home.all("link", rel="preload")] for name, home in homes.items()}
    assert preloads == {"en": [f"/_site/fonts/{LATIN}"], "de_CH": [f"/_site/fonts/{LATIN}"], "ar": [], "ru": []}


@EVERY_PAGE
def test_a_page_is_accessible(document: Document) -> None:
    assert document.one("html").get("lang") == "en"
    assert (len(document.all("main")), len(document.all("h1"))) == (1, 1)
    assert text_of(document.one("h1"))
    assert document.all("a", class_="skip")[0].get("href") == "#main" == f"#{document.main.get('id')}"
    assert (len(document.all("header")), len(document.all("footer"))) == (1, 1)
    assert document.one("nav").get("aria-label") == "Menu"
    assert document.one("meta", name="viewport") is not None
    assert document.text("title")


@EVERY_PAGE
def test_ids_are_unique_and_references_resolve(document: Document) -> None:
    ids = [each.get("id") for each in document.root.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    for name in ("for", "aria-labelledby", "popovertarget"):
        assert {each.get(name) for each in document.root.iter() if each.get(name)} <= set(ids)


@EVERY_PAGE
def test_pictures_have_descriptions_and_links_and_buttons_have_words(document: Document) -> None:
    assert [each for each in document.all("img") if each.get("alt") is None] == []
    assert [each.attrib for tag in ("a", "button") for each in document.all(tag) if not _name(each)] == []
    labelled = {each.get("for") for each in document.all("label")}
    fields = [each for tag in ("input", "textarea") for each in document.all(tag)]
    assert [each.attrib for each in fields if each.get("type") != "hidden" and each.get("id") not in labelled] == []


@EVERY_PAGE
def test_a_page_is_small_and_loads_nothing_external(document: Document) -> None:
    asked = [each.get("src") or "" for each in document.root.iter() if each.get("src")]
    asked += [each.get("href") or "" for each in document.all("link") if each.get("rel") in LOADED]
    assert [url for url in asked if not url.startswith(("/_site/", "data:image/"))] == []
    text = re.sub(r"data:image[^\"]+", "", document.html)
    assert len(text.encode()) < 44 * KIB  # 68 with the style


def _name(element: Element) -> str:
    return text_of(element) or "".join(each.get("alt", "") for each in element.iter("img"))


def test_the_current_page_is_marked_in_the_navigation() -> None:
    html = rendered(SAMPLES["consult"].render_input())
    current = {path: Document(html[path]).all("a", aria_current="page") for path in ("", "services")}
    assert [text_of(each) for each in current[""]] == ["Harrow & Lane", "Home"]
    assert [text_of(each) for each in current["services"]] == ["Services"]


def test_metadata_for_search_engines_and_social_networks() -> None:
    profile = SAMPLES["consult"].profile | {"featureimage": "/sky.jpg", "rss": "/feed"}
    html = rendered(input_with(page(), page("Food/Menu", "Menu", ref=2, seo_title="What we serve"), profile=profile))
    home, menu = Document(html[""]), Document(html["food/menu"])
    assert home.text("title").startswith("Harrow & Lane \u2013 Accountants")
    assert (menu.text("title"), menu.all("meta", name="description")) == ("What we serve", [])
    canonical = [each.one("link", rel="canonical").get("href") for each in (home, menu)]
    assert canonical == ["https://www.example.com/", "https://www.example.com/food/menu"]
    assert home.one("meta", property="og:title").get("content") == home.text("title")
    received = home.text("script", type="application/ld+json")
    assert '"@type": "LocalBusiness"' in received
    assert '"image": "https://www.example.com/sky.jpg"' in received
    assert home.one("link", rel="alternate").get("href") == "/feed"


def test_a_site_without_an_address_has_no_canonical_link() -> None:
    assert home_of(address="").all("link", rel="canonical") == []


def test_the_404_page_has_the_sites_design_and_is_not_indexed() -> None:
    document = Document(rendered(SAMPLES["atelier"].render_input())[":not-found"])
    assert (document.text("h1"), document.one("meta", name="robots").get("content")) == ("Page not found", "noindex")
    assert document.one("nav") is not None


@pytest.mark.parametrize("language", sorted(languages()))
def test_templates_use_the_account_holders_language(language: str) -> None:
    assert set(texts_for(language)) == set(texts_for("en"))
    document = home_of(language=f"{language}_XX")
    assert document.one("html").get("lang") == f"{language}-XX"
    assert text_of(document.all("a", class_="skip")[0]) == texts_for(language)["skip"]


def test_languages_from_right_to_left() -> None:
    directions = [home_of(language=language).one("html").get("dir") for language in ("ar", "de", "x")]
    assert directions == ["rtl", None, None]


def test_a_language_without_translation_falls_back_to_english() -> None:
    document = home_of(language="ja")
    assert (document.one("html").get("lang"), text_of(document.all("a", class_="skip")[0])) == ("ja", "Skip to content")


@pytest.mark.parametrize("directory", ["", "unheard-of", "shared", "../consult", "consult/..", ".", "a" * 300])
def test_a_missing_template_falls_back_to_the_neutral_one(directory: str) -> None:
    assert folder_of(DesignChoice(directory=directory), NOWHERE) == BUILTIN / NEUTRAL


def test_a_private_template_is_never_a_builtin_one() -> None:
    assert folder_of(DesignChoice(directory="consult", is_private=True), NOWHERE) == BUILTIN / NEUTRAL


@pytest.mark.parametrize("name", TEMPLATES)
def test_parts_are_shown_and_hidden_by_static_values(name: str) -> None:
    profile = SAMPLES["consult"].profile | {"logo": "/logo.svg", "logowidth": "120", "logoheight": "40"}
    parts = ("announcement", "logo", "navigation", "hero", "contact", "social", "copyright", "description", "closing")
    shown = {"hero": {"text": "Go", "url": "/go"}, "announcement": {"text": "New"}}
    hidden = {part: shown.get(part, {}) | {"visible": "0"} for part in parts}
    with_all = home_of(profile=profile, static_values=shown, design=DesignChoice(directory=name))
    without = home_of(profile=profile, static_values=hidden, design=DesignChoice(directory=name))
    assert with_all.one("img", src="/logo.svg").get("width") == "120"
    for words in ('class="announcement"', 'class="logo"', "<nav", 'href="/go"', "tel:+12025550190", "network.example",
                  "\u00a9", "Fixed fees"):  # fmt: skip
        assert (words in with_all.html, words in _seen(without)) == (True, False), words
    assert without.text("h1", class_="unseen") == "Clear books. Calm year ends."


def _seen(document: Document) -> str:
    return document.html.partition("<body")[2]


@pytest.mark.parametrize("name", ["consult", "coffee-house", "corner-shop", "atelier"])
def test_strapline_and_picture_can_be_hidden(name: str) -> None:
    hidden = {"strapline": {"visible": "0"}, "featureimage": {"visible": "0"}, "map": {"visible": "0"}}
    document = home_of(profile=SAMPLES["consult"].profile, static_values=hidden, design=DesignChoice(directory=name))
    assert (document.all("p", class_="strapline"), document.all("img")) == ([], [])
    assert "openstreetmap" not in document.html


def test_colours_and_fonts_are_the_pages_or_the_sites_or_the_templates() -> None:
    design = DesignChoice(directory="consult", color_swatch_ref=2, font_swatch_ref=1)

    def chosen(own: int | None, sites: dict[str, str]) -> list[str | None]:
        render_input = input_with(page(color_swatch_ref=own), global_values=sites, design=design)
        html = Document(rendered(render_input)[""]).one("html")
        return [html.get("data-colours"), html.get("data-fonts")]

    assert chosen(None, {}) == ["2", "1"]
    assert chosen(None, {"colorSwatchRef": "3", "fontSwatchRef": "3"}) == ["3", "3"]
    assert chosen(1, {"colorSwatchRef": "3"}) == ["1", "1"]
    assert chosen(99, {"colorSwatchRef": "x", "fontSwatchRef": "99"}) == ["2", "1"]


def test_profile_links_are_shown_under_their_names() -> None:
    profile = {"business": "A", "network": "https://network.example/a", "video": "www.video.example", "note": "text"}
    document = home_of(profile=profile)
    links = [(text_of(each), each.get("href")) for each in document.all("a", rel="me noopener")]
    assert links == [("Network", "https://network.example/a"), ("Video", "https://www.video.example")]


def test_an_empty_site_has_a_home_page_made_from_its_profile() -> None:
    html = rendered(input_with(profile={"business": "Kettle", "companydescription": "Tea & more"}))
    assert sorted(html) == ["", ":not-found", "_site/icon.svg", "_site/style.css"]
    document = Document(html[""])
    assert (document.text("h1"), text_of(document.one("section"))) == ("Kettle", "Tea & more")


def test_a_site_without_anything_still_has_a_heading() -> None:
    assert Document(rendered(input_with(profile={}))[""]).text("h1") == "Welcome"


def test_css_of_the_sites_own_follows_the_templates_and_cannot_leave_the_style_element() -> None:
    own = 'h1::after { content: "</style><script>" }'
    render_input = input_with(
        page_with(heading("A")), global_values={"customCss": own}, design=DesignChoice(directory="plain")
    )
    style = rendered(render_input)["_site/style.css"]
    assert style.startswith(builtin_design("plain").style)
    assert style.endswith('h1::after { content: "<\\/style><script>" }')
    for mode in ("preview", "editing"):
        html = Rendering(render_input, builtin_design("plain"), mode).home_page().decode()
        assert own.replace("</", "<\\/") in html
        assert "</style><script>" not in html


def test_the_address_above_the_header_is_isolated_from_the_direction_of_the_page() -> None:
    files = rendered(SAMPLES["practice"].render_input(DesignChoice(directory="practice")))
    assert "<bdi>3 Quay Street, 20005 Springfield</bdi>" in files[""]
