"""A receiver's response to a delivery, or why there is none."""

import msgspec


class Response(msgspec.Struct, frozen=True, kw_only=True):
    milliseconds: int
    status: int | None = None
    text: str | None = None
    """The beginning of its body."""
    retry_after: str | None = None
    error: str | None = None
    """Why there is no response."""
