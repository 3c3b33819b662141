"""Links to the account and payment pages of a reseller or brand."""

from urllib.parse import urlsplit

from sitewright.kit.links import check_link
from sitewright.web.account.page_request import PageRequest
from sitewright.web.account.store import PackageRow
from sitewright.web.login.service import ACCOUNT


def external_account_url(request: PageRequest) -> str | None:
    """Return the URL of the reseller's own account pages; None where it has none, or where they are these pages."""
    url = "" if request.reseller is None else request.reseller.external_account_url
    if not url or (urlsplit(url).netloc.lower(), urlsplit(url).path) == (
        request.http_request.origin.host.lower(),
        ACCOUNT,
    ):
        return None
    return check_link(url)


def package_links(request: PageRequest, package: PackageRow | None) -> dict[str, str]:
    """Return the URLs for payment, subscription and cancellation by text key: those of the reseller, or of the brand.

    A reseller's users never get the brand's, where they would not be known.
    """
    seller = request.brand if request.reseller is None else request.reseller
    links = {"to_payment": seller.external_payment_url, "to_subscription": seller.external_subscription_url}
    if package is not None and (package.price or package.is_trial):
        links["to_cancellation"] = seller.external_payment_cancellation_url
    return {text: check_link(url) for text, url in links.items() if url}
