"""Numbers of bytes as people read them."""

from sitewright.kit.http.messages import Messages

_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(number: int, messages: Messages) -> str:
    """In decimal units: 1,234,567 is `1.2 MB`."""
    shown, unit = float(number), 0
    while shown >= 1000 and unit < len(_UNITS) - 1:
        shown, unit = shown / 1000, unit + 1
    return f"{messages.number(round(shown, 0 if unit == 0 or shown >= 100 else 1))} {_UNITS[unit]}"
