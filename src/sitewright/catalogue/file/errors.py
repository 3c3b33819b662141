import msgspec


class Fault(msgspec.Struct, frozen=True):
    """What is wrong with a catalogue file, and where."""

    line: int | None
    place: str
    message: str

    def __str__(self) -> str:
        where = "file" if self.line is None else f"line {self.line}"
        return f"{where}: {self.place}: {self.message}" if self.place else f"{where}: {self.message}"


class CatalogueRefused(Exception):
    """A catalogue file that cannot be applied; nothing was changed."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: (fault.line or 0, fault.place))
        super().__init__("\n".join(str(fault) for fault in self.faults))
