"""Wire schemas of test clocks."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from sitewright.kit.http.about import about

EXAMPLE = {"brandRef": 1, "time": "2027-01-31T00:00:00Z", "status": "ready", "advancingTo": None}


class Advance(msgspec.Struct, frozen=True, kw_only=True):
    """Where the clock is moved to: `to` or `by`, at most two years ahead."""

    to: (
        Annotated[
            str,
            about(
                "The time to move to, in ISO 8601; without an offset, in the brand's time zone.",
                "2027-01-31T00:00:00Z",
                max_length=40,
            ),
        ]
        | UnsetType
    ) = UNSET
    by: (
        Annotated[
            str,
            about(
                "How far to move: an ISO 8601 duration of whole years, months, weeks, days, hours, minutes, seconds.",
                "P1M",
                max_length=40,
            ),
        ]
        | UnsetType
    ) = UNSET


class TestClock(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The clock of a test brand."""

    brand_ref: Annotated[int, about("The brand's number.", 1)]
    time: Annotated[str, about("The brand's time, in UTC.", "2027-01-31T00:00:00Z")]
    status: Annotated[
        Literal["ready", "advancing"], about("`advancing` while everything due until `advancingTo` is done.", "ready")
    ]
    advancing_to: Annotated[str | None, about("Where the clock is being moved to; null: nowhere.", None)]


class TestClockResponse(msgspec.Struct, frozen=True, rename="camel"):
    """The clock of a test brand."""

    test_clock: Annotated[TestClock, about("The clock.", EXAMPLE)]
