"""News: dated posts in a page, and the site's feed."""

from typing import Any
from xml.etree import ElementTree

import pytest

from sitewright.sites.publishing.news import FEED
from tests.sites.publishing.pages import Document, home_with, input_with, page, page_with, rendered, text_of
from tests.support.sample_parts import SampleWidget
from tests.support.sample_widgets import NEWS, widget

ATOM = "{http://www.w3.org/2005/Atom}"
EVIL = "</title><script>alert(1)</script>\x0b & \"'"


def feed_of(*widgets: SampleWidget, **fields: Any) -> ElementTree.Element:
    text = rendered(input_with(page_with(*widgets), **fields))[FEED]
    return ElementTree.fromstring(text)  # noqa: S314 - our own


def test_posts_are_shown_newest_first_in_the_sites_language() -> None:
    document = home_with(NEWS, language="de")
    assert [text_of(each) for each in document.all("time")] == ["1. Oktober 2026", "1. September 2026"]
    assert [text_of(each) for each in document.all("h2")][:2] == ["Open on Sundays", "We roast on Tuesdays"]
    assert text_of(document.one("a", href="/visit")) == "Mehr lesen: Open on Sundays"


def test_the_feed_has_every_post_with_its_address() -> None:
    feed = feed_of(NEWS)
    entries = feed.findall(f"{ATOM}entry")
    assert [each.findtext(f"{ATOM}title") for each in entries] == ["Open on Sundays", "We roast on Tuesdays"]
    assert feed.findtext(f"{ATOM}updated") == "2026-10-01T00:00:00Z"
    link = entries[0].find(f"{ATOM}link")
    assert link is not None
    address, _, anchor = link.get("href", "").partition("#")
    assert address == "https://www.example.com/"
    assert home_with(NEWS).one("article", id=anchor) is not None
    assert entries[0].findtext(f"{ATOM}content") == "<p>From nine to three, <b>at last</b>.</p>"


def test_pages_name_the_feed() -> None:
    html = rendered(input_with(page_with(NEWS), page("about", "About", ref=2)))
    for path in ("", "about"):
        assert Document(html[path]).one("link", type="application/atom+xml").get("href") == f"/{FEED}"


@pytest.mark.parametrize(
    ("posts", "address"),
    [
        ([], "https://a.example"),
        ([{"title": "Undated"}], "https://a.example"),
        ([{"title": "A", "date": "2026-01-01"}], ""),
    ],
)
def test_no_feed_without_dated_posts_or_address(posts: list[dict[str, str]], address: str) -> None:
    html = rendered(input_with(page_with(widget("news", posts=posts)), address=address))
    assert FEED not in html
    assert "atom+xml" not in html[""]


def test_hostile_posts_stay_text() -> None:
    posts = [{"date": "2026-01-01", "title": EVIL, "text": f"<p>{EVIL}</p><iframe src=//evil.example></iframe>"}]
    feed = feed_of(widget("news", posts=posts), profile={"business": EVIL})
    [entry] = feed.findall(f"{ATOM}entry")
    assert "<script>" not in (entry.findtext(f"{ATOM}content") or "")
    assert (entry.findtext(f"{ATOM}title") or "").startswith("</title><script>")
    assert list(entry.iter("script")) == []


def test_the_number_of_posts() -> None:
    posts = [{"date": f"2026-01-{day:02}", "title": f"Day {day}"} for day in range(1, 31)] * 2
    document = home_with(widget("news", posts=posts, count="3"))
    assert len(document.all("article")) == 3
    assert len({each.get("id") for each in document.all("article")}) == 3
    assert len(feed_of(widget("news", posts=posts)).findall(f"{ATOM}entry")) == 50


def test_opening_hours_are_in_the_data_for_search_engines() -> None:
    hours = [{"days": "mo,tu", "times": "09:00-12:00,18:00-24:00"}, {"days": "su", "closed": "1"}]
    document = home_with(widget("openingHours", hours=hours))
    data = document.text("script", type="application/ld+json")
    assert '"@type": "LocalBusiness"' in data
    assert '"closes": "23:59"' in data
    assert data.count("OpeningHoursSpecification") == 2
    assert '"dayOfWeek": ["https://schema.org/Monday", "https://schema.org/Tuesday"]' in data
