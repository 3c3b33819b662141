from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sitewright.kit.resources import Resources
from tests.support.ledger import Ledger
from tests.support.users import OwnerConnection, make_user

MakeUser = Callable[..., Awaitable[int]]


@pytest.fixture
def ledger(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Ledger:
    return Ledger(owner_connection, resources)


@pytest.fixture
def user(owner_connection: OwnerConnection, resources: Resources, clean: None) -> MakeUser:
    """Makes account holders, each with a username of its own."""
    made = 0

    async def make(brand_ref: int = 1, **columns: Any) -> int:
        nonlocal made
        made += 1
        columns = {"username": f"user{made}"} | columns
        return await make_user(owner_connection, resources, brand_ref, password=None, **columns)

    return make
