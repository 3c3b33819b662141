"""Structured data about a business for search engines (schema.org)."""

from typing import Any

from sitewright.sites.publishing.views import Business


def linked_data(business: Business, address: str) -> dict[str, Any] | None:
    """Build the JSON-LD object; None where the profile has no business name."""
    if not business.name:
        return None
    fields = {
        "@context": "https://schema.org",
        "@type": "LocalBusiness" if business.address_lines else "Organization",
        "name": business.name,
        "url": address and address + "/",
        "description": business.description or business.strapline,
        "telephone": business.phone,
        "email": business.email,
        "address": ", ".join(business.address_lines),
        "logo": _absolute(business.logo.src if business.logo else "", address),
        "image": _absolute(business.feature_image, address),
        "sameAs": [link.url for link in business.links],
    }
    return {name: value for name, value in fields.items() if value}


def _absolute(url: str, address: str) -> str:
    if url.startswith("/") and not url.startswith("//"):
        return address and address + url
    return url if url.startswith("http") else ""
