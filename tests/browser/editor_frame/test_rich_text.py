"""Rich text in the editor's frame: formatting, links, lists, undo and paste. What it sends passes the sanitizer."""

import httpx
import pytest

from sitewright.sites.publishing.sanitizing import rich_text
from tests.browser.conftest import OpenWindow
from tests.browser.editor_frame.embedding import EditorFrame
from tests.browser.editor_frame.stage import Stage, make_stage
from tests.support.customers import done

pytestmark = pytest.mark.system
PASTE = """(element, html) => {
  const data = new DataTransfer();
  data.setData("text/html", html);
  element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""
WORD = """<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin:0cm}</style>
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings/></xml><![endif]--></head><body lang=EN-US style='tab-interval:36pt'>
<!--StartFragment--><h1 style='mso-fareast-font-family:"Times New Roman"'>Opening hours<o:p></o:p></h1>
<p class=MsoNormal style='margin-bottom:8pt'><span style='font-family:"Calibri",sans-serif'>We are <b
style='mso-bidi-font-weight:normal'>open</b> every <i>day</i>, see <a href="https://hours.example/">here</a>.<o:p></o:p></span></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;
</span></span></span><![endif]>Tea<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o<span>&nbsp;</span>
</span>Green</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·<span>&nbsp;</span>
</span>Coffee</p>
<p class=MsoNormal><img src="file:///C:/x/image001.png" onerror="alert(1)">After</p><!--EndFragment--></body></html>"""
CLEAN = (
    "<h2>Opening hours</h2><p>We are <strong>open</strong> every <em>day</em>, see"
    ' <a href="https://hours.example/" rel="noopener">here</a>.</p>'
    "<ul><li>Tea<ul><li>Green</li></ul></li><li>Coffee</li></ul><p>After</p>"
)
WEB_PAGE = """<meta charset='utf-8'><div class="x" style="color:red" onclick="alert(1)"><script>alert(1)</script>
<h2 id="a" class="title">News</h2><div><span style="font-weight:700">Bold</span> and <font color="red">red</font></div>
<a href="javascript:alert(1)">bad</a> <form><input value="x"><button>Go</button></form>
<b style="font-weight:normal" id="docs-internal-guid-1"><p dir="ltr">From a document</p></b></div>"""


async def edit(stage: Stage) -> EditorFrame:
    frame = stage.frame
    await frame.open()
    await frame.send(type="focus", widgetRef=stage.text, name="content", all=False)
    await frame.frame.locator(".ProseMirror").wait_for()
    return frame


async def value_of(frame: EditorFrame, stage: Stage, expected: str) -> None:
    """The value that was sent, which the sanitizer leaves alone."""
    await frame.expect("edited", widgetRef=stage.text, name="content", value=expected)
    assert rich_text(expected) == expected


async def select_all(frame: EditorFrame) -> None:
    await frame.page.keyboard.press("Control+a")


async def test_formats(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "formats.example")
    frame = await edit(stage)
    keyboard = frame.page.keyboard
    await select_all(frame)
    await keyboard.type("One")
    await select_all(frame)
    await keyboard.press("Control+b")
    await value_of(frame, stage, "<p><strong>One</strong></p>")
    await frame.button("Italic").click()
    await value_of(frame, stage, "<p><strong><em>One</em></strong></p>")
    await frame.button("Center").click()
    await value_of(frame, stage, '<p class="center"><strong><em>One</em></strong></p>')
    await frame.frame.get_by_label("Paragraph").select_option(label="Heading")
    await value_of(frame, stage, "<h2><strong><em>One</em></strong></h2>")
    await frame.frame.get_by_label("Paragraph").select_option(label="Paragraph")
    await frame.button("Quotation").click()
    await value_of(frame, stage, "<blockquote><p><strong><em>One</em></strong></p></blockquote>")
    await frame.button("Quotation").click()
    await frame.button("Numbered list").click()
    await value_of(frame, stage, "<ol><li><strong><em>One</em></strong></li></ol>")
    await keyboard.press("Escape")
    await frame.expect("edited", isFinal=True)
    assert await frame.frame.locator(".ProseMirror, [contenteditable]").count() == 0
    assert await frame.widget(stage.text).inner_html() == "<ol><li><p><strong><em>One</em></strong></p></li></ol>"


async def test_links(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "linking.example")
    frame = await edit(stage)
    await select_all(frame)
    await frame.page.keyboard.press("Control+k")
    await frame.expect("pickLink", widgetRef=stage.text, href="")
    await frame.frame.get_by_label("Address of the link").fill("javascript:alert(1)")
    await frame.button("Apply").click()
    await frame.page.keyboard.press("Control+k")
    await frame.frame.get_by_label("Address of the link").fill("menu")
    await frame.page.keyboard.press("Enter")
    linked = '<a href="/menu" rel="noopener">'
    await value_of(frame, stage, f"<p>{linked}Open <strong>daily</strong>.</a></p>")
    await frame.send(type="insertLink", widgetRef=stage.text, href="https://other.example/")
    linked = '<a href="https://other.example/" rel="noopener">'
    await value_of(frame, stage, f"<p>{linked}Open <strong>daily</strong>.</a></p>")
    await frame.send(type="insertLink", widgetRef=stage.text, href="")
    await value_of(frame, stage, "<p>Open <strong>daily</strong>.</p>")


async def test_pastes_clean_text(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "pastes.example")
    frame = await edit(stage)
    editor = frame.frame.locator(".ProseMirror")
    await select_all(frame)
    await editor.evaluate(PASTE, WORD)
    await value_of(frame, stage, CLEAN)
    await select_all(frame)
    await editor.evaluate(PASTE, WEB_PAGE)
    await value_of(
        frame, stage, '<h2>News</h2><p><strong>Bold</strong> and red</p><p>bad</p><p dir="ltr">From a document</p>'
    )
    frame.window.faults.clear()  # the event handlers in what was pasted are blocked, and reported


async def test_undo_ends_with_the_editors_own(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "undoes.example")
    frame = await edit(stage)
    await frame.page.keyboard.type("!")
    await value_of(frame, stage, "<p>Open <strong>daily</strong>.!</p>")
    await frame.page.keyboard.press("Control+z")
    await value_of(frame, stage, "<p>Open <strong>daily</strong>.</p>")
    assert await frame.received("shortcut") == []
    await frame.page.keyboard.press("Control+z")
    await frame.expect("shortcut", name="undo")


async def test_pictures_and_tables_are_kept(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "keeps.example")
    kept = (
        '<p class="end">A <img src="https://pictures.example/a.jpg" alt="B" loading="lazy"></p>'
        "<table><tbody><tr><td>C</td></tr></tbody></table><ul><li>D</li></ul><p>E <sub>F</sub> <small>G</small></p>"
    )
    await stage.customer.set_values(stage.text, content=kept)
    assert rich_text(kept) == kept
    frame = await edit(stage)
    await frame.page.keyboard.type("!")
    await value_of(frame, stage, kept.replace("</small></p>", "!</small></p>"))
    await frame.send(type="insertImage", widgetRef=stage.text, src="media:5", alt="H", display="/favicon.svg")
    edited = await frame.expect("edited", isFinal=False)
    while "media:5" not in edited["value"]:
        edited = await frame.expect("edited", isFinal=False)
    assert '<img src="media:5" alt="H" loading="lazy">' in edited["value"]
    frame.window.faults.clear()  # the picture of another host does not exist
    await done(client.get(f"{stage.customer.path}/pages"))


async def test_dropped_and_pasted_pictures(client: httpx.AsyncClient, window: OpenWindow) -> None:
    stage = await make_stage(client, window, "files.example")
    frame = stage.frame
    await frame.open()
    send = """(element, type) => {
      const data = new DataTransfer();
      data.items.add(new File(["x"], "cup.png", { type: "image/png" }));
      data.items.add(new File(["x"], "page.html", { type: "text/html" }));
      const { left, top, height } = element.getBoundingClientRect();
      const where = { clientX: left + 20, clientY: top + height - 2, bubbles: true, cancelable: true };
      element.dispatchEvent(type === "drop" ? new DragEvent("drop", { dataTransfer: data, ...where })
        : new ClipboardEvent("paste", { clipboardData: data, ...where }));
    }"""
    await frame.widget(stage.heading).evaluate(send, "drop")
    await frame.expect("files", widgetRef=None, parentId="page-zones__main", position=1)
    names = "received.at(-1).files.map(each => each.name)"
    assert await frame.page.evaluate(names) == ["cup.png", "page.html"]  # the page says why one is refused
    await frame.send(type="focus", widgetRef=stage.text, name="content", all=False)
    await frame.frame.locator(".ProseMirror").evaluate(send, "paste")
    await frame.expect("files", widgetRef=stage.text, position=1)
