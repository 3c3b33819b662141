"""A brand's figures computed from its rows row by row, for the end of each day, unlike the service does it."""

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from tests.support.users import OwnerConnection

PUBLISHED = "live and enabled and version_ref is not null and deleted_at is null"


class Expected(msgspec.Struct):
    users: dict[int, Any]
    subscriptions: list[Any]
    charges: list[Any]
    published: int
    failing_addresses: int
    zone: ZoneInfo

    def end_of(self, day: date) -> datetime:
        return datetime.combine(day + timedelta(days=1), time(), self.zone).astimezone(UTC)

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def on(self, day: date) -> dict[str, int]:
        end = self.end_of(day)
        held = [each for each in self.subscriptions if self._is_held(each, end)]
        return {
            "accounts": sum(
                user["created_at"] < end and not _is_over(user["deleted_at"], end) for user in self.users.values()
            ),
            "registered": sum(self.day_of(user["created_at"]) == day for user in self.users.values()),
            "deleted": sum(
                user["deleted_at"] is not None and self.day_of(user["deleted_at"]) == day
                for user in self.users.values()
            ),
            **{state: sum(_state(each) == state for each in held) for state in ("free", "trial", "paid")},
        }

    def packages(self, day: date) -> dict[tuple[int, str], int]:
        end = self.end_of(day)
        return Counter((each["package_ref"], _state(each)) for each in self.subscriptions if self._is_held(each, end))

    def revenue(self, day: date) -> dict[int, Fraction]:
        """By currency: the last charge of each subscription, for one month."""
        end = self.end_of(day)
        amounts: defaultdict[int, Fraction] = defaultdict(Fraction)
        for each in self.subscriptions:
            own = [charge for charge in self.charges if charge["account_package_ref"] == each["ref"]]
            begun = [charge for charge in own if charge["period_starts_at"] < end]
            if begun and self._is_held(each, end):
                last = max(begun, key=lambda charge: charge["period_starts_at"])
                amounts[last["currency_ref"]] += Fraction(last["amount"]) / last["billing_period_months"]
        return amounts

    def charged(self, first: date, last: date) -> Counter[int]:
        days = [(self.day_of(charge["at"]), charge) for charge in self.charges]
        return Counter(charge["currency_ref"] for day, charge in days if first <= day <= last)

    def cohort(self, monday: date) -> tuple[int, int, int]:
        week = [monday + timedelta(days=number) for number in range(7)]
        registered = {ref for ref, user in self.users.items() if self.day_of(user["created_at"]) in week}
        tried = {each["user_ref"] for each in self.subscriptions if each["is_trial"]}
        subscriptions = {each["ref"] for each in self.subscriptions}
        paid = {each["user_ref"] for each in self.charges if each["account_package_ref"] in subscriptions}
        return len(registered), len(registered & tried), len(registered & paid)

    def _is_held(self, subscription: Any, end: datetime) -> bool:
        ends = (subscription["ended_at"], self.users[subscription["user_ref"]]["deleted_at"])
        return subscription["started_at"] < end and not any(_is_over(at, end) for at in ends)


def _is_over(at: datetime | None, end: datetime) -> bool:
    return at is not None and at < end


def _state(subscription: Any) -> str:
    if subscription["is_trial"]:
        return "trial"
    return "paid" if subscription["price"] > 0 else "free"


async def expected_figures(owner: OwnerConnection, brand_ref: int) -> Expected:
    users = await owner.fetch("select ref, created_at, deleted_at from users where brand_ref = $1", brand_ref)
    return Expected(
        users={user["ref"]: user for user in users},
        subscriptions=await owner.fetch(
            "select * from account_packages where brand_ref = $1 and is_subscription", brand_ref
        ),
        charges=await owner.fetch("select * from charges where brand_ref = $1", brand_ref),
        published=await owner.fetchval(f"select count(*) from sites where brand_ref = $1 and {PUBLISHED}", brand_ref),
        failing_addresses=await owner.fetchval(
            "select count(*) from domain_checks where brand_ref = $1 and domain_ref is not null and state = 'failing'",
            brand_ref,
        ),
        zone=ZoneInfo(await owner.fetchval("select time_zone from brands where brand_ref = $1", brand_ref)),
    )
