"""What the reference says of a field: `ref: Annotated[int, about("The language's number.", 1)]`."""

from typing import Any

import msgspec


def about(description: str, example: Any, **limits: Any) -> msgspec.Meta:
    """A description and an example for the reference; `limits` are msgspec's (ge, le, min_length, max_length)."""
    return msgspec.Meta(description=description, examples=[example], **limits)
