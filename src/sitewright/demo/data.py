"""The demo's brands and languages. Packages, templates and users join them with their features."""

import msgspec


class DemoBrand(msgspec.Struct, frozen=True):
    brand_ref: int
    name: str
    model: str
    domain: str
    languages: tuple[str, ...]


LANGUAGES = {"en": "English", "es": "Español", "de": "Deutsch", "fr": "Français", "pt": "Português"}

BRANDS = (
    DemoBrand(1, "Northwind Hosting", "freemium", "northwind.example", ("en", "es", "de")),
    DemoBrand(2, "Southgate Telecom", "trial", "southgate.example", ("en", "fr", "pt")),
)
