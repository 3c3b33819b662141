"""The configuration files of docs/operate/high-availability.md, with the addresses and folders of a test."""

import re
from collections.abc import Callable
from pathlib import Path

GUIDE = Path(__file__).parent.parent.parent / "docs" / "operate" / "high-availability.md"
ADDRESS = re.compile(r"192\.0\.2\.1([123]):(\d+)")
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def block(language: str, containing: str) -> str:
    """The first block of this language that contains the text."""
    found = [code for kind, code in _BLOCK.findall(GUIDE.read_text()) if kind == language and containing in code]
    assert found, f"no block in {language} contains {containing!r}"
    return str(found[0])


def with_addresses(text: str, address_of: Callable[[int, int], str]) -> str:
    """Replace the guide's addresses: of machine 1, 2 or 3, and a port."""
    return ADDRESS.sub(lambda found: address_of(int(found[1]), int(found[2])), text)


def replaced(text: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in text, f"the guide does not contain {old!r}"
        text = text.replace(old, new)
    return text
