"""The size of the matrix: `python -m tests.isolation.figures`."""

from collections import Counter

from sitewright.app import ENDPOINTS
from tests.isolation.matrix import cells_of
from tests.isolation.requests import variants_of
from tests.isolation.slots import slots_of
from tests.isolation.world import ACTORS


def main() -> None:
    variants = [variant for endpoint in ENDPOINTS for variant in variants_of(endpoint)]
    slots = Counter(slot.place for endpoint in ENDPOINTS for slot in slots_of(endpoint))
    print(f"{len(ENDPOINTS)} routes, {len(variants)} variants to call them; slots: {dict(slots)}")  # noqa: T201
    for actor in ACTORS:
        cells = Counter(cell.reason.name for variant in variants for cell in cells_of(variant, actor))
        print(f"{actor.name}: {cells.total()} cells: {dict(cells)}")  # noqa: T201


if __name__ == "__main__":
    main()
