"""Counts of requests and responses, as a table."""

import threading
from collections import Counter

from rich.console import Console
from rich.table import Table

COLUMNS = ("2xx", "3xx", "400", "401", "403", "404", "409", "4xx", "5xx")


class Tally:
    def __init__(self) -> None:
        self.sent = 0
        self.by_operation: dict[str, Counter[str]] = {}
        self.by_kind: Counter[str] = Counter()
        """The origin of the requests: by phase, by mode of generation, by authentication scheme."""
        self._lock = threading.Lock()

    def count(self, operation: str, status: int, *kinds: str) -> None:
        with self._lock:
            self.sent += 1
            self.by_kind.update(kinds)
            self.by_operation.setdefault(operation, Counter()).update([column_of(status)])

    @property
    def accepted(self) -> int:
        """How many were accepted."""
        return sum(counts["2xx"] + counts["3xx"] for counts in self.by_operation.values())

    def never_accepted(self) -> list[str]:
        return sorted(name for name, counts in self.by_operation.items() if not counts["2xx"] + counts["3xx"])

    def show(self, console: Console, about: str) -> None:
        table = Table("operation", title="Responses to the fuzzer")
        for column in ("sent", *COLUMNS):
            table.add_column(column, justify="right")
        for operation, counts in sorted(self.by_operation.items()):
            table.add_row(operation, str(counts.total()), *(str(counts[column] or "") for column in COLUMNS))
        console.print(table)
        console.print(f"{about}: {self.sent} requests, {self.accepted} of them accepted (2xx, 3xx)")
        console.print(f"never accepted: {', '.join(self.never_accepted()) or 'none'}")
        console.print(", ".join(f"{kind}: {count}" for kind, count in sorted(self.by_kind.items())))


def column_of(status: int) -> str:
    return str(status) if str(status) in COLUMNS else f"{status // 100}xx"
