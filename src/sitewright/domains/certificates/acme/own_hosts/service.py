"""One certificate for all own host names, maintained like those of customers, under a brand ref that no brand has."""

from collections.abc import Sequence

from sitewright.domains.certificates.acme import store as groups_store
from sitewright.domains.certificates.acme.groups import SERVICE
from sitewright.domains.certificates.acme.own_hosts import store
from sitewright.domains.certificates.acme.store import GroupHost
from sitewright.domains.certificates.service import ValidCertificate, key_context
from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.settings import Settings


def hosts_of(settings: Settings, name: str) -> list[GroupHost]:
    """Empty for the group of names that are no longer set."""
    own = settings.acme_own_hosts
    return [GroupHost(host, None, None, True, True) for host in own] if own and own[0] == name else []


async def ensure_due(resources: Resources) -> None:
    """The group exists once the setting names hosts; when they change, or it was given up, it is due again."""
    own = resources.settings.acme_own_hosts
    if not own:
        return
    now = clock.now()
    async with resources.database.transaction(SERVICE) as tx:
        if not await groups_store.covers(tx, own[0], own):
            await groups_store.make_due(tx, own[0], now, now, is_wildcard=False)


async def save(tx: Transaction, sealer: Sealer, certificate: ValidCertificate, names: Sequence[str]) -> None:
    sealed = sealer.seal(certificate.key, key_context(SERVICE, names[0]))
    validity = certificate.not_before, certificate.not_after
    await store.save(tx, names[0], names, certificate.chain, sealed, validity)
    await store.delete_others(tx, names[0])
