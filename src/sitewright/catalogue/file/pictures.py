"""Pictures that a catalogue file names by a path become part of the catalogue, as data URLs."""

from pathlib import Path
from typing import Any

from sitewright.catalogue.file.yaml_reader import Source
from sitewright.kit.ui.pictures import MAX_BYTES, picture_of

FIELDS = ("logo", "favicon")


def embed(source: Source, folder: Path) -> None:
    """Replace paths relative to `folder`, which is where the file is, by the pictures themselves."""
    brands = source.values.get("brands")
    for index, brand in enumerate(brands if isinstance(brands, list) else []):
        for field in FIELDS:
            named: Any = brand.get(field) if isinstance(brand, dict) else None
            if isinstance(named, str) and not named.startswith("data:"):
                _embed(source, f"brands[{index}].{field}", brand, field, folder / named)


def _embed(source: Source, path: str, brand: dict[str, Any], field: str, file: Path) -> None:
    try:
        with file.open("rb") as opened:
            picture = picture_of(opened.read(MAX_BYTES + 1))
    except OSError as error:
        source.add_error(path, f"cannot be read: {error.strerror}")
        return
    if picture is not None:
        brand[field] = picture.data_url
