"""News of a site: the posts of its news widgets, as widgets show them and as an Atom feed."""

import hashlib
from collections.abc import Iterable, Mapping
from xml.sax.saxutils import escape, quoteattr

import msgspec

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import PageContent
from sitewright.sites.publishing.sanitizing import rich_text
from sitewright.sites.publishing.views import page_url

FEED = "_site/feed.xml"
ATOM = "application/atom+xml; charset=utf-8"
MAX_POSTS = 50
"""In the feed."""


class Post(msgspec.Struct, frozen=True):
    """`anchor` identifies it within its page."""

    date: str
    title: str
    html: str
    anchor: str
    page: str


def anchor_of(post: Mapping[str, str]) -> str:
    """The same for the same date and title, so that feed readers recognize a post."""
    digest = hashlib.blake2b(post["title"].strip().encode(), digest_size=4).hexdigest()
    return "-".join(filter(None, ("news", post["date"], digest)))


def newest_first(posts: Iterable[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """Posts with a title; those without a date come last."""
    return sorted((each for each in posts if each["title"].strip()), key=lambda each: each["date"], reverse=True)


def posts_of(pages: Iterable[PageContent], home: PageContent | None) -> list[Post]:
    """The newest posts of the site that have a date."""
    found = [
        (each, "" if page is home else page.page.request.lower())
        for page in pages
        for widget in page.widgets
        if widget.type.removeprefix("widget.") == "news"
        for each in _posts(content.values_with_defaults(widget)["posts"])
    ]
    newest = sorted(found, key=lambda pair: pair[0]["date"], reverse=True)[:MAX_POSTS]
    return [
        Post(each["date"], each["title"].strip(), rich_text(each["text"]), anchor_of(each), path)
        for each, path in newest
    ]


def _posts(values: content.ParsedValue) -> list[Mapping[str, str]]:
    return [each for each in newest_first(values) if each["date"]] if isinstance(values, list) else []


def atom_feed(posts: list[Post], title: str, address: str, language: str) -> bytes:
    """Build the feed; `address` is the site's URL. Dates are days, which begin at midnight UTC."""
    entries = "".join(_entry(post, address) for post in posts)
    updated = posts[0].date if posts else "1970-01-01"
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(language)}>'
        f"<title>{_text(title)}</title><id>{_text(address)}/</id><updated>{updated}T00:00:00Z</updated>"
        f"<link href={quoteattr(address + '/')}/>"
        f'<link rel="self" href={quoteattr(f"{address}/{FEED}")} type="application/atom+xml"/>'
        f"<author><name>{_text(title)}</name></author>\n{entries}</feed>\n"
    )
    return text.encode()


def _entry(post: Post, address: str) -> str:
    url = f"{address}{page_url(post.page)}#{post.anchor}"
    return (
        f"<entry><title>{_text(post.title)}</title><id>{_text(url)}</id><link href={quoteattr(url)}/>"
        f'<updated>{post.date}T00:00:00Z</updated><content type="html">{_text(post.html)}</content></entry>\n'
    )


def _text(value: str) -> str:
    """Escape a text; control characters, which XML does not allow, are left out."""
    return escape("".join(each for each in value if (each >= " " or each in "\n\t") and each not in "\ufffe\uffff"))
