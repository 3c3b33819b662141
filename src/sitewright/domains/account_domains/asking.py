"""Asking the registrar before a domain is ordered, so that a caller hears at once that a name is taken."""

import asyncio
import logging

import msgspec

from sitewright.domains.account_domains import checks, registrars, store
from sitewright.domains.account_domains.requests import NewAccountDomain
from sitewright.kit.hosts import normalise
from sitewright.kit.resources import Resources

ANSWER_SECONDS = 5
_log = logging.getLogger("sitewright.domains")


async def is_available(resources: Resources, brand_ref: int | None, new: NewAccountDomain) -> bool | None:
    """None when it cannot be told: because of what was sent, or because the registrar does not answer in time."""
    try:
        domain = normalise(new.domain_name)
    except ValueError:
        return None
    async with resources.database.transaction(brand_ref) as tx:
        product = await checks.find_product(tx, msgspec.structs.asdict(new))
        is_free_soon = await store.is_being_released(tx, domain)
    if product is None or is_free_soon:
        return None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await registrars.registrar_of(product.class_name).is_available(resources, domain)
    except Exception as trouble:  # the order is taken all the same: the worker asks until it has an answer
        _log.warning("whether a domain is available: %r", trouble)
        return None
