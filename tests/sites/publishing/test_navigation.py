"""The navigation: an ordered tree of pages."""

from typing import Any

import pytest

from sitewright.sites.content.schemas import Page
from sitewright.sites.publishing.navigation import navigation
from sitewright.sites.publishing.views import NavigationItem
from tests.sites.publishing.pages import Document, input_with, page, rendered, text_of
from tests.support.sample_parts import make_page


def tree(*pages: Page) -> list[Any]:
    def received(steps: list[NavigationItem]) -> list[Any]:
        return [step.title if not step.steps else (step.title, received(step.steps)) for step in steps]

    return received(navigation(pages, None))


def test_pages_are_ordered_below_their_parents() -> None:
    pages = make_page(1, "a", "A"), make_page(2, "b", "B", 1), make_page(3, "c", "C", 2), make_page(4, "d", "D")
    assert tree(*pages) == [("A", [("B", ["C"])]), "D"]


def test_children_of_a_hidden_page_move_up() -> None:
    hidden = make_page(2, "b", "B", 1, hidden_from_navigation=1)
    assert tree(make_page(1, "a", "A"), hidden, make_page(3, "c", "C", 2)) == [("A", ["C"])]
    assert tree(make_page(3, "c", "C", 99)) == ["C"]


def test_pages_in_a_cycle_are_all_shown() -> None:
    pages = make_page(1, "a", "A", 2), make_page(2, "b", "B", 1), make_page(3, "c", "C", 3), make_page(4, "d", "D", 1)
    assert tree(*pages) == ["A", "B", "C", "D"]


def test_a_long_chain_is_cut() -> None:
    shown = tree(*(make_page(n, f"p{n}", f"P{n}", n - 1) for n in range(1, 40)))
    assert len(shown) > 1


def test_the_home_page_is_home_or_the_first() -> None:
    pages = [page("about", "About", ref=1), page("Home", "Start", ref=2)]
    html = rendered(input_with(*pages))
    assert [text_of(each) for each in Document(html[""]).one("nav").iter("a")] == ["About", "Start"]
    assert [each.get("href") for each in Document(html[""]).one("nav").iter("a")] == ["/about", "/"]
    first = rendered(input_with(page("about", "About", ref=1), page("more", "More", ref=2)))
    assert set(first) == {"", "about", "more", ":not-found", "_site/style.css", "_site/icon.svg"}
    assert first["about"] == first[""]


def test_the_navigation_shows_three_hundred_pages_at_most() -> None:
    assert len(tree(*(make_page(n, f"p{n}", f"P{n}") for n in range(1, 400)))) == 300


def test_hidden_pages_are_published_too() -> None:
    html = rendered(input_with(page(), page("secret", "Secret", ref=2, hidden_from_navigation=1)))
    assert ("secret" in html, "Secret" in html[""]) == (True, False)


@pytest.mark.parametrize(("count", "marks"), [(7, []), (8, ["some-pages"]), (13, ["some-pages"]), (14, ["many-pages"])])
def test_a_long_menu_needs_a_wide_screen_and_a_very_long_one_a_button(count: int, marks: list[str]) -> None:
    html = rendered(input_with(*(page(f"p{n}", f"P{n}", ref=n) for n in range(1, count + 1))))[""]
    assert [mark for mark in ("some-pages", "many-pages") if mark in html] == marks
