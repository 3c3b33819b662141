"""Cells of CSV files that people open in a spreadsheet."""

_FORMULAS_BEGIN_WITH = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """`text` that no spreadsheet takes for a formula: where it looks like one, an apostrophe stands before it."""
    return f"'{text}" if text.startswith(_FORMULAS_BEGIN_WITH) else text
