"""HTML of widgets that list things: opening hours, questions, prices, testimonials, people, icons, files."""

import pytest

from tests.sites.publishing.pages import home_with, text_of
from tests.support.sample_parts import heading
from tests.support.sample_widgets import (
    DIVIDERS,
    DOWNLOADS,
    HOURS,
    ICONS,
    PRICE_CARDS,
    PRICE_LIST,
    QUESTIONS,
    TEAM,
    TESTIMONIALS,
    widget,
)


@pytest.mark.parametrize(
    ("language", "rows"),
    [
        ("en", ["Monday – Friday 9:00 AM – 12:30 PM, 2:00 PM – 6:00 PM", "Saturday 9:00 AM – 1:00 PM bread until noon",
                "Sunday Closed"]),
        ("de_CH", ["Montag – Freitag 09:00 – 12:30, 14:00 – 18:00", "Samstag 09:00 – 13:00 bread until noon",
                   "Sonntag Geschlossen"]),
        ("fr", ["Lundi – vendredi 09:00 – 12:30, 14:00 – 18:00", "Samedi 09:00 – 13:00 bread until noon",
                "Dimanche Fermé"]),
    ],
)  # fmt: skip
def test_opening_hours_in_the_sites_language(language: str, rows: list[str]) -> None:
    page = home_with(HOURS, language=language)
    cells = [[text_of(cell) for cell in row] for row in page.one("div", class_="opening-hours").iter("tr")]
    assert [" ".join(row) for row in cells] == rows
    assert all(each.get("scope") == "row" for each in page.all("th"))


def test_days_without_times_are_closed_unless_a_note_says_more() -> None:
    hours = [{"days": "mo,we"}, {"days": "sa-su", "note": "by appointment"}, {"days": "", "times": "09:00-10:00"}]
    page = home_with(widget("openingHours", hours=hours, title="When"))
    rows = [text_of(row) for row in page.all("tr")]
    assert rows == ["Monday, WednesdayClosed", "Saturday, Sundayby appointment"]
    assert page.text("h2", class_="heading") == "When"


def test_questions_open_without_scripts() -> None:
    page = home_with(QUESTIONS)
    first, second = page.all("details")
    assert (first.get("open"), second.get("open")) == ("", None)
    assert text_of(page.all("summary")[0]) == "Do you deliver?"
    assert page.one("a", href="/visit") is not None


def test_prices_as_cards_and_as_a_list() -> None:
    page = home_with(heading("Prices"), PRICE_CARDS, PRICE_LIST)
    cards = page.all("li", class_="card")
    assert [text_of(each) for each in page.all("h3")] == ["Small", "Family", "Office"]
    assert "highlighted" in cards[1].get("class", "")
    assert [text_of(each) for each in page.all("a", class_="button")] == [
        "Choose: Small", "Choose: Family", "Ask us: Office"
    ]  # fmt: skip
    lines = [text_of(each) for each in page.all("p", class_="price-line")]
    assert lines[1] == "Baked cheesecake with sour cherries 4.20 a slice"


def test_testimonials_are_quotations_with_their_authors() -> None:
    page = home_with(TESTIMONIALS)
    assert [text_of(each) for each in page.all("figcaption")] == ["A neighborMill Street", "An office"]
    assert len(page.all("blockquote")) == 2


def test_people_can_be_reached() -> None:
    page = home_with(TEAM)
    team = page.one("ul", class_="team")
    links = [each.get("href") for each in team.iter("a")]
    assert links == ["tel:+12025550114", "mailto:bakery@copperkettle.example"]
    assert [each.get("alt") for each in team.iter("img")] == ["", ""]  # the name stands beside it


@pytest.mark.parametrize("email", ["a@b.example?bcc=all@c.example", "javascript:alert(1)", 'a@b"onclick=x', "a b@c"])
def test_an_invalid_address_of_a_person_is_left_out(email: str) -> None:
    assert "mailto" not in home_with(widget("team", people=[{"name": "Ann", "email": email}]), profile={}).html


def test_icons_are_decoration() -> None:
    page = home_with(ICONS)
    icons = page.all("{http://www.w3.org/2000/svg}svg")
    assert [each.get("aria-hidden") for each in icons] == ["true"] * 4
    assert text_of(page.one("a", href="/visit")) == "Delivery"


def test_downloads_name_format_and_size() -> None:
    page = home_with(DOWNLOADS)
    entries = [text_of(each) for each in page.one("ul", class_="downloads")]
    assert entries == ["Menu (PDF, 240 KB)Valid until March", "allergens list.pdf (PDF)"]


def test_dividers() -> None:
    page = home_with(*DIVIDERS)
    assert [each.get("class") for each in page.all("hr")] == ["divider line", "divider dots", "divider short"]
