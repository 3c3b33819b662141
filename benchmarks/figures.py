"""A figure is a ratio with a goal, or a rate without one; a goal turns the result of a measurement into a figure."""

import msgspec


class MeasurementFailed(Exception):
    """A figure could not be measured; the text says why."""


class Figure(msgspec.Struct, frozen=True):
    name: str
    value: float | None
    goal: float | None
    holds: bool | None
    """None if unknown: there is no goal, or a reference program is not installed."""
    note: str

    @property
    def is_broken(self) -> bool:
        """The measurement failed, which differs from a missed goal."""
        return self.value is None and self.holds is False


class Goal(msgspec.Struct, frozen=True):
    name: str
    at_least: float | None
    """None: the figure is reported without a goal."""

    def measured(self, value: float, note: str) -> Figure:
        shown = round(value, 3)
        return Figure(self.name, shown, self.at_least, None if self.at_least is None else shown >= self.at_least, note)

    def failed(self, reason: str) -> Figure:
        return Figure(self.name, None, self.at_least, False, f"could not be measured: {reason}")

    def without_peer(self, program: str) -> Figure:
        return Figure(self.name, None, self.at_least, None, f"{program} is not installed")

    def not_measurable(self, reason: str) -> Figure:
        return Figure(self.name, None, self.at_least, None, f"not measurable here: {reason}")
