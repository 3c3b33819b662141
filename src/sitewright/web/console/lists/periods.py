"""The period of a list: days of the brand's time zone, both included."""

from datetime import datetime

from sitewright.kit.dates import from_instant, until_instant
from sitewright.kit.problems import Invalid
from sitewright.kit.validation import field_code


def period_of(first: str | None, last: str | None, zone: str) -> tuple[datetime | None, datetime | None]:
    """When it begins, and when it is over. Raises `Invalid` for what is no date, by the query's `from` and `to`."""
    return _instant("from", first, zone), _instant("to", last, zone)


def _instant(name: str, text: str | None, zone: str) -> datetime | None:
    if text is None:
        return None
    try:
        return from_instant(text, zone) if name == "from" else until_instant(text, zone)
    except ValueError as error:
        raise Invalid.fields({name: {field_code(name): str(error)}}) from error
