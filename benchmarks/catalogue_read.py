"""A long response: a signed GET of a brand's two hundred packages, compared with the same query in a bare handler."""

import asyncio

import asyncpg

from benchmarks.contest import Contestant, compete
from benchmarks.figures import Figure, Goal
from benchmarks.measurement import Measurement
from benchmarks.peer import running_peer
from benchmarks.service import Service
from benchmarks.signed_read import BRAND, signed_contestant

PACKAGES = 200
AGAINST_BARE = Goal(f"signed GET of {PACKAGES} packages / bare asyncpg + msgspec handler", 0.6)
PATH = f"/brands/{BRAND}/packages"


def measure(service: Service) -> list[Figure]:
    asyncio.run(_fill(service.database_url))
    with running_peer("bare", service, ready_path=PATH) as bare_url:
        signed, bare = compete("packages", signed_contestant(service, PATH), Contestant("bare", bare_url + PATH))
    return [signed.against(bare, AGAINST_BARE)]


async def _fill(database_url: str) -> None:
    """Copy one of the demo's packages, with its prices, until there are enough."""
    owner = await asyncpg.connect(database_url)
    try:
        async with owner.transaction():
            await owner.execute(COPY_PACKAGES, BRAND, PACKAGES)
            await owner.execute(COPY_PRICES, BRAND)
    finally:
        await owner.close()


COPY_PACKAGES = """
    insert into packages
    select (jsonb_populate_record(null::packages, to_jsonb(p) || jsonb_build_object(
               'key', 'copy-' || number, 'ref', nextval(pg_get_serial_sequence('packages', 'ref'))))).*
      from packages p, generate_series(1, $2 - (select count(*) from packages where brand_ref = $1)) number
     where p.brand_ref = $1 and p.key = 'pro'
"""
COPY_PRICES = """
    insert into package_prices (brand_ref, package_ref, currency_ref, billing_period_months, price, offer_price)
    select copy.brand_ref, copy.ref, x.currency_ref, x.billing_period_months, x.price, x.offer_price
      from packages copy join packages p on p.brand_ref = copy.brand_ref and p.key = 'pro'
      join package_prices x on x.package_ref = p.ref
     where copy.brand_ref = $1 and copy.key like 'copy-%'
"""

MEASUREMENT = Measurement(goals=[AGAINST_BARE], measure=measure)
