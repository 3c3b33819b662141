"""Facts about the demo's brands for demo.json; the brands themselves are in `catalogue.yaml`."""

import msgspec


class DemoBrand(msgspec.Struct, frozen=True):
    brand_ref: int
    model: str
    trial_package: str | None
    tag: str = "one-page"
    category: str = "food-and-drink"
    group: str = "Essentials"


TEST_BRAND = DemoBrand(101, "trial", "trial")
TEST_BRAND_NAME = "Clockwork Hosting"
BRANDS = (
    DemoBrand(1, "freemium", None),
    DemoBrand(2, "trial", "trial"),
)
