"""Shared by the commands that list something: the limit, and what is said when it was reached."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from sitewright.cli.context import err

MAX_LISTED = 10_000
Limit = Annotated[int, typer.Option(min=1, max=MAX_LISTED, help="How many to show at most.")]


def say_if_more(found: Sequence[Any], limit: int, *, wider: str = "") -> None:
    """`found` has one row more than `limit` where something was left out; `wider` is another way to see it."""
    if len(found) <= limit:
        return
    larger = f"show more with --limit (at most {MAX_LISTED})" if limit < MAX_LISTED else ""
    remedy = ", or ".join(each for each in (larger, wider) if each)
    err.print(f"Only the first {limit} are shown; there are more.{remedy and f' To see them, {remedy}.'}")
