"""Inserts the lifecycle events and charges that billing reports are made from."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from sitewright.accounts.billing.reports.service import Report, make_report
from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OWN_BRAND
from tests.support.packages import FREE, PRO, USD
from tests.support.users import OwnerConnection, assign_package, insert, make_user


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


class Books:
    def __init__(self, owner: OwnerConnection, resources: Resources) -> None:
        self._owner = owner
        self._resources = resources
        self._users = 0

    async def zone(self, name: str) -> None:
        await self._owner.execute("update brands set time_zone = $2 where brand_ref = $1", OWN_BRAND, name)

    async def user(self, **columns: Any) -> int:
        """Create a user who has had the free package since the beginning of 2026."""
        self._users += 1
        user_ref = await make_user(
            self._owner, self._resources, password=None, username=f"user {self._users}", created_at=utc("2026-01-01")
        )
        await self._owner.execute("delete from account_packages where user_ref = $1", user_ref)
        await self.holds(user_ref, FREE, "2026-01-01", None)
        for column, value in columns.items():
            await self._owner.execute(f"update users set {column} = $2 where ref = $1", user_ref, value)
        return user_ref

    async def holds(self, user_ref: int, package_ref: int, since: str, until: str | None, **columns: Any) -> int:
        """Assign a package for a time. A subscription ends the one before."""
        ref = await assign_package(
            self._owner,
            OWN_BRAND,
            user_ref,
            package_ref,
            started_at=utc(since),
            ended_at=until and utc(until),
            **columns,
        )
        if columns.get("is_subscription", True):
            await self._owner.execute(
                "update account_packages set ended_at = $3 where user_ref = $1 and ref <> $2 and ended_at > $3",
                user_ref,
                ref,
                utc(since),
            )
        return ref

    async def event(self, kind: str, at: str, package_ref: int | None, user_ref: int = 1, **columns: Any) -> int:
        row = {"brand_ref": OWN_BRAND, "user_ref": user_ref, "kind": kind, "package_ref": package_ref, "at": utc(at)}
        return await insert(self._owner, "lifecycle_events", row | columns)

    async def charge(self, amount: str, since: str, until: str, package_ref: int = PRO, **columns: Any) -> int:
        row = {
            "brand_ref": OWN_BRAND,
            "user_ref": 1,
            "event_ref": await self.event("renewal", since, package_ref),
            "account_package_ref": 1,
            "package_ref": package_ref,
            "currency_ref": USD,
            "amount": Decimal(amount),
            "billing_period_months": 1,
            "period_starts_at": utc(since),
            "period_ends_at": utc(until),
            "at": utc(since),
        }
        return await insert(self._owner, "charges", row | columns)

    async def report(self, first: str | None, last: str | None) -> Report:
        days = [None if day is None else datetime.fromisoformat(day).date() for day in (first, last)]
        async with self._resources.database.transaction(OWN_BRAND) as tx:
            return await make_report(tx, days[0], days[1], lambda _done, _steps: None)


@pytest.fixture
def books(owner_connection: OwnerConnection, resources: Resources, clean: None) -> Books:
    """The clock is set to the end of 2026."""
    clock.shift((utc("2026-12-31") - clock.real_now()).total_seconds())
    return Books(owner_connection, resources)
