"""JSON values as literals of other languages, broken into lines where they are long."""

import json
from typing import Any

import msgspec

MAX_LINE = 100


class Syntax(msgspec.Struct, frozen=True, kw_only=True):
    true: str = "true"
    false: str = "false"
    null: str = "null"
    object_signs: str = "{}"
    colon: str = ": "
    bare_keys: bool = False
    single_quotes: bool = False
    trailing_comma: bool = True

    def text(self, value: str) -> str:
        if not self.single_quotes or "\n" in value:
            return json.dumps(value, ensure_ascii=False)
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"

    def key(self, name: str) -> str:
        return name if self.bare_keys and name.isidentifier() else self.text(name)


JSON = Syntax(trailing_comma=False)
PYTHON = Syntax(true="True", false="False", null="None")
PHP = Syntax(object_signs="[]", colon=" => ", single_quotes=True)
NODE = Syntax(bare_keys=True, single_quotes=True)


def literal(value: Any, syntax: Syntax, indent: str = "", width: int = MAX_LINE) -> str:
    """On one line where that is short enough."""
    opening, closing, parts = _parts(value, syntax, indent, width)
    if parts is None:
        return opening
    on_one_line = f"{opening}{', '.join(parts)}{closing}"
    if len(on_one_line) + len(indent) <= width and "\n" not in on_one_line:
        return on_one_line
    comma = "," if syntax.trailing_comma else ""
    inner = f",\n{indent}    ".join(parts)
    return f"{opening}\n{indent}    {inner}{comma}\n{indent}{closing}"


def _parts(value: Any, syntax: Syntax, indent: str, width: int) -> tuple[str, str, list[str] | None]:
    deeper = indent + "    "
    if isinstance(value, dict):
        pairs = ((syntax.key(name), literal(each, syntax, deeper, width)) for name, each in value.items())
        return syntax.object_signs[0], syntax.object_signs[1], [f"{name}{syntax.colon}{each}" for name, each in pairs]
    if isinstance(value, list):
        return "[", "]", [literal(each, syntax, deeper, width) for each in value]
    if isinstance(value, str):
        return syntax.text(value), "", None
    named = {True: syntax.true, False: syntax.false, None: syntax.null}
    return (named[value] if value is None or isinstance(value, bool) else json.dumps(value)), "", None
