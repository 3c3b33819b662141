"""The documentation of a field in the API reference: `ref: Annotated[int, about("The language's number.", 1)]`."""

from typing import Any

import msgspec


def about(description: str, example: Any, **limits: Any) -> msgspec.Meta:
    """Annotate a field with a description and an example; `limits` are msgspec's (ge, le, min_length, max_length)."""
    return msgspec.Meta(description=description, examples=[example], **limits)
