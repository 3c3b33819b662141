"""Customers for the fuzzer to use. Its calls delete and anonymize them, so they are continuously replaced."""

import asyncio
import itertools
import random
from collections.abc import Mapping
from typing import Any

import httpx

from sitewright.kit.db import Database
from tests.fuzz.customers import Values, create_customer

ROOM = 4


class Stock:
    """The newest customers of one brand, created by `client`, the brand's operator."""

    def __init__(self, client: httpx.AsyncClient, database: Database, brand: Values) -> None:
        self._client, self._database, self._brand = client, database, brand
        self._numbers = itertools.count(1)
        self._customers: list[Values] = []
        self._loop = asyncio.get_running_loop()

    async def fill(self) -> None:
        for _ in range(ROOM):
            await self._add()

    def pick(self, chance: random.Random) -> Values:
        return chance.choice(self._customers)

    def renew(self) -> None:
        """Replace the oldest customer by a new one. For the fuzzer's own threads."""
        asyncio.run_coroutine_threadsafe(self._add(), self._loop).result()

    def replace_customer_of(self, refs: Mapping[str, Any]) -> None:
        """Replace the customer that `refs` belong to, since a request deleted or changed it."""
        left = [each for each in self._customers if not any(each.get(name) == ref for name, ref in refs.items())]
        if left != self._customers:
            self._customers = left
            self.renew()

    async def _add(self) -> None:
        customer = await create_customer(self._client, self._database, self._brand, next(self._numbers))
        self._customers = [*self._customers, customer][-ROOM:]
