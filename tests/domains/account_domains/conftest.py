"""Account holders who buy domains, a registrar with scripted failures, and the worker's jobs on request."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest

from sitewright.domains.account_domains import registrars
from sitewright.domains.account_domains.registrars import Holder, Registration
from sitewright.kit.resources import Resources
from tests.accounts.account_packages.conftest import MakeUser, ledger, user
from tests.support.cast import OWN_BRAND
from tests.support.packages import DOMAIN
from tests.support.queued import Worker
from tests.support.responses import items_in, object_in
from tests.support.users import OwnerConnection

__all__ = ["MakeUser", "ledger", "user"]
CLASS_NAME = "ExampleRegistry"
"""Of the supplier of the demo's domains."""


@pytest.fixture
def worker(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Worker:
    return Worker(owner_connection, resources)


class ScriptedRegistrar:
    """Records every registration, and raises the error that a test sets."""

    def __init__(self) -> None:
        self.registered: dict[str, Registration] = {}
        self.holders: dict[int, Holder] = {}
        self.error: Exception | None = None
        self.during_call: Callable[[], Awaitable[Any]] | None = None
        self.taken: set[str] = set()

    async def is_available(self, _resources: Resources, domain: str) -> bool:
        await self._run_script()
        return domain not in self.taken

    async def register(self, _resources: Resources, registration: Registration, holder: Holder) -> None:
        await self._run_script()
        self.registered[registration.domain] = registration
        self.holders[registration.account_domain_ref] = holder

    async def renew(self, _resources: Resources, registration: Registration) -> None:
        await self._run_script()
        self.registered[registration.domain] = registration

    async def release(self, _resources: Resources, registration: Registration) -> None:
        await self._run_script()
        self.registered.pop(registration.domain, None)

    async def publish_ds(self, _resources: Resources, registration: Registration, ds: Sequence[str]) -> None:
        """Nothing here is about DNSSEC."""

    async def erase_holder(self, _resources: Resources, registration: Registration) -> None:
        self.holders.pop(registration.account_domain_ref, None)

    async def _run_script(self) -> None:
        if self.during_call is not None:
            callback, self.during_call = self.during_call, None
            await callback()
        if self.error is not None:
            raise self.error


@pytest.fixture
def registrar() -> Iterator[ScriptedRegistrar]:
    """Replaces the built-in one."""
    scripted = ScriptedRegistrar()
    registrars.add(CLASS_NAME, scripted)
    yield scripted
    registrars.remove(CLASS_NAME)


async def order(client: httpx.AsyncClient, user_ref: int, name: str = "joes-bakery.com", **body: Any) -> httpx.Response:
    return await client.post(
        f"/users/{user_ref}/account-domains", json={"domainName": name, "packageRef": DOMAIN} | body
    )


async def buy(client: httpx.AsyncClient, user_ref: int, name: str = "joes-bakery.com", **body: Any) -> int:
    ref: int = object_in(await order(client, user_ref, name, **body), "accountDomain", 201)["ref"]
    return ref


async def get_domain(client: httpx.AsyncClient, ref: int) -> dict[str, Any]:
    return object_in(await client.get(f"/account-domains/{ref}"), "accountDomain")


async def listed(client: httpx.AsyncClient, user_ref: int) -> list[dict[str, Any]]:
    return items_in(await client.get(f"/users/{user_ref}/account-domains"), "accountDomains")


async def registered_names(owner: OwnerConnection) -> dict[str, str]:
    """The built-in registrar's names, and until when each is registered."""
    rows = await owner.fetch("select domain, expires_at from registered_domains where brand_ref = $1", OWN_BRAND)
    return {row["domain"]: f"{row['expires_at']:%Y-%m-%d}" for row in rows}
