"""Where a site is reached, and where its addresses lead."""

from urllib.parse import parse_qsl, quote

from sitewright.edge.answer import Answer, redirect
from sitewright.edge.store import Site
from sitewright.edge.visit import Host, Visit
from sitewright.kit.validation.bodies import MAX_FORM_FIELDS
from sitewright.settings import Settings

HASH = b"hash="
HTTPS_PORT = 443


def elsewhere(visit: Visit, site: Site, host: Host, settings: Settings) -> Answer | None:
    """To log-in, to https or to the primary domain, in this order; None: the visitor stays."""
    if HASH in visit.query and (secret := log_in_hash(visit)):
        return _to_log_in(visit, settings.service_url, secret)
    if site.protocol == "https" and not visit.is_https:
        return _to_https(visit, host, settings.site_tls_port)
    if site.redirect_to_primary and site.primary_domain not in (None, host.name):
        return _to_primary(visit, host, f"{site.primary_domain}")
    return None


def moved(visit: Visit, location: str) -> Answer:
    """For good; whoever posts posts again there."""
    visit.route = "redirect"
    return redirect(301 if visit.is_read else 308, location)


def home_of(visit: Visit, site: Site, host: Host) -> str:
    """The one address of the site, for those who list it. A port that is named speaks what the visitor speaks on it."""
    protocol = _scheme(visit) if host.port else site.protocol
    return f"{protocol}://{site.primary_domain or host.name}{host.port}"


def log_in_hash(visit: Visit) -> str | None:
    """What somebody wants to log in with, who came to the site's own address."""
    if visit.raw_path != b"/" or not visit.is_read or visit.query.count(b"&") >= MAX_FORM_FIELDS:
        return None
    pairs = parse_qsl(visit.query.decode("latin-1"), errors="replace")
    return next((value for name, value in pairs if name == "hash"), None)


def _to_log_in(visit: Visit, service_url: str, secret: str) -> Answer:
    """The service's own page uses the hash up, or tells why it cannot."""
    visit.route = "login"
    return redirect(303, f"{service_url}/login?hash={quote(secret, safe='')}", is_secret=True)


def _to_https(visit: Visit, host: Host, tls_port: int) -> Answer:
    """Whoever names the port of the listener has nothing before it, and finds https on the other one."""
    port = f":{tls_port}" if host.port and tls_port != HTTPS_PORT else ""
    return moved(visit, f"https://{host.name}{port}{visit.rest}")


def _to_primary(visit: Visit, host: Host, primary: str) -> Answer:
    return moved(visit, f"{_scheme(visit)}://{primary}{host.port}{visit.rest}")


def _scheme(visit: Visit) -> str:
    return "https" if visit.is_https else "http"
