"""Cross-site request forgery: browsers send remembered Basic credentials along with forms of other sites' pages.

A browser says where a request comes from (`Sec-Fetch-Site`, `Origin`) and lets no page change what it says; programs
say nothing. OAuth signatures are made for one request, so no page can borrow them.
"""

from urllib.parse import urlsplit

from sitewright.kit.http.call import Incoming
from sitewright.kit.problems import Forbidden

READS = ("GET", "HEAD")
OWN_SITES = ("same-origin", "none")
"""What `Sec-Fetch-Site` says of our own pages and of the address bar. `same-site` is foreign: customers' sites live
below the brand's domain."""
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class CrossSiteRequest(Forbidden):
    code = "crossSiteRequest"
    title = "This call came from another site's page"
    detail = (
        "A browser made this call for a page of another site, with remembered Basic credentials. Nothing was changed."
        " Call from a program, without Origin and Sec-Fetch-Site headers, or sign the call with OAuth 1.0a."
    )


def refuse_cross_site(incoming: Incoming, public_url: str) -> None:
    """Refuse a Basic call that would change something for a page of another site.

    It comes before authentication: such a page learns nothing about the credentials, and neither costs argon2 nor uses
    up anybody's rate limit.
    """
    scheme = incoming.headers.get("authorization", "").partition(" ")[0].lower()
    if scheme == "basic" and incoming.trace.method not in READS and is_cross_site(incoming, public_url):
        raise CrossSiteRequest


def is_cross_site(incoming: Incoming, public_url: str) -> bool:
    """Whether a browser says so in either header. `Origin: null` is foreign: nobody knows whose page it was."""
    site, origin = incoming.headers.get("sec-fetch-site"), incoming.headers.get("origin")
    if site is not None and site not in OWN_SITES:
        return True
    return origin is not None and origin.lower() not in own_origins(incoming, public_url)


def own_origins(incoming: Incoming, public_url: str = "") -> set[str]:
    """The service's origins, as browsers write them: where this request went, and `public_url`."""
    public = urlsplit(public_url)
    return {
        _origin(incoming.origin.scheme, incoming.origin.host),
        *([_origin(public.scheme, public.netloc)] if public_url else []),
    }


def _origin(scheme: str, host: str) -> str:
    return f"{scheme}://{host.removesuffix(DEFAULT_PORTS.get(scheme, ''))}".lower()
