"""The authority's objects in memory, and the journal that keeps them over a restart."""

import secrets
from collections import deque
from pathlib import Path
from typing import TypeVar, get_args

import msgspec

from sitewright.demo.authority.objects import Account, Authorization, Issued, Order, Refusal, Stored
from sitewright.demo.authority.problems import AcmeProblem, not_found

T = TypeVar("T", Account, Authorization, Order, Issued)
MAX_NONCES = 100_000


class Entry(msgspec.Struct):
    """A line of the journal: the object as it became."""

    kind: str
    object: msgspec.Raw


class Registry:
    def __init__(self, journal: Path | None) -> None:
        """`journal`: a file with one line per change; the last one about an object holds."""
        self.accounts: dict[str, Account] = {}
        self.authorizations: dict[str, Authorization] = {}
        self.orders: dict[str, Order] = {}
        self.issued: dict[str, Issued] = {}
        self.refusals: list[Refusal] = []
        self._nonces: deque[str] = deque(maxlen=MAX_NONCES)
        self._unused: set[str] = set()
        self._tables: dict[str, dict[str, object]] = {
            "Account": self.accounts,  # type: ignore[dict-item]
            "Authorization": self.authorizations,  # type: ignore[dict-item]
            "Order": self.orders,  # type: ignore[dict-item]
            "Issued": self.issued,  # type: ignore[dict-item]
        }
        if journal is not None and journal.exists():
            self._replay(journal)
        self._journal = None if journal is None else journal.open("ab", buffering=0)

    def save(self, each: Stored) -> None:
        kind = type(each).__name__
        self._tables[kind][each.ref] = each
        if self._journal is not None:
            self._journal.write(msgspec.json.encode({"kind": kind, "object": each}) + b"\n")

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()

    def find(self, table: dict[str, T], ref: str, account: Account) -> T:
        """The object, if it is the account's."""
        found = table.get(ref)
        if found is None or getattr(found, "account", found.ref) != account.ref:
            raise not_found(ref)
        return found

    def new_nonce(self) -> str:
        if len(self._nonces) == self._nonces.maxlen:
            self._unused.discard(self._nonces.popleft())
        nonce = secrets.token_urlsafe(16)
        self._nonces.append(nonce)
        self._unused.add(nonce)
        return nonce

    def use_nonce(self, nonce: object) -> None:
        if nonce not in self._unused:
            raise AcmeProblem("badNonce", "the nonce was used before, or is not from here")
        self._unused.discard(str(nonce))

    def _replay(self, journal: Path) -> None:
        kinds = {each.__name__: each for each in get_args(Stored)}
        for line in journal.read_bytes().splitlines():
            try:
                entry = msgspec.json.decode(line, type=Entry)
                each = msgspec.json.decode(entry.object, type=kinds[entry.kind])
            except msgspec.DecodeError:
                continue  # the last line of a process that was killed while it wrote
            self._tables[entry.kind][each.ref] = each


def new_ref() -> str:
    return secrets.token_urlsafe(12)
