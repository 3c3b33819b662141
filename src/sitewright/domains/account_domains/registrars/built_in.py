"""The built-in registrar: its register is a table in which a name is unique across all brands."""

from collections.abc import Sequence

from sitewright.domains.account_domains.registrars import store
from sitewright.domains.account_domains.registrars.interface import Holder, RegistrarRefused, Registration
from sitewright.kit import clock
from sitewright.kit.resources import Resources


class BuiltInRegistrar:
    """Stores nothing about holders: the account domain has its holder."""

    async def is_available(self, resources: Resources, domain: str) -> bool:
        async with resources.database.connection() as connection:
            return not await store.is_registered(connection, domain)

    async def register(self, resources: Resources, registration: Registration, _holder: Holder) -> None:
        async with resources.database.transaction(registration.brand_ref) as tx:
            if not await store.register(tx, registration, clock.now()):
                raise RegistrarRefused("The name is registered for another holder.")

    async def renew(self, resources: Resources, registration: Registration) -> None:
        async with resources.database.transaction(registration.brand_ref) as tx:
            if not await store.renew(tx, registration):
                raise RegistrarRefused("The name is not registered here.")

    async def release(self, resources: Resources, registration: Registration) -> None:
        async with resources.database.transaction(registration.brand_ref) as tx:
            await store.release(tx, registration)

    async def publish_ds(self, resources: Resources, registration: Registration, ds: Sequence[str]) -> None:
        async with resources.database.transaction(registration.brand_ref) as tx:
            await store.set_ds(tx, registration, ds)

    async def erase_holder(self, _resources: Resources, _registration: Registration) -> None:
        """There is nothing to erase."""
