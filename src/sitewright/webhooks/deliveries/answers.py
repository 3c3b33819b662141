"""What a receiver said to a delivery, or why it said nothing."""

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    milliseconds: int
    status: int | None = None
    text: str | None = None
    """Its beginning."""
    retry_after: str | None = None
    error: str | None = None
    """Why there is none."""
