"""Redirects of a site: log-in, https, primary domain."""

from urllib.parse import parse_qsl, quote

from sitewright.edge.request import Host, SiteRequest
from sitewright.edge.response import Response, redirect
from sitewright.edge.store import Site
from sitewright.kit.validation.bodies import MAX_FORM_FIELDS
from sitewright.settings import Settings

HASH = b"hash="
HTTPS_PORT = 443


def redirect_for(request: SiteRequest, site: Site, host: Host, settings: Settings) -> Response | None:
    """Redirect to log-in, https or the primary domain, in this order; None when no redirect applies."""
    if HASH in request.query and (secret := log_in_hash(request)):
        return _to_log_in(request, settings.service_url, secret)
    if site.protocol == "https" and not request.is_https:
        return _to_https(request, host, settings.site_tls_port)
    if site.redirect_to_primary and site.primary_domain not in (None, host.name):
        return _to_primary(request, host, f"{site.primary_domain}")
    return None


def moved_permanently(request: SiteRequest, location: str) -> Response:
    """Redirect permanently; 308 keeps the method of requests other than GET and HEAD."""
    request.route = "redirect"
    return redirect(301 if request.is_read else 308, location)


def base_url(request: SiteRequest, site: Site, host: Host) -> str:
    """Return the site's canonical URL. With an explicit port it has the request's scheme, else the site's protocol."""
    protocol = _scheme(request) if host.port else site.protocol
    return f"{protocol}://{site.primary_domain or host.name}{host.port}"


def log_in_hash(request: SiteRequest) -> str | None:
    """Return the log-in hash from the query of the site's home page."""
    if request.raw_path != b"/" or not request.is_read or request.query.count(b"&") >= MAX_FORM_FIELDS:
        return None
    pairs = parse_qsl(request.query.decode("latin-1"), errors="replace")
    return next((value for name, value in pairs if name == "hash"), None)


def _to_log_in(request: SiteRequest, service_url: str, secret: str) -> Response:
    """Redirect to the service's log-in page, which consumes the hash."""
    request.route = "login"
    return redirect(303, f"{service_url}/login?hash={quote(secret, safe='')}", is_secret=True)


def _to_https(request: SiteRequest, host: Host, tls_port: int) -> Response:
    """Redirect to https; an explicit port means that there is no proxy, so our own TLS port is used."""
    port = f":{tls_port}" if host.port and tls_port != HTTPS_PORT else ""
    return moved_permanently(request, f"https://{host.name}{port}{request.target}")


def _to_primary(request: SiteRequest, host: Host, primary: str) -> Response:
    return moved_permanently(request, f"{_scheme(request)}://{primary}{host.port}{request.target}")


def _scheme(request: SiteRequest) -> str:
    return "https" if request.is_https else "http"
