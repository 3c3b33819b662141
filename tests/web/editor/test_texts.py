"""The texts of the editor: in every language, and one for each key that the scripts name."""

import re
from pathlib import Path

import sitewright.web.editor
from sitewright.web.editor.messages import CATALOG

FOLDER = Path(sitewright.web.editor.__file__).parent / "web/modules"
CALL = re.compile(r"\btext\(([^()`]*)")
KEY = re.compile(r'"([a-zA-Z_]+)"')
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def test_every_language_has_the_same_texts_with_the_same_facts() -> None:
    english = CATALOG.own["en"]
    assert set(CATALOG.own) == {"de", "en", "es", "fr", "pt"}
    for language, texts in CATALOG.own.items():
        assert texts.keys() == english.keys(), language
        assert all(texts.values()), language
        different = [key for key in texts if facts_of(texts[key]) != facts_of(english[key])]
        assert different == [], language


def facts_of(text: str) -> set[str]:
    return set(PLACEHOLDER.findall(text))


def test_scripts_name_only_texts_that_exist() -> None:
    named = {
        key
        for script in FOLDER.glob("*.ts")
        for call in CALL.findall(script.read_text(encoding="utf-8"))
        for key in KEY.findall(call)
    }
    assert {"publish_now", "conflict_title"} <= named, "keys are no longer found"
    assert named - CATALOG.own["en"].keys() == set()


def test_the_frame_gets_every_text_that_it_asks_for() -> None:
    protocol = (FOLDER / "protocol.ts").read_text(encoding="utf-8")
    names = KEY.findall(protocol.partition("TEXTS = [")[2].partition("]")[0])
    assert "moveUp" in names
    assert {f"frame_{name}" for name in names} <= CATALOG.own["en"].keys()
