"""Detect HTML that is simple enough for every parser to handle in linear time."""

import re

MAX_DEPTH = 50
_VOID = {"area", "br", "col", "hr", "img", "input", "wbr"}
_PLAIN = {
    "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "caption", "center", "cite",
    "code", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "font",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "i", "ins", "kbd", "label", "li", "main", "mark", "nav",
    "ol", "p", "picture", "pre", "q", "s", "samp", "section", "small", "span", "strike", "strong", "sub", "summary",
    "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var",
}  # fmt: skip
_ATTRIBUTE = r"""\s+[A-Za-z_:@][-\w:.@]*(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]+))?"""
_TOKEN = re.compile(rf"[^<]+|<(/?)([A-Za-z][A-Za-z0-9]*)((?:{_ATTRIBUTE}){{0,30}})\s*/?>|<!--[^<>]*-->")


def is_well_formed(html: str) -> bool:
    """Whether the HTML has only known and correctly nested tags, limited depth and few attributes."""
    open_tags: list[str] = []
    at = 0
    while at < len(html):
        token = _TOKEN.match(html, at)
        if token is None:
            return False
        at = token.end()
        if token[2] is not None and not _fits(open_tags, token[2].lower(), is_end=bool(token[1])):
            return False
    return True


def _fits(open_tags: list[str], tag: str, *, is_end: bool) -> bool:
    if tag in _VOID:
        return True
    if is_end:
        return bool(open_tags) and open_tags.pop() == tag
    open_tags.append(tag)
    return tag in _PLAIN and len(open_tags) <= MAX_DEPTH
