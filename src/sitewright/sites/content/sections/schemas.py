"""Wire schemas of ready-made sections."""

from typing import Annotated

import msgspec

from sitewright.kit.http.about import about

_HEADING = {"type": "widget.heading", "values": {"text": "Opening hours"}}


class SectionBlock(msgspec.Struct, frozen=True):
    """A widget that a section adds."""

    type: Annotated[str, about("The widget's type.", "widget.heading")]
    values: Annotated[dict[str, str], about("Its values by name.", {"text": "Opening hours"})]


class SectionWidget(SectionBlock, frozen=True):
    """A widget that a section adds to the main zone, and what stands in its columns."""

    columns: Annotated[list[list[SectionBlock]], about("The widgets in each of its columns, in order.", [])]


class Section(msgspec.Struct, frozen=True):
    """Widgets that belong together, added by one change."""

    name: Annotated[str, about("The value of `section` in the change `addSection`.", "openingHours")]
    title: Annotated[str, about("Its name for people, in the caller's language.", "Opening hours")]
    description: Annotated[str, about("What it shows, in the caller's language.", "When you are open, day by day.")]
    widgets: Annotated[list[SectionWidget], about("What it adds, in order.", [{**_HEADING, "columns": []}])]


class SectionList(msgspec.Struct, frozen=True):
    """The ready-made sections."""

    sections: Annotated[
        list[Section],
        about(
            "All of them.",
            [{"name": "openingHours", "title": "Opening hours", "description": "When you are open, day by day.",
              "widgets": [{**_HEADING, "columns": []}]}],
        ),
    ]  # fmt: skip
