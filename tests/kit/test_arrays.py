"""Arrays as texts are what the driver's own arrays would be."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from sitewright.kit.arrays import array_text
from sitewright.kit.resources import Resources

AT = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)
ELSEWHERE = timezone(timedelta(hours=-9, minutes=-30))


@pytest.mark.parametrize(
    ("element", "values"),
    [
        ("bigint", []),
        ("bigint", [1, -2, None, 2**63 - 1]),
        ("integer", [None]),
        ("boolean", [True, False, None]),
        ("numeric", [Decimal("12.30"), Decimal("-0.01"), None]),
        (
            "timestamptz",
            [AT, AT.replace(microsecond=0), AT.astimezone(ELSEWHERE), None],
        ),
        ("text", ["trial.ended", "trialEnded", "null", None]),
    ],
)
async def test_an_array_as_text(element: str, values: list[Any], resources: Resources) -> None:
    async with resources.database.connection() as connection:
        assert await connection.fetchval(f"select $1::text::{element}[]", array_text(values)) == values
