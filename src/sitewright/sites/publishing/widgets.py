"""View models of a page's widgets: by kind, with parsed and sanitized values."""

from collections.abc import Iterator

from sitewright.sites.content import service as content
from sitewright.sites.content.schemas import MAIN_ZONE, PageContent, WidgetContent
from sitewright.sites.publishing.budget import Budget
from sitewright.sites.publishing.editing import is_empty, marked_view
from sitewright.sites.publishing.pictures import Loading, Pictures
from sitewright.sites.publishing.views import Business, Section
from sitewright.sites.publishing.widget_views import business as business_views
from sitewright.sites.publishing.widget_views import contact, pictures, text
from sitewright.sites.publishing.widget_views.page_state import Builder, PageState, Values, View

ZONE = "page-zones__"
FOOTER_ZONE = ZONE + "footer"
MAX_DEPTH = 4
"""Columns nested deeper than this are left out."""


def _space(_page: PageState, values: Values, _depth: int) -> View:
    return {"height": values["height"]}


def _divider(_page: PageState, values: Values, _depth: int) -> View:
    return {"style": values["style"]}


BUILDERS: dict[str, Builder] = {
    **text.BUILDERS,
    **pictures.BUILDERS,
    **business_views.BUILDERS,
    **contact.BUILDERS,
    "space": _space,
    "divider": _divider,
}
"""All but `columns`, which contains other widgets."""
KINDS = frozenset(BUILDERS) | {"columns"}


class WidgetViews:
    """View models of one page's widgets. `is_own_host`: for the site's own hosts, where raw HTML is allowed.

    `is_editing`: every widget has its mark, and one that has nothing to show has a placeholder.
    """

    def __init__(
        self,
        page: PageContent,
        business: Business,
        *,
        is_own_host: bool,
        budget: Budget,
        language: str = "en",
        pictures: Pictures | None = None,
        loading: Loading | None = None,
        is_editing: bool = False,
    ) -> None:
        self._page = page
        self._budget = budget
        self._is_editing = is_editing
        self._state = PageState(
            business=business,
            language=language,
            is_own_host=is_own_host,
            pictures=pictures or Pictures({}),
            loading=loading or Loading(),
        )

    def sections(self) -> list[Section]:
        """Return the main zone, then other zones; each heading of the first or second level begins a section."""
        found: list[Section] = []
        for view in [each for zone in self._zones() for each in self._inside(zone)]:
            if view["kind"] == "heading" and view["level"] == 2 and not is_empty(view):
                found.append(Section(view, []))
            else:
                if not found:
                    found.append(Section(None, []))
                found[-1].widgets.append(view)
        return found

    def footer(self) -> list[View]:
        return list(self._inside(FOOTER_ZONE))

    @property
    def needs_script(self) -> bool:
        """Whether a widget among those returned so far uses the script of published sites."""
        return self._state.needs_script

    def _zones(self) -> list[str]:
        others = [zone for zone in self._page.by_parent if zone.startswith(ZONE) and zone.count("__") == 1]
        return [MAIN_ZONE, *sorted(set(others) - {MAIN_ZONE, FOOTER_ZONE})]

    def _inside(self, parent_id: str, depth: int = 0) -> Iterator[View]:
        for position, widget in enumerate(self._page.inside(parent_id)):
            self._budget.check_time()
            kind = widget.type.removeprefix("widget.")
            values = content.values_with_defaults(widget) if kind in KINDS else {}
            view = self._view(kind, widget, values, depth) if kind in KINDS else None
            if self._is_editing:
                view = marked_view(kind, view, widget, values, position)
            if view is not None:
                yield {"kind": kind, **view}

    def _view(self, kind: str, widget: WidgetContent, values: Values, depth: int) -> View | None:
        return self._columns(widget, values, depth) if kind == "columns" else BUILDERS[kind](self._state, values, depth)

    def _columns(self, widget: WidgetContent, values: Values, depth: int) -> View | None:
        if depth >= MAX_DEPTH:
            return None
        inside = self._page.columns_of(widget, values["columns"])
        around = self._state.columns_around
        self._state.columns_around = around * values["columns"]
        columns = [
            list(self._inside(f"{widget.own_id}__{number}", depth + 1)) if widgets else []
            for number, widgets in enumerate(inside)
        ]
        self._state.columns_around = around
        view = {"columns": columns, "gap": values["gap"], "zone": widget.own_id}
        return view if self._is_editing or any(columns) else None
