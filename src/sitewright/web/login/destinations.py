"""Where a log-in leads: where `r` points, if the brand allows it, else to the site: its picker, editor or page."""

from urllib.parse import quote

import msgspec

from sitewright.kit.links import check_link, host_of
from sitewright.kit.origin import Origin
from sitewright.sites.sites.service import Site
from sitewright.tenants.brands.schemas import BrandSettings
from sitewright.web.login.errors import TargetNotAllowed

ACCOUNT = "/account"
LOG_IN = "/login"
TEMPLATE_PICKER = "/template-picker/"
SITE_REF = "{siteRef}"
_OURSELVES = "http://ourselves"


class Target(msgspec.Struct, frozen=True):
    """A place that `r` points to."""

    location: str
    host: str | None
    """None: this service's own."""


def read_target(r: str, origin: Origin) -> Target:
    """Refuses what is malformed; whether a host that is not our own may be named is for `check_target`."""
    address = r.replace(" ", "%20")
    try:
        if address.startswith("/") and not address.startswith("//"):
            return Target(check_link(_OURSELVES + address).removeprefix(_OURSELVES), None)
        location = check_link(_with_scheme(address, origin.scheme))
        host = host_of(location)
    except ValueError:
        raise TargetNotAllowed from None
    return Target(location, None if host == own_host(origin) else host)


def check_target(target: Target, brand: BrandSettings) -> None:
    if target.host is None:
        return
    if target.host not in {(brand.domain or "").lower(), *(host.lower() for host in brand.allowed_link_hosts)}:
        raise TargetNotAllowed


def destination(target: Target | None, brand: BrandSettings, site: Site | None) -> str:
    """Where an account holder of `brand` goes after the log-in; a site without a template gets one first."""
    if target is not None:
        check_target(target, brand)
        return target.location
    if site is not None and site.template_ref is None:
        return f"{TEMPLATE_PICKER}?siteRef={site.ref}"
    site_ref = None if site is None else site.ref
    return editor_of(brand, site_ref) or (ACCOUNT if site_ref is None else f"{ACCOUNT}/sites/{site_ref}")


def editor_of(brand: BrandSettings, site_ref: int | None) -> str | None:
    """Where the brand has its sites edited; None where it names no place, or one for a site that is not known."""
    if not brand.editor_url or (site_ref is None and SITE_REF in brand.editor_url):
        return None
    return filled_in(brand.editor_url, site_ref)


def filled_in(url: str, site_ref: int | None) -> str:
    """An address of the brand's, with `{siteRef}` in it replaced."""
    return quote(url.replace(SITE_REF, str(site_ref)), safe="%:/?#[]@!$&'()*+,;=~")


def own_host(origin: Origin) -> str | None:
    """The host that the request was sent to, without its port."""
    try:
        return host_of(f"http://{origin.host}")
    except ValueError:
        return None


def _with_scheme(address: str, scheme: str) -> str:
    """`//host/path` and `host/path` go on as the request came: over http or https."""
    if address.lower().startswith(("http://", "https://")):
        return address
    return f"{scheme}:{address}" if address.startswith("//") else f"{scheme}://{address}"
