"""When callers were last used: collected in memory, and written some seconds later, not by the requests themselves."""

from sitewright.kit import clock
from sitewright.kit.auth import store
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Database


class Uses:
    def __init__(self) -> None:
        self._names: set[str] = set()

    def add(self, caller: Caller) -> None:
        self._names.add(caller.name)

    async def write(self, database: Database) -> None:
        """The uses since the last call. They stay collected if the database is unavailable."""
        names = set(self._names)
        if not names:
            return
        async with database.connection() as connection:
            await store.record_uses(connection, _refs(names, "credential:"), _refs(names, "operator:"), clock.now())
        self._names -= names


def _refs(names: set[str], kind: str) -> list[int]:
    return sorted(int(name.removeprefix(kind)) for name in names if name.startswith(kind))
