"""The code blocks of guides, and the marks of those that tests cannot run."""

import re
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
_HEADING = re.compile(r"^##+ (.+)$", re.MULTILINE)
_FILE = re.compile(r"# (?P<path>/\S+)[^\n]*\n")


class Block(msgspec.Struct, frozen=True):
    language: str
    code: str
    line: int
    section: str
    """The heading above it."""
    reason: str | None
    """Why tests cannot run it; None: they do."""

    @property
    def path(self) -> str | None:
        """The file whose content it is, as its first line says."""
        match = _FILE.match(self.code)
        return match["path"] if match else None


def blocks(guide: Path) -> list[Block]:
    text = guide.read_text()
    return [
        Block(match["language"], match["code"], *_place(text, match.start("language")), match["reason"])
        for match in _BLOCK.finditer(text)
    ]


def _place(text: str, offset: int) -> tuple[int, str]:
    """The line of an offset, and the last heading before it; `#` in blocks is no heading."""
    before = re.sub(r"^```\w+\n.*?^```$", "", text[:offset], flags=re.MULTILINE | re.DOTALL)
    headings = _HEADING.findall(before)
    return text.count("\n", 0, offset) + 1, headings[-1] if headings else ""


def in_section(guide: Path, section: str) -> list[Block]:
    """Those that tests run."""
    found = [block for block in blocks(guide) if block.section == section]
    assert found, f"{guide.name} has no blocks below {section}"
    return [block for block in found if block.reason is None]
