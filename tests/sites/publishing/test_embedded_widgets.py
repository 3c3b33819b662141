"""Widgets that use the script of published sites, and what they are without it."""

import re

import pytest

from sitewright.edge.filled_form import NEWSLETTER_FORM, fill_in
from sitewright.sites.publishing.embeds import FRAME_HOSTS, Place, place_of, video_embed
from sitewright.sites.publishing.site_script import SCRIPT, script_file
from tests.sites.publishing.pages import Document, home_with, input_with, page, page_with, rendered, text_of
from tests.sites.publishing.test_pictures import files
from tests.support.sample_parts import gallery, heading, text
from tests.support.sample_widgets import (
    CAKE,
    MAP,
    NEWSLETTER,
    SLIDES,
    SOCIAL,
    SOCIAL_ICONS,
    VIDEO,
    VIDEO_WITHOUT_PICTURE,
    widget,
)

PICTURE = "https://pictures.example/cake.jpg"


def scripts(document: Document) -> list[str | None]:
    return [each.get("src") for each in document.all("script") if each.get("type") is None]


@pytest.mark.parametrize(
    ("url", "host", "frame"),
    [
        ("https://www.youtube.com/watch?v=aqz-KE-bpKQ&t=5s", "YouTube", "www.youtube-nocookie.com/embed/aqz-KE-bpKQ?"),
        ("https://youtu.be/aqz-KE-bpKQ?si=x", "YouTube", "www.youtube-nocookie.com/embed/aqz-KE-bpKQ?"),
        ("https://m.youtube.com/shorts/aqz-KE-bpKQ", "YouTube", "www.youtube-nocookie.com/embed/aqz-KE-bpKQ?"),
        ("http://youtube.com/embed/aqz-KE-bpKQ", "YouTube", "www.youtube-nocookie.com/embed/aqz-KE-bpKQ?"),
        ("https://vimeo.com/76979871", "Vimeo", "player.vimeo.com/video/76979871?dnt=1&autoplay=1"),
        ("https://vimeo.com/76979871/abcdef0123", "Vimeo", "player.vimeo.com/video/76979871?dnt=1&autoplay=1&h=abcdef"),
        (
            "https://player.vimeo.com/video/1?h=abcdef01",
            "Vimeo",
            "player.vimeo.com/video/1?dnt=1&autoplay=1&h=abcdef01",
        ),
        ("https://www.dailymotion.com/video/x8abcd", "Dailymotion", "geo.dailymotion.com/player.html?video=x8abcd"),
        ("https://dai.ly/x8abcd", "Dailymotion", "geo.dailymotion.com/player.html?video=x8abcd"),
    ],
)
def test_videos_of_listed_hosts(url: str, host: str, frame: str) -> None:
    embed = video_embed(url)
    assert embed is not None
    assert (embed.host, embed.frame.startswith(f"https://{frame}")) == (host, True)
    assert embed.frame.startswith(FRAME_HOSTS)


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/watch?v=aqz-KE-bpKQ", "https://youtube.com.evil.example/watch?v=aqz-KE-bpKQ",
        "https://www.youtube.com/watch?v=../../x", "https://www.youtube.com/watch?v=aqz-KE-bpKQ%22onload", "/local.mp4",
        "https://www.youtube.com/@channel", "https://vimeo.com/about", "https://user@evil.example/youtube.com",
        "https://[::1", "ftp://youtu.be/aqz-KE-bpKQ", "https://dai.ly/x8%22abcd", "https://www.youtube.com/redirect?q=x",
    ],
)  # fmt: skip
def test_other_addresses_are_not_embedded(url: str) -> None:
    assert video_embed(url) is None


@pytest.mark.parametrize(
    "words",
    ["51.5007, -0.1246", " 51.5007;-0.1246 ", "https://www.openstreetmap.org/#map=17/51.5007/-0.1246&layers=N",
     "https://www.google.com/maps/place/Big+Ben/@51.5007,-0.1246,17z/data=x", "https://maps.google.com/?q=51.5007,-0.1246"],
)  # fmt: skip
def test_coordinates_of_a_place(words: str) -> None:
    assert place_of(words) == Place(51.5007, -0.1246)


@pytest.mark.parametrize("words", ["", "Main Street 5", "95, 0", "0, 181", "1", "51,5007, -0,1246", "9" * 5000])
def test_no_coordinates(words: str) -> None:
    assert place_of(words) is None


def test_a_video_is_a_link_before_the_click() -> None:
    document = home_with(VIDEO, VIDEO_WITHOUT_PICTURE)
    first, second = document.all("a", class_="embed-link")
    assert first.get("href") == "https://www.youtube.com/watch?v=aqz-KE-bpKQ"
    assert text_of(first) == "Play the video: A walk through the bakery"
    assert (second.get("data-embed") or "").startswith("https://player.vimeo.com/")
    assert document.all("iframe") == []
    assert "A click loads content from YouTube" in document.html
    assert scripts(document) == [f"/{SCRIPT}?v={script_file().etag[1:13]}"]


def test_a_video_of_another_host_is_a_plain_link() -> None:
    document = home_with(widget("video", url="https://videos.example/a.mp4", title="Tour"))
    assert text_of(document.one("a", href="https://videos.example/a.mp4")) == "Play the video: Tour"
    assert (document.all("a", class_="embed-link"), scripts(document)) == ([], [])


def test_a_map_is_a_link_before_the_click() -> None:
    link = home_with(MAP).one("a", class_="embed-link")
    assert (link.get("href") or "").startswith("https://www.openstreetmap.org/?mlat=51.500700&mlon=-0.124600#map=16/")
    assert "marker=51.500700%2C-0.124600" in (link.get("data-embed") or "")
    google = home_with(widget("embeddedMap", provider="googleMaps", address='1 "Main" St & Co')).one(
        "a", class_="embed-link"
    )
    assert google.get("data-embed") == "https://www.google.com/maps?q=1+%22Main%22+St+%26+Co&z=16&output=embed"


def test_a_map_without_coordinates_is_a_plain_link() -> None:
    document = home_with(widget("embeddedMap", address="1 Main Street"))
    assert (document.one("address", class_="map") is not None, scripts(document)) == (True, [])


def test_a_gallery_links_to_the_largest_variant() -> None:
    document = home_with(
        gallery(2, ("media:5", "Tea", ""), (PICTURE, "", "A cake"), (CAKE, "", "")), media={5: files(5)}
    )
    links = list(document.one("ul", class_="gallery").iter("a"))
    assert [each.get("aria-label") for each in links] == [None, "A cake"]
    assert links[1].get("href") == PICTURE
    largest = max(int(width) for width in re.findall(r" (\d+)w", document.all("img")[0].get("srcset", "")))
    assert f"{links[0].get('href')} {largest}w" in document.all("img")[0].get("srcset", "")


def test_a_slideshow_is_a_row_that_the_keyboard_scrolls() -> None:
    document = home_with(SLIDES)
    row = document.one("ul", class_="slides")
    assert (row.get("tabindex"), row.get("aria-label"), len(list(row))) == ("0", "Pictures", 3)
    assert document.one("a", href="/visit") is not None
    assert len(scripts(document)) == 1


def test_only_pages_that_need_the_script_load_it() -> None:
    html = rendered(input_with(page_with(heading("A"), SLIDES), page("about", "About", ref=2)))
    assert [len(scripts(Document(html[path]))) for path in ("", "about")] == [1, 0]
    assert SCRIPT in html
    assert SCRIPT not in rendered(input_with(page_with(text("<p>a</p>"))))


def test_the_script_is_small_and_names_the_same_hosts() -> None:
    source = rendered(input_with(page_with(SLIDES)))[SCRIPT]
    assert len(source.encode()) < 6 * 1024
    named = re.findall(r'"(https://[^/"]+)/', source)
    assert tuple(named) == FRAME_HOSTS
    assert "cookie" not in source.replace("youtube-nocookie", "")


def test_social_links_have_the_names_of_their_networks() -> None:
    document = home_with(SOCIAL)
    assert [text_of(each) for each in document.one("ul", class_="social")] == ["Instagram", "Facebook", "Our pictures"]
    hidden = home_with(SOCIAL_ICONS).one("ul", class_="social")
    assert (text_of(hidden), next(hidden.iter("span")).get("class")) == ("YouTube", "unseen")


def test_social_links_of_the_profile() -> None:
    profile = {"business": "A", "network": "https://de.pinterest.com/a"}
    document = home_with(widget("socialLinks"), profile=profile)
    assert text_of(document.one("ul", class_="social")) == "Network"


def test_a_newsletter_form_works_without_scripts_and_keeps_what_was_typed() -> None:
    document = home_with(NEWSLETTER, NEWSLETTER)
    assert len({each.get("id") for each in document.all("input", name="email")}) == 2
    filled = fill_in(document.html, {"email": 'a"b'}, {"email": "Check it."}, "Not sent.", NEWSLETTER_FORM)
    assert filled is not None
    first = Document(filled).all("input", name="email")[0]
    assert (first.get("value"), first.get("aria-invalid")) == ('a"b', "true")
    assert fill_in(document.html, {}, {}, "") is None  # there is no contact form
