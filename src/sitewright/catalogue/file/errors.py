import msgspec


class FileError(msgspec.Struct, frozen=True):
    """One error in a catalogue file: line, path of the field, message."""

    line: int | None
    path: str
    message: str

    def __str__(self) -> str:
        where = "file" if self.line is None else f"line {self.line}"
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class InvalidCatalogue(Exception):
    """A catalogue file that cannot be applied; nothing was changed."""

    def __init__(self, errors: list[FileError]) -> None:
        self.errors = sorted(errors, key=lambda error: (error.line or 0, error.path))
        super().__init__("\n".join(str(error) for error in self.errors))
