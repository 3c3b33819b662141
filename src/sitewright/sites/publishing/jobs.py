"""Delete old snapshots: the newest ones and the current one are kept."""

import msgspec

from sitewright.kit.jobs import JobKind
from sitewright.kit.resources import Resources
from sitewright.sites.publishing import store
from sitewright.sites.sites import service as sites

KEPT_VERSIONS = 50


class Snapshots(msgspec.Struct, frozen=True):
    """The site whose snapshots are pruned."""

    brand_ref: int
    site_ref: int


async def prune_snapshots(of: Snapshots, resources: Resources) -> None:
    async with resources.database.transaction(of.brand_ref) as tx:
        await sites.lock_row(tx, of.site_ref)  # so that no roll-back makes a snapshot current that is being deleted
        await store.delete_versions(tx, of.site_ref, KEPT_VERSIONS)


PRUNE = JobKind("prune-snapshots", Snapshots, prune_snapshots)
