"""A figure is a ratio with its goal; a goal knows how to become a figure, whatever came of its measurement."""

import msgspec


class MeasurementFailed(Exception):
    """A figure could not be made; the text says why."""


class Figure(msgspec.Struct, frozen=True):
    name: str
    value: float | None
    goal: float
    holds: bool | None
    """None where a peer program is not installed, so that nothing can be said."""
    note: str

    @property
    def is_broken(self) -> bool:
        """Its measurement failed, which is not the same as a missed goal."""
        return self.value is None and self.holds is False


class Goal(msgspec.Struct, frozen=True):
    name: str
    at_least: float

    def measured(self, value: float, note: str) -> Figure:
        shown = round(value, 3)
        return Figure(self.name, shown, self.at_least, shown >= self.at_least, note)

    def failed(self, reason: str) -> Figure:
        return Figure(self.name, None, self.at_least, False, f"could not be measured: {reason}")

    def without_peer(self, program: str) -> Figure:
        return Figure(self.name, None, self.at_least, None, f"{program} is not installed")
