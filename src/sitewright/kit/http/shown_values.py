"""The values that a form showed. It sends them along: what others changed in the meantime is then not changed back."""

from collections.abc import Mapping

import msgspec


def write_shown(values: Mapping[str, str]) -> str:
    return msgspec.json.encode(values).decode()


def shown_values(present: Mapping[str, str], sent: str) -> dict[str, str]:
    """The present values where the form does not say what it showed."""
    try:
        shown = msgspec.json.decode(sent, type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        shown = {}
    return {name: shown.get(name, value) for name, value in present.items()}
