"""Frames of other hosts, which a page loads only after a visitor's click: videos and maps of the hosts listed here."""

import math
import re
from collections.abc import Callable
from urllib.parse import SplitResult, parse_qs, quote_plus, urlsplit

import msgspec

FRAME_HOSTS = (
    "https://www.youtube-nocookie.com",
    "https://player.vimeo.com",
    "https://geo.dailymotion.com",
    "https://www.openstreetmap.org",
    "https://www.google.com",
)
"""The origins of the frames, for a policy of the site. `site.js` refuses all other addresses."""
MAX_ADDRESS = 300
_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_VIMEO_PATH = re.compile(r"/(?:video/|channels/[\w-]+/)?([0-9]{1,12})(?:/([0-9a-f]{6,40}))?/?")
_DAILYMOTION_ID = re.compile(r"[A-Za-z0-9]{4,20}")
_NUMBER = r"(-?[0-9]{1,3}(?:\.[0-9]{1,15})?)"
_PAIR = re.compile(rf"{_NUMBER}(?:\s*+[,;]\s*+|\s++){_NUMBER}")
_PAIR_IN_FRAGMENT = re.compile(rf"map=[0-9.]++/{_NUMBER}/{_NUMBER}")
_PAIR_IN_ADDRESS = re.compile(rf"[@=]{_NUMBER}(?:,|%2C){_NUMBER}(?![0-9.])")


class Embed(msgspec.Struct, frozen=True):
    """What a click loads: the name of its host, and the address of the frame."""

    host: str
    frame: str


class Place(msgspec.Struct, frozen=True):
    latitude: float
    longitude: float


def video_embed(url: str) -> Embed | None:
    """The frame of a video's page; None where its host is not listed."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.").removeprefix("m.")
    except ValueError:
        return None
    find = _VIDEOS.get(host) if parts.scheme in ("http", "https") else None
    return None if find is None else find(parts)


def place_of(text: str) -> Place | None:
    """Latitude and longitude, from numbers or from the address of a map; None where there are none."""
    found = _pair_in(text[:MAX_ADDRESS].strip())
    if found is None:
        return None
    place = Place(float(found[1]), float(found[2]))
    return place if abs(place.latitude) <= 85 and abs(place.longitude) <= 180 else None


def _pair_in(text: str) -> re.Match[str] | None:
    if not text.startswith(("http://", "https://")):
        return _PAIR.fullmatch(text)
    if len(text.split()) > 1:
        return None
    found = _PAIR_IN_FRAGMENT.match(text.partition("#")[2])
    return found or next(reversed(list(_PAIR_IN_ADDRESS.finditer(text))), None)


def open_street_map(place: Place, zoom: int) -> tuple[Embed, str]:
    """The frame, and the address of the same map as a page."""
    width = 360 / 2**zoom * 1.5
    height = width * math.cos(math.radians(place.latitude)) * 0.6
    west, east = place.longitude - width, place.longitude + width
    south, north = place.latitude - height, place.latitude + height
    box = "%2C".join(f"{each:.5f}" for each in (west, south, east, north))
    marker = f"{place.latitude:.6f}%2C{place.longitude:.6f}"
    frame = f"https://www.openstreetmap.org/export/embed.html?bbox={box}&layer=mapnik&marker={marker}"
    latitude, longitude = f"{place.latitude:.6f}", f"{place.longitude:.6f}"
    page = f"https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map={zoom}/{latitude}/{longitude}"
    return Embed("OpenStreetMap", frame), page


def google_maps(query: str, zoom: int) -> tuple[Embed, str]:
    """The frame, and the address of the same map as a page. The query is an address, or coordinates."""
    asked = quote_plus(" ".join(query.split())[:MAX_ADDRESS])
    page = f"https://www.google.com/maps/search/?api=1&query={asked}"
    return Embed("Google Maps", f"https://www.google.com/maps?q={asked}&z={zoom}&output=embed"), page


def _youtube(parts: SplitResult) -> Embed | None:
    kind, _, rest = parts.path.strip("/").partition("/")
    named = parse_qs(parts.query, max_num_fields=20).get("v", [""])[0] if kind == "watch" else rest.partition("/")[0]
    is_video = kind in ("watch", "embed", "shorts", "live")
    return _youtube_video(named) if is_video else None


def _youtube_video(named: str) -> Embed | None:
    if not _YOUTUBE_ID.fullmatch(named):
        return None
    return Embed("YouTube", f"https://www.youtube-nocookie.com/embed/{named}?autoplay=1&rel=0")


def _vimeo(parts: SplitResult) -> Embed | None:
    found = _VIMEO_PATH.fullmatch(parts.path)
    if found is None:
        return None
    unlisted = found[2] or next(iter(re.findall(r"(?:\A|&)h=([0-9a-f]{6,40})(?=&|\Z)", parts.query)), "")
    key = f"&h={unlisted}" if unlisted else ""
    return Embed("Vimeo", f"https://player.vimeo.com/video/{found[1]}?dnt=1&autoplay=1{key}")


def _dailymotion(parts: SplitResult) -> Embed | None:
    named = parts.path.removeprefix("/video/").strip("/")
    if not _DAILYMOTION_ID.fullmatch(named):
        return None
    return Embed("Dailymotion", f"https://geo.dailymotion.com/player.html?video={named}")


_VIDEOS: dict[str, Callable[[SplitResult], Embed | None]] = {
    "youtube.com": _youtube,
    "youtube-nocookie.com": _youtube,
    "youtu.be": lambda parts: _youtube_video(parts.path.strip("/")),
    "vimeo.com": _vimeo,
    "player.vimeo.com": _vimeo,
    "dailymotion.com": _dailymotion,
    "dai.ly": _dailymotion,
}
