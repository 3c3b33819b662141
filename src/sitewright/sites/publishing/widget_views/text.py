"""Views of text: rich text, headings, buttons, questions, lists with icons, news, raw HTML."""

from markupsafe import Markup

from sitewright.sites.publishing.local_formats import date_text
from sitewright.sites.publishing.news import anchor_of, newest_first
from sitewright.sites.publishing.raw_html import with_pictures
from sitewright.sites.publishing.sanitizing import rich_text, safe_url
from sitewright.sites.publishing.widget_views.page_state import Builder, PageState, Values, View, lines_of


def _content(page: PageState, values: Values, _depth: int) -> View | None:
    html = rich_text(values["content"], page.picture_html)
    return {"html": Markup(html)} if html.strip() else None  # noqa: S704 - cleaned


def _heading(page: PageState, values: Values, depth: int) -> View | None:
    text = values["text"].strip()
    level = max(2 if depth == 0 else 3, values["level"])
    return {"text": text, "level": level, "align": values["align"], "id": page.unique_id(text)} if text else None


def _button(_page: PageState, values: Values, _depth: int) -> View | None:
    text, url = values["text"].strip(), safe_url(values["url"])
    how = {"style": values["style"], "align": values["align"], "new_window": values["newWindow"]}
    return {"text": text, "url": url, **how} if text and url else None


def _html(page: PageState, values: Values, _depth: int) -> View | None:
    own = values["html"]
    html = with_pictures(own, page.pictures) if page.is_own_host else rich_text(own, page.picture_html)
    return {"html": Markup(html)} if html.strip() else None  # noqa: S704 - the site's own, on its own hosts


def _questions(_page: PageState, values: Values, _depth: int) -> View | None:
    questions = [
        {"question": each["question"].strip(), "html": Markup(rich_text(each["answer"]))}  # noqa: S704 - cleaned
        for each in values["questions"]
        if each["question"].strip()
    ]
    return {"questions": questions, "first_open": values["firstOpen"]} if questions else None


def _icon_list(_page: PageState, values: Values, _depth: int) -> View | None:
    entries = [
        {"icon": each["icon"], "title": each["title"].strip(), "text": lines_of(each["text"]), "url": each["url"]}
        for each in values["entries"]
    ]
    shown = [each | {"url": safe_url(each["url"])} for each in entries if each["title"] or each["text"]]
    return {"entries": shown, "columns": values["columns"]} if shown else None


def _news(page: PageState, values: Values, _depth: int) -> View | None:
    posts = [
        {
            "id": page.unique_id(anchor_of(each)),
            "date": each["date"],
            "day": date_text(page.language, each["date"]) if each["date"] else "",
            "title": each["title"].strip(),
            "html": Markup(rich_text(each["text"])),  # noqa: S704 - cleaned
            "picture": page.picture(each["image"], "(min-width: 40rem) 16rem, 100vw"),
            "alt": each["alt"].strip(),
            "url": safe_url(each["url"]),
        }
        for each in newest_first(values["posts"])[: values["count"]]
    ]
    return {"posts": posts} if posts else None


BUILDERS: dict[str, Builder] = {
    "content": _content,
    "heading": _heading,
    "button": _button,
    "questions": _questions,
    "iconList": _icon_list,
    "news": _news,
    "html": _html,
}
