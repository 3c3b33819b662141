"""Structured data about a business for search engines (schema.org)."""

from collections.abc import Iterable
from typing import Any

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import PageContent
from sitewright.sites.publishing.views import Business
from sitewright.sites.publishing.widget_views.business import ranges_of

DAYS = {
    "mo": "Monday", "tu": "Tuesday", "we": "Wednesday", "th": "Thursday", "fr": "Friday", "sa": "Saturday",
    "su": "Sunday",
}  # fmt: skip
Hours = list[dict[str, Any]]


def opening_hours(pages: Iterable[PageContent]) -> Hours:
    """The hours of the site's first widget that has some."""
    for page in pages:
        for widget in page.widgets:
            if widget.type.removeprefix("widget.") == "openingHours":
                lines = content.values_with_defaults(widget)["hours"]
                found = [hours for line in lines for hours in _hours(line)] if isinstance(lines, list) else []
                if found:
                    return found
    return []


def _hours(line: dict[str, str]) -> Hours:
    if line["closed"] == "1" or not line["days"]:
        return []
    days = [f"https://schema.org/{DAYS[day]}" for day in line["days"].split(",")]
    return [
        {"@type": "OpeningHoursSpecification", "dayOfWeek": days, "opens": opens, "closes": closes}
        for opens, closes in ranges_of(line["times"].replace("24:00", "23:59"))
    ]


def linked_data(business: Business, address: str, hours: Hours) -> dict[str, Any] | None:
    """Build the JSON-LD object; None where the profile has no business name."""
    if not business.name:
        return None
    fields = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness" if business.address_lines or hours else "Organization",
        "name": business.name,
        "url": address and address + "/",
        "description": business.description or business.strapline,
        "telephone": business.phone,
        "email": business.email,
        "address": ", ".join(business.address_lines),
        "logo": _absolute(business.logo.src if business.logo else "", address),
        "image": _absolute(business.feature_image, address),
        "openingHoursSpecification": hours,
        "sameAs": [link.url for link in business.links],
    }
    return {name: value for name, value in fields.items() if value}


def _absolute(url: str, address: str) -> str:
    if url.startswith("/") and not url.startswith("//"):
        return address and address + url
    return url if url.startswith("http") else ""
