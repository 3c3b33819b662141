"""Checks with the registrar whether a name is available, so that an order for a taken name fails at once."""

import asyncio
import logging

import msgspec

from sitewright.domains.account_domains import checks, registrars, store
from sitewright.domains.account_domains.requests import NewAccountDomain
from sitewright.kit.hosts import normalize
from sitewright.kit.resources import Resources
from sitewright.tenants.brands.clock import service as brand_clock
from sitewright.tenants.brands.errors import BrandNotFound

TIMEOUT_SECONDS = 5
_log = logging.getLogger("sitewright.domains")


async def is_available(resources: Resources, brand_ref: int | None, new: NewAccountDomain) -> bool | None:
    """None when it is unknown: the request is invalid, or the registrar did not respond before the timeout."""
    try:
        domain = normalize(new.domain_name)
    except ValueError:
        return None
    async with resources.database.transaction(brand_ref) as tx:
        product = await checks.find_product(tx, msgspec.structs.asdict(new))
        is_being_released = await store.is_being_released(tx, domain)
        try:
            is_test = (await brand_clock.read(tx)).test_mode
        except BrandNotFound:  # it has no account holders either, which is what the response says
            return None
    if product is None or is_being_released:
        return None
    try:
        async with asyncio.timeout(TIMEOUT_SECONDS):
            registrar = registrars.registrar_of(product.class_name, is_test=is_test)
            return await registrar.is_available(resources, domain)
    except Exception as error:  # the order is accepted anyway: the worker retries until the registrar responds
        _log.warning("the availability of a domain is unknown: %r", error)
        return None
