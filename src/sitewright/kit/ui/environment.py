"""The Jinja environment of pages: a feature's templates, which extend and use those of the design system."""

from pathlib import Path

import jinja2

from sitewright.kit.ui import assets, charts, plots
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
    environment.globals |= {
        "line_plot": plots.line_plot,
        "stacked_plot": plots.stacked_plot,
        "share_of": plots.share_of,
        "axis_labels": plots.axis_labels,
    }
    environment.filters["number_column"] = number_column
    return environment


def number_column(label: str) -> dict[str, str | bool]:
    """A column of numbers, for the macro `table`."""
    return {"label": label, "number": True}


def message_style() -> InlineStyle:
    """The whole style of a page with one message, for hosts that serve no other files of ours."""
    return inline_style(assets.read_styles(assets.MESSAGE_SHEETS))
