"""The redirects of a snapshot, in a file of their own that the edge server reads where there is no page."""

from collections.abc import Sequence

import msgspec

from sitewright.sites.content.service import RedirectTarget
from sitewright.sites.publishing.render_input import File, compressed_file
from sitewright.sites.publishing.views import page_url

REDIRECTS = ":redirects"


def add_redirects(files: list[File], targets: Sequence[RedirectTarget]) -> list[File]:
    """Add the redirects from paths without a page to pages of the snapshot and to other websites."""
    pages = {file.path for file in files}
    useful = [each for each in targets if _is_useful(each, pages)]
    if not useful:
        return files
    leading = {each.from_path: each.url or page_url(each.page_path or "") for each in useful}
    return [*files, compressed_file(REDIRECTS, "application/json", msgspec.json.encode(leading))]


def _is_useful(target: RedirectTarget, pages: set[str]) -> bool:
    is_there = target.url is not None or target.page_path in pages or page_url(target.page_path or "") == "/"
    return is_there and target.from_path not in pages
