"""HTML of every widget type, with every value."""

import pytest

from sitewright.sites.content.widget_types.service import TYPES
from sitewright.sites.publishing.widgets import KINDS
from tests.sites.publishing.pages import Document, home_with, text_of
from tests.support.sample_parts import SampleWidget, button, columns, form, gallery, heading, image, text

DATA_IMAGE = "https://pictures.example/bar.jpg"


def test_every_listed_type_can_be_rendered() -> None:
    assert {f"widget.{kind}" for kind in KINDS} == {each.type for each in TYPES}


@pytest.mark.parametrize("kind", ["content", "widget.content"])
def test_rich_text(kind: str) -> None:
    page = home_with(SampleWidget(kind.removeprefix("widget."), {"html": "<p>Open <strong>daily</strong></p>"}))
    assert text_of(page.one("div", class_="text")) == "Open daily"
    assert text_of(page.one("strong")) == "daily"


@pytest.mark.parametrize(("level", "tag"), [(1, "h2"), (2, "h2"), (3, "h3"), (6, "h6")])
def test_a_heading_by_its_level(level: int, tag: str) -> None:
    page = home_with(heading("Our coffee", level, align="center"))
    found = page.one(tag, class_="heading")
    assert (text_of(found), found.get("id"), found.get("class")) == ("Our coffee", "our-coffee", "heading center")


def test_equal_headings_have_unique_ids() -> None:
    page = home_with(heading("News"), heading("News"), heading("Main"), heading("***"), heading("Über uns", 3))
    ids = [each.get("id") for tag in ("h2", "h3") for each in page.all(tag, class_="heading")]
    assert ids == ["news", "news-2", "main-2", "section", "über-uns"]


def test_a_section_begins_with_each_heading_of_the_second_level() -> None:
    page = home_with(text("<p>First</p>"), heading("One"), text("<p>a</p>"), heading("Two", 3), heading("Three"))
    sections = page.all("section", class_="band")
    assert [each.get("aria-labelledby") for each in sections] == [None, "one", "three"]
    assert text_of(sections[1]) == "One a Two"


def test_an_image_with_all_values() -> None:
    page = home_with(image(DATA_IMAGE, "The bar", "Since 1998", link="menu", width="medium"))
    assert page.one("figure", class_="medium") is not None
    img = page.one("img", src=DATA_IMAGE)
    assert (img.get("alt"), img.get("loading"), page.text("figcaption")) == ("The bar", "lazy", "Since 1998")
    assert page.one("a", href="/menu").find("img") is img


def test_a_linked_picture_without_a_description_is_named_by_its_caption() -> None:
    assert home_with(image(DATA_IMAGE, "", "The menu", link="menu")).one("img", src=DATA_IMAGE).get("alt") == "The menu"


def test_a_gallery() -> None:
    page = home_with(gallery(4, (DATA_IMAGE, "Cake", "Fridays"), ("b.png", "", ""), ("", "none", "")))
    listed = page.one("ul", class_="gallery")
    assert "of-4" in listed.get("class", "")
    assert [(each.get("src"), each.get("alt")) for each in listed.iter("img")] == [(DATA_IMAGE, "Cake"), ("/b.png", "")]
    assert page.text("figcaption") == "Fridays"


def test_a_gallery_with_a_script_url_shows_nothing() -> None:
    page = home_with(gallery(4, (DATA_IMAGE, "Cake", ""), ("javascript:alert(1)", "", "")))
    assert page.all("ul", class_="gallery") == []


def test_buttons() -> None:
    page = home_with(
        button("Book", "tel:+12025550100", align="center"),
        button("Shop", "https://shop.example", "secondary", newWindow="1"),
        button("", "/nothing"),
        button("Nowhere", ""),
    )
    first, second = page.all("a", class_="button")
    assert (first.get("href"), first.get("class"), first.get("target")) == ("tel:+12025550100", "button primary", None)
    assert (second.get("class"), second.get("target"), second.get("rel")) == ("button secondary", "_blank", "noopener")
    assert len(page.all("p", class_="center")) == 1


def test_columns_with_widgets_in_them_and_columns_in_those() -> None:
    inner = columns([text("<p>deep</p>")], [text("<p>deeper</p>")], gap="small")
    page = home_with(columns([heading("One", 2)], [inner], [], gap="large"))
    outer, nested = page.all("div", class_="columns")
    assert (outer.get("class"), nested.get("class")) == ("columns of-3 gap-large", "columns of-2 gap-small")
    assert [text_of(each) for each in outer.findall("div")] == ["One", "deep deeper", ""]
    assert text_of(page.one("h3", class_="heading")) == "One"  # a page's sections are its only h2


def test_columns_too_deep_are_left_out() -> None:
    nested = text("<p>bottom</p>")
    for _ in range(5):
        nested = columns([nested], [text("<p>beside</p>")])
    page = home_with(nested)
    assert (len(page.all("div", class_="columns")), "bottom" in page.html) == (4, False)


def test_a_map_is_a_link() -> None:
    page = home_with(SampleWidget("map", {"address": "1 Main Street\nSpringfield & Co", "text": "Find us"}))
    link = page.one("a", href="https://www.openstreetmap.org/search?query=1+Main+Street%2C+Springfield+%26+Co")
    assert (text_of(link), text_of(page.one("address", class_="map"))) == (
        "Find us", "1 Main StreetSpringfield & Co Find us"
    )  # fmt: skip


def test_a_map_without_an_address_shows_the_profiles() -> None:
    profile = {"address1": "20 Market Square", "postalcode": "20002", "city": "Springfield", "country": "US"}
    page = home_with(SampleWidget("map", {}), profile=profile)
    assert text_of(page.one("address", class_="map")) == "20 Market Square20002 SpringfieldUS Show on a map"


def test_a_contact_form_works_without_scripts() -> None:
    page = home_with(form(title="Write", button="Go", thanks="Thanks!"))
    posted = page.one("form", method="post", action="/_site/contact")
    names = [each.get("name") for tag in ("input", "textarea") for each in posted.iter(tag)]
    assert names == ["page", "name", "email", "website", "message"]
    assert (page.text("button", class_="primary"), text_of(page.one("p", id="sent"))) == ("Go", "Thanks!")
    assert (page.one("input", name="page").get("value"), page.one("div", id="contact") is not None) == ("", True)


def test_every_field_of_a_form_has_a_label_also_where_there_are_two_forms() -> None:
    page = home_with(form(), form())
    labels = {each.get("for") for each in page.all("label")}
    fields = [each for tag in ("input", "textarea") for each in page.all(tag) if each.get("type") != "hidden"]
    assert len(fields) == 8
    assert {each.get("id") for each in fields} == labels


def test_space_and_raw_html() -> None:
    page = home_with(
        SampleWidget("space", {"height": "80"}),
        SampleWidget("html", {"code": "<div id='booking'></div><script src='https://booking.example/w.js'></script>"}),
    )
    assert page.one("div", class_="space").get("style") == "height:80px"
    assert page.one("script", src="https://booking.example/w.js") is not None


@pytest.mark.parametrize("values", [{"height": "9999"}, {"height": "1;color:red"}, {}])
def test_an_invalid_value_is_replaced_by_its_default(values: dict[str, str]) -> None:
    assert home_with(SampleWidget("space", values)).one("div", class_="space").get("style") == "height:40px"


EMPTY = sorted(
    {each.type.removeprefix("widget.") for each in TYPES} - {"contactForm", "newsletter", "space", "divider"}
)


@pytest.mark.parametrize("kind", EMPTY)
def test_a_widget_with_nothing_in_it_shows_nothing(kind: str) -> None:
    page = home_with(SampleWidget(kind, {}))
    assert page.all("section", class_="band") == []


def test_unknown_types_show_nothing() -> None:
    page = home_with(SampleWidget("partner.chat", {"text": "unheard of"}), text("<p>shown</p>"))
    assert ("unheard of" in page.html, text_of(page.one("section"))) == (False, "shown")


def test_a_page_of_all_widgets_is_valid() -> None:
    page = home_with(
        heading("A"), text("<p>b</p><table><tr><td>c</td></tr></table>"), image(DATA_IMAGE, ""), button("d", "/d"),
        gallery(2, (DATA_IMAGE, "", "")), SampleWidget("space", {}),
        columns([form()], [SampleWidget("map", {"address": "e"})]),
    )  # fmt: skip
    assert isinstance(page, Document)
