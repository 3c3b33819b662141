"""Protection of CSV cells against formula injection in spreadsheets."""

import re

_SEPARATORS = r";,|\t\n\v\f\r\u0085\u2028\u2029"
_SKIPPED = r' "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff'
"""Spaces of all widths, and the quote: spreadsheets strip them from the beginning of a cell."""
_SIGNS = r"=+@\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b-"
"""The signs that formulas begin with, also in full width, which some input methods convert."""
_FORMULA_START = re.compile(rf"(\A|[{_SEPARATORS}])([{_SKIPPED}]*)(?=[{_SIGNS}])")


def safe_cell(text: str) -> str:
    """Escape `text` so that no spreadsheet reads a formula: an apostrophe precedes each sign that could begin one.

    Also after separators: if a spreadsheet splits lines at `;` or tabs, a new cell begins inside this one. The
    database's `safe_cell` does the same.
    """
    return _FORMULA_START.sub(r"\1\2'", text)
