"""Two small files in the place of the bundled fonts, which only the browser build creates."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sitewright.kit import site_fonts

LATIN, EXTENDED = "lora-latin.0123456789ab.woff2", "lora-latin-ext.ba9876543210.woff2"
CONTENT = {LATIN: b"wOF2 latin", EXTENDED: b"wOF2 extended"}
OTHER_RELEASES = LATIN.replace("0123", "9999")
CACHES = (site_fonts.manifest, site_fonts._bodies, site_fonts._current_names)


@contextmanager
def bundled_fonts(folder: Path) -> Iterator[None]:
    for name, content in CONTENT.items():
        (folder / name).write_bytes(content)
    subsets = {"latin": {"file": LATIN, "range": "U+0-FF"}, "latin-ext": {"file": EXTENDED, "range": "U+100-2BA"}}
    (folder / "manifest.json").write_text(json.dumps({"lora": subsets, "gone": subsets}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_fonts, "FOLDER", folder)
        _clear()
        yield
    _clear()


def _clear() -> None:
    for each in CACHES:
        each.cache_clear()
