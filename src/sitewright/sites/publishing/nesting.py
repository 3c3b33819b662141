"""Whether HTML is written so that every parser reads it alike and at once."""

import re

DEEPEST = 50
_VOID = {"area", "br", "col", "hr", "img", "input", "wbr"}
_PLAIN = {
    "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "caption", "center", "cite",
    "code", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "font",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "i", "ins", "kbd", "label", "li", "main", "mark", "nav",
    "ol", "p", "picture", "pre", "q", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary",
    "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var",
}  # fmt: skip
_ATTRIBUTE = r"""\s+[A-Za-z_:@][-\w:.@]*(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]+))?"""
_PIECE = re.compile(rf"[^<]+|<(/?)([A-Za-z][A-Za-z0-9]*)((?:{_ATTRIBUTE}){{0,30}})\s*/?>|<!--[^<>]*-->")


def is_orderly(html: str) -> bool:
    """Known tags, each closed where it should be, not too deep, with a few attributes each, and nothing odd between."""
    open_tags: list[str] = []
    at = 0
    while at < len(html):
        piece = _PIECE.match(html, at)
        if piece is None:
            return False
        at = piece.end()
        if piece[2] is not None and not _fits(open_tags, piece[2].lower(), is_end=bool(piece[1])):
            return False
    return True


def _fits(open_tags: list[str], tag: str, *, is_end: bool) -> bool:
    if tag in _VOID:
        return True
    if is_end:
        return bool(open_tags) and open_tags.pop() == tag
    open_tags.append(tag)
    return tag in _PLAIN and len(open_tags) <= DEEPEST
