"""Views of ways to get in touch: address, map, forms, social networks."""

from urllib.parse import urlsplit

from sitewright.sites.publishing.embeds import google_maps, open_street_map, place_of
from sitewright.sites.publishing.sanitizing import safe_url
from sitewright.sites.publishing.views import map_url
from sitewright.sites.publishing.widget_views.networks import network_of
from sitewright.sites.publishing.widget_views.page_state import Builder, PageState, Values, View, lines_of
from sitewright.sites.publishing.widget_views.pictures import ratio_name


def _map(page: PageState, values: Values, _depth: int) -> View | None:
    lines = lines_of(values["address"]) or page.business.address_lines
    return {"lines": lines, "url": map_url(", ".join(lines)), "text": values["text"].strip()} if lines else None


def _contact_form(page: PageState, values: Values, _depth: int) -> View:
    page.forms += 1
    texts = {name: values[name].strip() for name in ("title", "button", "thanks")}
    return {"number": page.forms, **texts}


def _embedded_map(page: PageState, values: Values, _depth: int) -> View | None:
    """OpenStreetMap finds no addresses in a frame: without coordinates, its map is a link."""
    lines = lines_of(values["address"]) or page.business.address_lines
    place, address = place_of(values["coordinates"]), ", ".join(lines)
    if values["provider"] == "googleMaps" and (place or address):
        query = address if place is None else f"{place.latitude},{place.longitude}"
        embed, url = google_maps(query, values["zoom"])
    elif place is not None:
        embed, url = open_street_map(place, values["zoom"])
    else:
        return {"lines": lines, "url": map_url(address), "text": "", "embed": None} if lines else None
    page.needs_script = True
    return {"lines": lines, "url": url, "embed": embed, "ratio": ratio_name(values["ratio"])}


def _social_links(page: PageState, values: Values, _depth: int) -> View | None:
    own = [(safe_url(each["url"]), each["label"].strip()) for each in values["links"]]
    links = own or [(link.url, link.name) for link in page.business.links]
    shown = [{"url": url, **_labelled(url, label)} for url, label in links if url]
    return {"links": shown, "style": values["style"], "align": values["align"]} if shown else None


def _labelled(url: str, label: str) -> dict[str, str]:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    network = network_of(host)
    return {"icon": network.icon, "label": label or network.name or host or url}


def _newsletter(page: PageState, values: Values, _depth: int) -> View:
    page.newsletters += 1
    texts = {name: values[name].strip() for name in ("title", "button", "thanks")}
    return {"number": page.newsletters, "text": lines_of(values["text"]), **texts}


BUILDERS: dict[str, Builder] = {
    "map": _map,
    "embeddedMap": _embedded_map,
    "socialLinks": _social_links,
    "contactForm": _contact_form,
    "newsletter": _newsletter,
}
