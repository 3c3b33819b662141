"""The schema of the database, as far as an export or import needs it."""

from graphlib import TopologicalSorter

import msgspec

from sitewright.transfer import tables


class Column(msgspec.Struct, frozen=True):
    name: str
    type: str
    is_identity: bool


class Table(msgspec.Struct, frozen=True):
    name: str
    columns: list[Column]
    """Without generated columns."""
    key: list[str]
    """The primary key."""
    refers_to: set[str]

    @property
    def has_brand(self) -> bool:
        return any(column.name == "brand_ref" for column in self.columns)

    @property
    def identity(self) -> str | None:
        return next((column.name for column in self.columns if column.is_identity), None)


class UniqueIndex(msgspec.Struct, frozen=True):
    """A unique index that spans all brands."""

    table: str
    columns: list[str]
    condition: str | None

    def is_ref_of(self, table: Table) -> bool:
        return self.condition is None and self.columns == [table.identity]


class Schema(msgspec.Struct, frozen=True):
    tables: dict[str, Table]
    unique: list[UniqueIndex]

    @property
    def exported(self) -> list[Table]:
        """Tables of a brand, each after those that it refers to."""
        chosen = {name for name, each in self.tables.items() if each.has_brand and name not in tables.NOT_EXPORTED}
        graph = {
            name: sorted(set() if name in tables.INSERTED_LAST else self.tables[name].refers_to & chosen - {name})
            for name in sorted(chosen)
        }
        ordered = TopologicalSorter(graph).static_order()
        late = [name for name in tables.COUNTED_BY_TRIGGERS if name in chosen]
        return [self.tables[name] for name in [*(each for each in ordered if each not in late), *late]]


def target_of(table: str, column: str) -> str | None:
    """The table whose installation-wide refs a column holds."""
    return tables.OWN_REFERENCES.get((table, column)) or tables.REFERENCES.get(column)
