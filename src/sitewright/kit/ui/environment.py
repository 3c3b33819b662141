"""The Jinja environment of pages: a feature's templates, which extend and use those of the design system."""

from pathlib import Path

import jinja2

from sitewright.kit.ui import assets, charts
from sitewright.kit.ui.accent_style import InlineStyle, inline_style

TEMPLATES = Path(__file__).parent / "templates"


def page_environment(*folders: Path) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, TEMPLATES]),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
    )
    environment.globals |= {"asset": assets.url_of, "line_chart": charts.line_chart, "inline_style": None}
    return environment


def message_style() -> InlineStyle:
    """The whole style of a page with one message, for hosts that serve no other files of ours."""
    return inline_style(assets.read_styles(assets.MESSAGE_SHEETS))
