"""SVG that runs scripts, loads from other hosts, expands without end, or is not SVG at all."""

from functools import cache

XMLNS = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
ATTACKS = {
    "script": "<script>alert(1)</script>",
    "script from elsewhere": '<script href="https://evil.example/x.js"/>',
    "script in a CDATA section": "<script><![CDATA[alert(1)]]></script>",
    "event handler": '<rect width="9" height="9" onclick="alert(1)" onload="alert(1)" ONMOUSEOVER="alert(1)"/>',
    "link to a script": '<a xlink:href="javascript:alert(1)"><rect width="9" height="9"/></a>',
    "animated link": '<a href="#"><animate attributeName="href" to="javascript:alert(1)"/></a>',
    "animated link by set": '<use href="#a"><set attributeName="xlink:href" to="data:image/svg+xml,x"/></use>',
    "animated event handler": '<set attributeName="onclick" to="alert(1)"/>',
    "use of another file": '<use xlink:href="https://evil.example/a.svg#x"/>',
    "use of a data URL": '<use href="data:image/svg+xml;base64,PHN2Zy8+#x"/>',
    "picture from elsewhere": '<image href="https://evil.example/a.png" width="9" height="9"/>',
    "filter picture": '<filter id="f"><feImage href="https://evil.example/a.png"/></filter>',
    "foreign object": '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml"><script>1</script></body></foreignObject>',
    "HTML element": '<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>',
    "prefixed script": '<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>',
    "fill from elsewhere": '<rect fill="url(https://evil.example/a.svg#x)" width="9" height="9"/>',
    "style attribute": '<rect style="fill:url(//evil.example/x);behavior:url(x.htc);-moz-binding:url(x)"/>',
    "escaped style": r'<rect style="fill:u\72l(https://evil.example/x)" filter="\75rl(https://evil.example)"/>',
    "commented style": '<rect style="fill:u/**/rl(https://evil.example/x);fill:url/**/(https://evil.example)"/>',
    "import": "<style>@import 'https://evil.example/x.css'; @import url(https://evil.example/x.css);</style>",
    "font": "<style>@font-face{font-family:x;src:url(https://evil.example/x.woff)} text{font-family:x}</style>",
    "style sheet": "<style>rect{fill:url(https://evil.example/x);stroke:image-set('//evil.example/y' 1x)}</style>",
    "style sheet that ends early": "<style>&lt;/style>&lt;script>alert(1)&lt;/script></style>",
    "style sheet with braces": "<style>@media x{a{b:c}}}rect{fill:url(https://evil.example)}</style>",
    "base": '<g xml:base="https://evil.example/"><use href="x.svg#a"/></g>',
    "handler element": '<handler xmlns="http://www.w3.org/2001/xml-events" type="application/ecmascript">1</handler>',
    "cursor": '<cursor href="https://evil.example/c.cur"/><rect style="cursor:url(https://evil.example/c.cur)"/>',
    "style from elsewhere": '<?xml-stylesheet href="https://evil.example/x.css"?><rect/>',
    "reference with an encoded scheme": '<use href="&#106;avascript:alert(1)"/>',
    "reference to itself": '<g id="a"><use href="#a"/></g>',
}
"""Content of a root element; everything here is removed or refused."""


def svg(content: str) -> bytes:
    return f'<svg {XMLNS} viewBox="0 0 40 30">{content}</svg>'.encode()


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "' + f"&l{n - 1};" * 10 + '">' for n in range(1, 10))
    return f'<!DOCTYPE svg [<!ENTITY l0 "ha">{entities}]><svg {XMLNS}><text>&l9;</text></svg>'.encode()


def use_bomb(levels: int = 12) -> bytes:
    groups = "".join(f'<g id="b{n}">' + f'<use href="#b{n - 1}"/>' * 10 + "</g>" for n in range(1, levels))
    return svg(f'<rect id="b0" width="1" height="1"/>{groups}')


def stylesheet_bomb() -> bytes:
    """Patterns that are drawn by each other through classes."""
    rules = "".join(f".c{n}{{fill:url(#p{n})}}" for n in range(10))
    patterns = "".join(f'<pattern id="p{n}">' + f'<rect class="c{n + 1}"/>' * 50 + "</pattern>" for n in range(10))
    return svg(f"<style>{rules}</style>{patterns}<rect class='c0'/>")


@cache
def hostile_svgs() -> dict[str, bytes]:
    return {
        **{name: svg(content) for name, content in ATTACKS.items()},
        "event handler of the root": f'<svg {XMLNS} onload="alert(1)"/>'.encode(),
        "billion laughs": billion_laughs(),
        "external entity": f'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg {XMLNS}>&x;</svg>'.encode(),
        "parameter entity": f'<!DOCTYPE svg [<!ENTITY % x SYSTEM "http://evil.example">%x;]><svg {XMLNS}/>'.encode(),
        "external document type": f'<!DOCTYPE svg SYSTEM "http://evil.example/x"><svg {XMLNS}>&x;</svg>'.encode(),
        "references without end": use_bomb(),
        "style sheet without end": stylesheet_bomb(),
        "deep nesting": svg("<g>" * 5_000 + "</g>" * 5_000),
        "very many elements": svg("<g/>" * 60_000),
        "very many attributes": svg("<g " + " ".join(f'a{n}="1"' for n in range(5_000)) + "/>"),
        "very long": svg(f"<desc>{'x' * 5_000_000}</desc>"),
        "huge": f'<svg {XMLNS} width="99999999" height="1"/>'.encode(),
        "not well-formed": b"<svg><g></svg>",
        "no namespace": b'<svg width="1" height="1"><script>alert(1)</script></svg>',
        "HTML": b"<!DOCTYPE html><html><script>alert(1)</script></html>",
        "XHTML": b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><script/></html>',
        "UTF-16": f'<?xml version="1.0" encoding="UTF-16"?><svg {XMLNS} onload="a"/>'.encode("utf-16"),
        "UTF-7": f'<?xml version="1.0" encoding="UTF-7"?><svg {XMLNS}>+ADw-script+AD4-</svg>'.encode(),
    }
