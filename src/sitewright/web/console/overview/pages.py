"""`/console/overview`: the brand's figures for any period, compared with the period before."""

from datetime import date

from sitewright.kit.auth.rights import Right
from sitewright.kit.http.responses import Response
from sitewright.kit.validation import parse_query
from sitewright.statistics import service as statistics
from sitewright.statistics.schemas import PeriodFilter
from sitewright.statistics.service import DayError
from sitewright.web.console.frame.console_pages import console_page
from sitewright.web.console.frame.console_request import ConsoleRequest
from sitewright.web.console.frame.navigation import OVERVIEW
from sitewright.web.console.frame.page_routes import page_route
from sitewright.web.console.frame.rendering import render
from sitewright.web.console.overview.choices import period_choices, period_text
from sitewright.web.console.overview.view import OverviewView


async def show_overview(request: ConsoleRequest) -> Response:
    """With wrong days: their errors, and the default period."""
    asked = parse_query(request.http_request.query)
    first, last = (asked.get(name) or None for name in ("from", "to"))
    today, time_zone = await statistics.today_of_brand(request.tx)
    errors = statistics.find_day_errors(first, last, today)
    period = statistics.period_of(*((None, None) if errors else (first, last)), today, time_zone)
    found = await statistics.read(request.tx, period)
    messages = request.messages
    return render(
        request,
        "overview.html",
        400 if errors else 200,
        action=OVERVIEW,
        choices=period_choices(messages, period, today),
        typed={"from": first or period.first, "to": last or period.last} if errors else _days(period),
        errors={each.field: _text(request, each, today) for each in errors},
        earliest=statistics.EARLIEST,
        today=today,
        shown_period=period_text(messages, period),
        previous_period=period_text(messages, period.previous),
        time_zone=time_zone,
        view=OverviewView(found, messages),
    )


def _days(period: statistics.Period) -> dict[str, date]:
    return {"from": period.first, "to": period.last}


def _text(request: ConsoleRequest, error: DayError, today: date) -> str:
    facts = {"earliest": statistics.EARLIEST, "today": today}
    shown = {name: period_text(request.messages, statistics.Period(day, day, "UTC")) for name, day in facts.items()}
    return request.messages(f"overview_wrong_{error.kind}", most=statistics.MAX_DAYS, **shown)


PAGES = [
    console_page(
        page_route(
            OVERVIEW,
            "showOverview",
            "The brand's figures for a period, compared with the one before.",
            PeriodFilter,
            {400: "The page with the errors of the days, and the default period."},
        ),
        show_overview,
        right=Right.READ,
    ),
]
