"""Where a log-in redirects to: the target `r` if the brand allows it, else the site's picker, editor or page."""

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
    """The redirect target in `r`."""

    location: str
    host: str | None
    """None: the service's own host."""


def log_in_path(brand_ref: int | None, back: str | None = None) -> str:
    """The log-in page of a brand, since the host alone does not say which brand's it is, and the page to return to."""
    parameters = [] if back is None else [f"r={quote(back, safe='/')}"]
    if brand_ref is not None:
        parameters.append(f"brandRef={brand_ref}")
    return f"{LOG_IN}?{'&'.join(parameters)}" if parameters else LOG_IN


def read_target(r: str, origin: Origin) -> Target:
    """Parse a target and reject malformed ones; `check_target` verifies that its host is allowed."""
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
    """Return the redirect after log-in; a site without a template leads to the template picker."""
    if target is not None:
        check_target(target, brand)
        return target.location
    if site is not None and site.template_ref is None:
        return f"{TEMPLATE_PICKER}?siteRef={site.ref}"
    site_ref = None if site is None else site.ref
    return editor_of(brand, site_ref) or (ACCOUNT if site_ref is None else f"{ACCOUNT}/sites/{site_ref}")


def editor_of(brand: BrandSettings, site_ref: int | None) -> str | None:
    """Return the URL of the brand's editor; None without one, or where it needs a site and none is known."""
    if not brand.editor_url or (site_ref is None and SITE_REF in brand.editor_url):
        return None
    return expand_site_ref(brand.editor_url, site_ref)


def expand_site_ref(url: str, site_ref: int | None) -> str:
    """Replace `{siteRef}` in a URL of the brand."""
    return quote(url.replace(SITE_REF, str(site_ref)), safe="%:/?#[]@!$&'()*+,;=~")


def own_host(origin: Origin) -> str | None:
    """Return the host of the request, without its port."""
    try:
        return host_of(f"http://{origin.host}")
    except ValueError:
        return None


def _with_scheme(address: str, scheme: str) -> str:
    """Add the request's scheme to `//host/path` and `host/path`."""
    if address.lower().startswith(("http://", "https://")):
        return address
    return f"{scheme}:{address}" if address.startswith("//") else f"{scheme}://{address}"
