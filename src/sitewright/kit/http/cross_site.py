"""Protection against cross-site request forgery (CSRF) with the Basic credentials that a browser has stored.

Browsers send `Sec-Fetch-Site` and `Origin`, which no page can change; other clients send neither. An OAuth signature
is valid for one request only, so a page cannot reuse it.
"""

from urllib.parse import urlsplit

from sitewright.kit.http.call import Request
from sitewright.kit.problems import Forbidden

READS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")
"""`Sec-Fetch-Site` of our own pages and of the address bar. `same-site` is foreign: customers' sites may be below the
brand's domain."""
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class CrossSiteRequest(Forbidden):
    code = "crossSiteRequest"
    title = "This call came from another site's page"
    detail = (
        "A browser made this call for a page of another site, with remembered Basic credentials. Nothing was changed."
        " Call from a program, without Origin and Sec-Fetch-Site headers, or sign the call with OAuth 1.0a."
    )


def refuse_cross_site(request: Request, public_url: str) -> None:
    """Reject a state-changing Basic request that a browser made for a page of another site.

    This precedes authentication: such a page learns nothing about the credentials, causes no password hashing, and does
    not use up the user's rate limit.
    """
    scheme = request.headers.get("authorization", "").partition(" ")[0].lower()
    if scheme == "basic" and request.context.method not in READS and is_cross_site(request, public_url):
        raise CrossSiteRequest


def is_cross_site(request: Request, public_url: str) -> bool:
    """Whether either header names another site. `Origin: null` counts as foreign, since its page is unknown."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None and site not in OWN_SITES:
        return True
    return origin is not None and origin.lower() not in own_origins(request, public_url)


def own_origins(request: Request, public_url: str = "") -> set[str]:
    """The service's origins, as browsers write them: that of this request's URL, and `public_url`."""
    public = urlsplit(public_url)
    return {
        _origin(request.origin.scheme, request.origin.host),
        *([_origin(public.scheme, public.netloc)] if public_url else []),
    }


def _origin(scheme: str, host: str) -> str:
    return f"{scheme}://{host.removesuffix(DEFAULT_PORTS.get(scheme, ''))}".lower()
