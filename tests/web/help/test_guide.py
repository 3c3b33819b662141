"""The user guide of the editor: in English and German, with pictures, for everybody."""

import httpx
import pytest

from sitewright.web.help.guide import guides, pictures
from tests.support.browsing import page_text

MAX_PICTURES, MAX_BYTES = 12, 600_000


@pytest.mark.parametrize(
    ("language", "shown", "title"),
    [
        ("en", "en", "Make your website"),
        ("de", "de", "Ihre Website gestalten"),
        ("de-AT", "de", "Ihre Website gestalten"),
        ("fr", "en", "Make your website"),
        ("x", "en", "Make your website"),
    ],
)
async def test_is_shown_in_the_readers_language_or_in_english(
    anonymous: httpx.AsyncClient, language: str, shown: str, title: str
) -> None:
    response = await anonymous.get(f"/help/editor?language={language}")
    assert response.status_code == 200
    assert f'<html lang="{shown}">' in response.text
    assert title in page_text(response)


async def test_follows_the_browser_and_loads_nothing_else(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/help/editor", headers={"Accept-Language": "de"})
    assert '<html lang="de">' in response.text
    assert "script-src 'self'" in response.headers["content-security-policy"]


def test_both_languages_have_the_same_chapters_and_pictures() -> None:
    english, german = guides()["en"], guides()["de"]
    assert [(each.id, each.picture) for each in english.chapters] == [
        (each.id, each.picture) for each in german.chapters
    ]
    for guide in (english, german):
        assert all(each.text and bool(each.shows) == bool(each.picture) for each in guide.chapters)


def test_pictures_are_few_and_small() -> None:
    named = {each.picture for each in guides()["en"].chapters if each.picture}
    assert set(pictures()) == named
    assert len(named) <= MAX_PICTURES
    assert sum(len(each.content) for each in pictures().values()) <= MAX_BYTES
    assert all(each.width in range(300, 1401) and each.height > 200 for each in pictures().values())


async def test_a_picture_is_sent_and_others_do_not_exist(anonymous: httpx.AsyncClient) -> None:
    response = await anonymous.get("/help/pictures/start.webp")
    assert (response.status_code, response.headers["content-type"]) == (200, "image/webp")
    for name in ("none.webp", "start", "start.png"):
        assert (await anonymous.get(f"/help/pictures/{name}")).status_code == 404
