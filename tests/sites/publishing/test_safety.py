"""Content of account holders never runs scripts, except html widgets and page scripts on their own hosts."""

import gzip
import time

import msgspec
import pytest

from sitewright.sites.content.schemas import WidgetTypeItem, WidgetTypeValue
from sitewright.sites.content.widget_types.service import TYPES
from sitewright.sites.publishing.designs import builtin_design
from sitewright.sites.publishing.render_input import DesignChoice, RenderInput
from sitewright.sites.publishing.rendering import Rendering
from sitewright.sites.publishing.sanitizing import image_url, rich_text, safe_url
from sitewright.sites.publishing.site_script import script_file
from tests.sites.publishing.pages import Document, home_of, input_with, page, page_with, rendered
from tests.support.sample_parts import SampleWidget, button, form, gallery, heading, image, text

EVIL = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>"
NO_ADDRESS = [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)",
    "java\nscript:alert(1)", "\x01javascript:alert(1)", "vbscript:x", "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd", "blob:x", "view-source:x", "", "   ", "java\u2028script:alert(1)",
]  # fmt: skip


@pytest.mark.parametrize("url", NO_ADDRESS)
def test_unsafe_urls(url: str) -> None:
    assert (safe_url(url), image_url(url)) == ("", "")


@pytest.mark.parametrize(
    ("url", "safe"),
    [
        ("https://shop.example/a?b=c#d", "https://shop.example/a?b=c#d"),
        ("mailto:ann@mail.example", "mailto:ann@mail.example"),
        ("tel:+1 202", "tel:+1%20202"),
        ("menu", "/menu"),
        ("./menu", "/menu"),
        ("/menu?x=1", "/menu?x=1"),
        ("#top", "#top"),
        ("//cdn.example/x", "//cdn.example/x"),
        ("www.shop.example", "https://www.shop.example"),
    ],
)
def test_safe_urls(url: str, safe: str) -> None:
    assert safe_url(url) == safe


def test_data_urls_are_allowed_for_images_only() -> None:
    drawn = "data:image/svg+xml,<svg onload='alert(1)'/>"
    assert (image_url(drawn), safe_url(drawn)) == (drawn, "")
    assert image_url("data:image/png\n;base64,x") == image_url("mailto:a@b.example") == ""


@pytest.mark.parametrize(
    ("html", "clean"),
    [
        ("<p onclick=alert(1) style='x' class='y' id='z'>a</p>", "<p>a</p>"),
        ("<script>alert(1)</script>a", "a"),
        ("<style>body{display:none}</style>a", "a"),
        ("<iframe src='//evil.example'></iframe>a", "a"),
        ("<form action=//evil.example><input name=a></form>", ""),
        ("<h1>Big</h1>", "<h2>Big</h2>"),
        ("<a href='javascript:alert(1)'>a</a>", '<a rel="noopener">a</a>'),
        ("<a href='menu' target=_top>a</a>", '<a href="/menu" rel="noopener">a</a>'),
        ("<a href='https://a.example' target=_blank>a</a>",
         '<a href="https://a.example" target="_blank" rel="noopener">a</a>'),
        ("<img src=a.png onerror=alert(1)>", '<img src="/a.png" loading="lazy" alt="">'),
        ('<img src=a.png alt="<h1>">', '<img src="/a.png" alt="&lt;h1&gt;" loading="lazy">'),
        ("<svg><script>alert(1)</script></svg>", ""),
        ("<math><mi xlink:href='javascript:alert(1)'>x</mi></math>", ""),
        ("<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", None),
        ("<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>", None),
        ("<td width='1;' colspan='2'>a", None),
    ],
)  # fmt: skip
def test_rich_text_keeps_what_is_harmless(html: str, clean: str | None) -> None:
    cleaned = rich_text(html)
    assert "onerror" not in cleaned.replace("&lt;img src=x onerror", "")
    assert clean is None or cleaned == clean


@pytest.mark.parametrize(
    "html",
    ["<div>" * 150_000, "<b>" * 250_000, "<a " + "x=1 " * 200_000 + ">", "<" * 900_000, "<p title='" * 90_000,
     "<blockquote>" * 80_000, "<p>" + "".join(f"<i title={n}>" for n in range(9000)) + "</p>" + "<p>x</p>" * 50_000],
    ids=["div", "b", "attributes", "angles", "quotes", "blockquote", "formatting"],
)  # fmt: skip
def test_sanitizing_is_bounded_in_time_and_size(html: str) -> None:
    before = time.thread_time()
    cleaned = rich_text(html)
    assert (time.thread_time() - before < 5, len(cleaned) <= 4 * len(html) + 8192) == (True, True)


def test_small_texts_do_not_grow_much_either() -> None:
    html = "<p>" + "".join(f"<i title={n}>" for n in range(280)) + "</p>" + "<p>x</p>" * 480
    assert len(rich_text(html)) <= 4 * len(html) + 8192


def test_long_well_formed_text_is_kept() -> None:
    html = '<p>Some <strong>words</strong> and a <a href="/x">link</a>.</p>' * 500
    assert rich_text(html).count("<strong>") == 500


def test_long_malformed_text_becomes_plain_text() -> None:
    assert rich_text("<div>Hello <b>world & all</div>\n\n<p>Next" + "<div>" * 5000).startswith(
        "<p>Hello  world &amp; all</p><p>Next</p>"
    )


def hostile_widgets() -> list[SampleWidget]:
    """Every widget type, with hostile text wherever a value takes any text."""

    def text_for(value: WidgetTypeValue | WidgetTypeItem) -> str:
        fixed = {"url": "x" + EVIL, "image": "a.png" + EVIL, "flag": "1", "date": "2026-01-01", "days": "mo"}
        if value.type in ("text", "richText"):
            return EVIL
        return fixed.get(value.type, value.choices[0] if value.choices else value.example)

    def value_of(value: WidgetTypeValue) -> str:
        if value.type != "list":
            return text_for(value)
        return msgspec.json.encode([{item.name: text_for(item) for item in value.items}]).decode()

    kinds = [each for each in TYPES if each.type not in ("widget.html", "widget.columns")]
    return [
        SampleWidget(each.type.removeprefix("widget."), {value.name: value_of(value) for value in each.values})
        for each in kinds
    ]


def hostile_input(directory: str) -> RenderInput:
    names = ("business", "headline", "strapline", "companydescription", "copyright", "phone", "email", "address",
             "network")  # fmt: skip
    profile = dict.fromkeys(names, EVIL) | {"logo": "javascript:alert(1)", "featureimage": 'x" onerror=alert(1) "'}
    profile |= {"rss": "javascript:alert(1)", "video": "https://evil.example/\"'><script>alert(1)</script>"}
    content = page_with(
        heading(EVIL), image(EVIL, EVIL, EVIL, link=EVIL), gallery(2, ("a.png", EVIL, EVIL)), button(EVIL, "x" + EVIL),
        SampleWidget("map", {"address": EVIL, "text": EVIL}), form(title=EVIL, button=EVIL, thanks=EVIL), text(EVIL),
        *hostile_widgets(), title=EVIL,
    )  # fmt: skip
    fields = dict.fromkeys(("keywords", "description", "seo_title"), EVIL)
    return input_with(
        content,
        page("about", EVIL, ref=2, **fields),
        profile=profile,
        static_values={"hero": {"text": EVIL, "url": "javascript:x"}, "announcement": {"text": EVIL, "url": EVIL}},
        design=DesignChoice(directory=directory),
    )


@pytest.mark.parametrize("directory", ["consult", "coffee-house", "atelier", "corner-shop", "plain"])
def test_no_content_runs_scripts(directory: str) -> None:
    for path, html in rendered(hostile_input(directory)).items():
        if path.startswith("_site/"):
            continue
        document = Document(html)
        scripts = [each for each in document.all("script") if each.get("type") != "application/ld+json"]
        assert {(each.get("src") or "")[:18] for each in scripts} <= {"/_site/site.js?v=" + script_file().etag[1:2]}
        assert [each.text for each in scripts if each.text] == []
        assert document.all("iframe") == []
        assert [name for each in document.root.iter() for name in each.attrib if name.startswith("on")] == []
        addresses = [
            each.get(name, "") for each in document.root.iter() for name in ("href", "src", "action", "data-embed")
        ]
        assert [url for url in addresses if url.lower().startswith(("javascript:", "data:text"))] == []


def test_linked_data_cannot_leave_its_script() -> None:
    html = home_of(profile={"business": "</script><script>alert(1)</script>"}).html
    assert "<script>alert" not in html


def test_the_icon_is_a_picture_whatever_the_name() -> None:
    icon = rendered(input_with(profile={"business": "</text><script>"}))["_site/icon.svg"]
    assert ("<script" in icon, ">T</text>" in icon) == (False, True)


def test_positions_of_site_and_page_scripts() -> None:
    scripts = {"headscript": "<script>head()</script>", "bodyscript": "<script>body()</script>"}
    content = page(headscript="<meta name='own' content='1'>", bodyscript="<!-- own -->")
    html = rendered(input_with(content, page("about", "About", ref=2), global_values=scripts))
    head, _, body = html[""].partition("</head>")
    assert "<script>head()</script>\n<meta name='own' content='1'>\n" in head
    assert body.rstrip().endswith("<script>body()</script>\n<!-- own -->\n</body>\n</html>")
    assert ("head()" in html["about"], "own" in html["about"]) == (True, False)


def test_a_preview_has_no_scripts() -> None:
    raw = SampleWidget("html", {"html": "<b>kept</b><script>raw()</script>"})
    scripts = {"headscript": "<script>head()</script>", "bodyscript": "<script>body()</script>"}
    render_input = input_with(page_with(raw), global_values=scripts)
    html = Rendering(render_input, builtin_design("consult"), "preview").home_page().decode()
    document = Document(html)
    assert (document.all("script"), document.all("link", rel="stylesheet"), "kept" in html) == ([], [], True)
    assert document.one("base", target="_blank") is not None
    assert "--c-accent" in document.text("style")


def test_rendering_is_deterministic() -> None:
    first, second = (Rendering(hostile_input("consult"), builtin_design("consult")).files() for _ in range(2))
    assert first == second
    assert gzip.decompress(first[0].body)
