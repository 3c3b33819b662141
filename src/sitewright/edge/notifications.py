"""Invalidate the caches when the database notifies of changed sites and certificates."""

from sitewright.edge.certificate_cache import CertificateCache
from sitewright.edge.site_cache import SiteCache
from sitewright.kit.db import Database
from sitewright.kit.listener import Listener
from sitewright.kit.replicas.position import NotifiedPosition

SITES, CERTIFICATES = "sitewright_sites", "sitewright_certificates"


class CacheInvalidator:
    """Forwards notifications to the caches that they invalidate; from then on, older replicas are not read from."""

    def __init__(self, sites: SiteCache, certificates: CertificateCache, position: NotifiedPosition) -> None:
        self._sites = sites
        self._certificates = certificates
        self._position = position

    async def run(self, database: Database) -> None:
        """Run for the life of the process."""
        await Listener(database, (SITES, CERTIFICATES), "edge", self._on_notification, self._on_connection).run()

    def _on_notification(self, channel: str, payload: str) -> None:
        """Handle one notification; mapping or unmapping a host also invalidates its certificate."""
        self._position.on_notification()
        if channel == SITES:
            self._sites.on_notification(payload)
            payload = payload.partition(" ")[2]
        if payload:
            self._certificates.on_notification(payload)

    def _on_connection(self, is_open: bool) -> None:
        """Once connected again, everything is stale: changes in between were not notified."""
        if is_open:
            self._position.on_notification()
            self._certificates.expire_all()
            self._sites.expire_all()
