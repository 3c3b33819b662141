"""Addresses of the reference's pages about features and operations."""

from urllib.parse import quote

from sitewright.web.reference.examples.request import Operation

FEATURES = "/docs/api/"


def feature_href(feature: str) -> str:
    return FEATURES + quote(feature.replace("_", "-"))


def href_of(operation: Operation) -> str:
    """Pages for people are listed on the page of their feature; other operations have a page of their own."""
    if operation.is_for_browsers:
        return f"{feature_href(operation.feature)}#{operation.id}"
    return f"{feature_href(operation.feature)}/{operation.id}"
