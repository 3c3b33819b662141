"""What search engines are told of a business, in the words of schema.org."""

from typing import Any

from sitewright.sites.publishing.views import Business


def linked_data(business: Business, address: str) -> dict[str, Any] | None:
    """None where the profile names no business."""
    if not business.name:
        return None
    told = {
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
    return {name: value for name, value in told.items() if value}


def _absolute(url: str, address: str) -> str:
    if url.startswith("/") and not url.startswith("//"):
        return address and address + url
    return url if url.startswith("http") else ""
