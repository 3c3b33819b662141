from pathlib import Path

from sitewright.kit.http.words import Texts

TEXTS = Texts(Path(__file__).parent / "texts")
