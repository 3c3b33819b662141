"""Statistics of visits: what the edge servers counted, by day in the brand's zone."""

from collections.abc import Mapping
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from sitewright.accounts.account_packages import service as account_packages
from sitewright.edge.statistics import store
from sitewright.edge.statistics.errors import StatisticsNotInPackage
from sitewright.edge.statistics.schemas import KEPT_DAYS, LISTED, Day, PageViews, Referrer, Statistics
from sitewright.edge.statistics.store import Key, Views
from sitewright.kit import clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Database, Transaction
from sitewright.kit.jobs import Schedule
from sitewright.kit.pruning import prune_in_batches
from sitewright.kit.resources import Resources
from sitewright.sites.sites import service as sites
from sitewright.sites.sites.service import Site
from sitewright.tenants.brands import service as brands

CAPABILITY = "siteAnalytics"
Counts = dict[Key, Views]

__all__ = [
    "CAPABILITY",
    "SCHEDULES",
    "Counts",
    "Day",
    "StatisticsNotInPackage",
    "Views",
    "add",
    "erase_user",
    "is_included",
    "read",
]


async def add(database: Database, brand_ref: int, counts: Mapping[Key, Views]) -> None:
    """Add what an edge server counted. Sites whose package has no statistics are left out."""
    async with database.transaction(brand_ref) as tx:
        await store.add(tx, clock.now(), counts)


async def is_included(tx: Transaction, site: Site) -> bool:
    return (await account_packages.capabilities_of(tx, site.user_ref))[CAPABILITY] > 0


async def read(tx: Transaction, caller: Caller, site_ref: int, days: int) -> Statistics:
    site = await sites.find_site(tx, caller, site_ref)
    if not await is_included(tx, site):
        raise StatisticsNotInPackage
    zone = ZoneInfo((await brands.settings_of_brand(tx)).time_zone)
    today = clock.now().astimezone(zone).date()
    first = today - timedelta(days=days - 1)
    counted = await store.by_day(tx, site_ref, first)
    listed = [_day(first + timedelta(days=number), counted) for number in range(days)]
    pages = await store.most(tx, site_ref, "page", first, LISTED)
    referrers = await store.most(tx, site_ref, "referrer", first, LISTED)
    return Statistics(
        visits=sum(day.visits for day in listed),
        views=sum(day.views for day in listed),
        days=listed,
        pages=[PageViews(path, visits, views) for path, views, visits in pages],
        referrers=[Referrer(host, visits) for host, _, visits in referrers],
    )


def _day(day: date, counted: Mapping[date, Views]) -> Day:
    views = counted.get(day, Views())
    return Day(day.isoformat(), views.visits, views.views)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    """Delete the statistics of an anonymized user's sites: names of pages may say who it was."""
    await store.delete_of_user(tx, user_ref)


async def prune(resources: Resources) -> None:
    older_than = (clock.now() - timedelta(days=KEPT_DAYS)).date()
    await prune_in_batches(resources.database, lambda tx, limit: store.prune(tx, older_than, limit))


SCHEDULES = [Schedule("prune-statistics", "41 3 * * *", prune)]
