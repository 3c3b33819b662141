"""Geometry of charts with a scale: lines, stacked areas and stacked bars (templates/charts.html)."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import ceil, floor, log10

import msgspec

WIDTH, HEIGHT = 640.0, 200.0
GAP = 0.25
"""The share of a bar's place that stays empty."""
MOST_BARS = 62
"""More columns than these are too narrow to distinguish: areas are drawn instead."""
AXIS_LABELS = 5
Values = Sequence[float]


class Bar(msgspec.Struct, frozen=True, gc=False):
    x: float
    y: float
    width: float
    height: float


class Plot(msgspec.Struct, frozen=True):
    ticks: list[float]
    """Values of the scale, the highest first; the last one is 0."""
    lines: list[float]
    """Where each tick is, from the top."""
    shapes: list[str]
    """Points of a polyline or polygon for each series."""
    bars: list[list[Bar]]
    """Bars of each series, in place of shapes."""
    area: str = ""
    """Points of the polygon below the first line."""
    width: float = WIDTH
    height: float = HEIGHT


def line_plot(series: Sequence[Values]) -> Plot:
    top = _top(max((value for values in series for value in values), default=0))
    shapes = [_points([(x, _y(value, top)) for x, value in _spread(values)]) for values in series]
    area = _area([0.0] * len(series[0]), series[0], top) if series else ""
    return _plot(top, shapes=shapes, area=area)


def stacked_plot(series: Sequence[Values]) -> Plot:
    """Each series stands on the sum of those before it: as bars, or as areas where there are many values."""
    sums = list(accumulate(series, _add, initial=[0.0] * len(series[0] if series else [])))
    top = _top(max(sums[-1], default=0))
    if len(sums[0]) <= MOST_BARS:
        return _plot(top, bars=[_bars(below, above, top) for below, above in pairwise(sums)])
    shapes = [_area(below, above, top) for below, above in pairwise(sums)]
    return _plot(top, shapes=shapes)


def axis_labels(labels: Sequence[str]) -> list[str]:
    """Those below the drawing: five at equal distances, or both ends where there are few."""
    if len(labels) < AXIS_LABELS:
        return [labels[0], labels[-1]] if len(labels) > 1 else list(labels)
    steps = AXIS_LABELS - 1
    return [labels[round(number * (len(labels) - 1) / steps)] for number in range(AXIS_LABELS)]


def share_of(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _add(below: Values, values: Values) -> list[float]:
    return [lower + max(0.0, value) for lower, value in zip(below, values, strict=True)]


def _plot(top: float, *, shapes: list[str] | None = None, bars: list[list[Bar]] | None = None, area: str = "") -> Plot:
    step = _step(top)
    ticks = [step * number for number in range(round(top / step), -1, -1)]
    return Plot(ticks, [_y(tick, top) for tick in ticks], shapes or [], bars or [], area)


def _step(top: float) -> float:
    """1, 2 or 5 times a power of ten, so that there are two to five steps; whole numbers are not divided."""
    power = 10.0 ** floor(log10(top))
    share = top / power
    return max(1.0, power * (0.5 if share <= 2 else 1 if share <= 5 else 2))


def _top(maximum: float) -> float:
    """The end of the scale: the first step that is not below the maximum."""
    if maximum <= 1:
        return 1.0
    step = _step(maximum)
    return step * ceil(maximum / step)


def _y(value: float, top: float) -> float:
    return round(HEIGHT * (1 - max(0.0, value) / top), 1)


def _spread(values: Values) -> list[tuple[float, float]]:
    """Over the whole width; a single value is a level line."""
    if len(values) == 1:
        return [(0.0, values[0]), (WIDTH, values[0])]
    step = WIDTH / max(1, len(values) - 1)
    return [(round(index * step, 1), value) for index, value in enumerate(values)]


def _area(below: Values, above: Values, top: float) -> str:
    upper = [(x, _y(value, top)) for x, value in _spread(above)]
    lower = [(x, _y(value, top)) for x, value in _spread(below)]
    return _points([*upper, *reversed(lower)])


def _bars(below: Values, above: Values, top: float) -> list[Bar]:
    place = WIDTH / max(1, len(above))
    return [
        Bar(
            round((index + GAP / 2) * place, 1),
            _y(high, top),
            round(place * (1 - GAP), 1),
            round(_y(low, top) - _y(high, top), 1),
        )
        for index, (low, high) in enumerate(zip(below, above, strict=True))
    ]


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
