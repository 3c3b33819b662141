"""Charts as SVG, drawn by the server, so that they need no script. The page shows the same numbers as a table."""

from collections.abc import Sequence

import msgspec

WIDTH, HEIGHT, TOP, BOTTOM = 640, 160, 4, 4


class LineChart(msgspec.Struct, frozen=True):
    width: int
    height: int
    curve: str
    """Points of the polyline."""
    area: str
    """Points of the polygon below it."""
    grid: list[float]
    maximum: float


def line_chart(values: Sequence[float]) -> LineChart:
    """The values from left to right, from zero at the bottom to the largest at the top."""
    maximum = max(values, default=0) or 1
    step = WIDTH / max(1, len(values) - 1)
    base = HEIGHT - BOTTOM
    points = [(index * step, base - (base - TOP) * value / maximum) for index, value in enumerate(values)]
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    area = f"0,{base} {curve} {points[-1][0]:.1f},{base}" if points else ""
    grid = [TOP + (base - TOP) * share / 2 for share in range(3)]
    return LineChart(WIDTH, HEIGHT, curve, area, grid, maximum)
