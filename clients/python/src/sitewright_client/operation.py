"""One call of the API as a value: what to send, and the type of the response; see `operations`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

T_co = TypeVar("T_co", covariant=True)
ItemT_co = TypeVar("ItemT_co", covariant=True)
_AFTER_WAIT = 30.0
QueryValue = str | int | float | bool | Sequence[str] | None


@dataclass(frozen=True, kw_only=True)
class Operation(Generic[T_co]):
    """A call whose response has the type `T_co`."""

    method: str
    path: str
    query: Mapping[str, QueryValue] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Any = None
    """Sent as JSON, unless it is None or bytes."""

    @property
    def timeout(self) -> float | None:
        """Seconds to wait for the response, where the service may `wait` itself; else the client's."""
        wait = self.query.get("wait")
        return wait + _AFTER_WAIT if isinstance(wait, int) and wait > 0 else None

    @property
    def target(self) -> str:
        """The path with its query; parameters that are None are left out."""
        pairs = [(name, _text(value)) for name, value in self.query.items() if value is not None]
        return f"{self.path}?{urlencode(pairs, quote_via=quote)}" if pairs else self.path


@dataclass(frozen=True, kw_only=True)
class ListOperation(Operation[T_co], Generic[T_co, ItemT_co]):
    """A call whose response is one page of a list; `items` names the field with the page's items."""

    items: str

    def items_of(self, page: Any) -> Sequence[ItemT_co]:
        found: Sequence[ItemT_co] = page[self.items]
        return found


def segment(value: str | int) -> str:
    """A value as one segment of a path."""
    return quote(str(value), safe="")


def _text(value: QueryValue) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if isinstance(value, str | int | float) else ",".join(value or ())
