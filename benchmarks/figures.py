"""A figure is a ratio with its goal, or a rate without one; a goal knows how to become a figure, whatever came of its
measurement."""

import msgspec


class MeasurementFailed(Exception):
    """A figure could not be made; the text says why."""


class Figure(msgspec.Struct, frozen=True):
    name: str
    value: float | None
    goal: float | None
    holds: bool | None
    """None where nothing can be said: there is no goal, or a peer program is not installed."""
    note: str

    @property
    def is_broken(self) -> bool:
        """Its measurement failed, which is not the same as a missed goal."""
        return self.value is None and self.holds is False


class Goal(msgspec.Struct, frozen=True):
    name: str
    at_least: float | None
    """None: the figure is told, and not judged."""

    def measured(self, value: float, note: str) -> Figure:
        shown = round(value, 3)
        return Figure(self.name, shown, self.at_least, None if self.at_least is None else shown >= self.at_least, note)

    def failed(self, reason: str) -> Figure:
        return Figure(self.name, None, self.at_least, False, f"could not be measured: {reason}")

    def without_peer(self, program: str) -> Figure:
        return Figure(self.name, None, self.at_least, None, f"{program} is not installed")

    def not_measurable(self, reason: str) -> Figure:
        return Figure(self.name, None, self.at_least, None, f"not measurable here: {reason}")
