"""Where a reseller has its users do what they would do here."""

from urllib.parse import urlsplit

from sitewright.kit.links import check_link
from sitewright.web.account.store import PackageRow
from sitewright.web.account.visits import Visit
from sitewright.web.login.service import ACCOUNT


def account_elsewhere(visit: Visit) -> str | None:
    """The reseller's own account pages. None where it has none, or where they are these very pages."""
    url = "" if visit.reseller is None else visit.reseller.external_account_url
    if not url or (urlsplit(url).netloc.lower(), urlsplit(url).path) == (visit.incoming.origin.host.lower(), ACCOUNT):
        return None
    return check_link(url)


def package_links(visit: Visit, package: PackageRow | None) -> dict[str, str]:
    """Where the reseller has packages bought, subscriptions looked after and cancelled, by what the pages call it."""
    look = visit.reseller
    if look is None:
        return {}
    links = {"to_payment": look.external_payment_url, "to_subscription": look.external_subscription_url}
    if package is not None and (package.price or package.is_trial):
        links["to_cancellation"] = look.external_payment_cancellation_url
    return {text: check_link(url) for text, url in links.items() if url}
