"""When callers were last used: collected in memory, and written some seconds later, not by the requests themselves."""

from sitewright.kit import clock
from sitewright.kit.auth import store
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Database

Used = tuple[int | None, str]
"""A caller's brand and name."""


class Uses:
    def __init__(self) -> None:
        self._callers: set[Used] = set()

    def add(self, caller: Caller) -> None:
        self._callers.add((caller.brand_ref, caller.name))

    async def write(self, database: Database) -> None:
        """The uses since the last call. They stay collected if the database is unavailable."""
        callers = set(self._callers)
        if not callers:
            return
        operators = [ref for _brand, ref in _refs(callers, "operator:")]
        async with database.connection() as connection:
            await store.record_uses(connection, _refs(callers, "credential:"), operators, clock.now())
        self._callers -= callers


def _refs(callers: set[Used], kind: str) -> list[tuple[int | None, int]]:
    """Brands and refs: those of API credentials may repeat in imported brands."""
    return [(brand_ref, int(name.removeprefix(kind))) for brand_ref, name in callers if name.startswith(kind)]
