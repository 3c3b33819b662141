"""The service's own host names on the site listener, so that one machine needs no reverse proxy.

Over https they get the API and its pages, from this process; over http a redirect to https. Challenges of certificate
authorities and all other host names go to the sites.
"""

from sitewright.edge import acme_challenges
from sitewright.edge.app import SiteListener
from sitewright.edge.redirects import HTTPS_PORT
from sitewright.edge.request import RequestReader
from sitewright.edge.response import redirect
from sitewright.kit.http.asgi import HttpApp, HTTPScope, Ready, Receive, Send
from sitewright.kit.resources import Resources


class OwnHosts:
    def __init__(self, sites: SiteListener, service: HttpApp, resources: Resources) -> None:
        self._sites = sites
        self._service = service
        self._hosts = frozenset(resources.settings.acme_own_hosts)
        port = resources.settings.site_public_tls_port
        self._port = "" if port == HTTPS_PORT else f":{port}"
        has_proxies = bool(resources.settings.trusted_proxies)
        self._request_reader = RequestReader(resources.proxies, has_proxies=has_proxies)

    async def __call__(self, scope: HTTPScope, receive: Receive, send: Send) -> None:
        request = self._request_reader.read(scope)
        is_own = request.host is not None and request.host.name in self._hosts
        if request.host is None or not is_own or request.raw_path.startswith(acme_challenges.PREFIX):
            await self._sites(scope, receive, send)
        elif request.is_https:
            await self._service(scope, receive, send)
        else:
            location = f"https://{request.host.name}{self._port}{request.target}"
            response = redirect(301 if request.is_read else 308, location)
            await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
            await send({"type": "http.response.body", "body": b""})

    def cached_response(self, scope: HTTPScope, headers: dict[bytes, bytes]) -> Ready | None:
        """Only responses of sites are cached."""
        return self._sites.cached_response(scope, headers)
