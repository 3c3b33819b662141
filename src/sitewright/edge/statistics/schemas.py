from typing import Annotated

import msgspec

from sitewright.kit.http.about import about

KEPT_DAYS = 400
LISTED = 50
"""How many pages and referrers are listed, those with the most first."""


class Period(msgspec.Struct, frozen=True):
    """The days that statistics cover."""

    days: Annotated[int, about("How many days, up to today in the brand's zone.", 30, ge=1, le=KEPT_DAYS)] = 30


class Day(msgspec.Struct, frozen=True):
    """What was counted on one day."""

    date: Annotated[str, about("The day, in the brand's zone.", "2026-01-31")]
    visits: Annotated[int, about("Visits begun.", 12)]
    views: Annotated[int, about("Pages seen.", 40)]


class PageViews(msgspec.Struct, frozen=True):
    """How often a page was seen."""

    path: Annotated[str, about("Its path in URLs; empty for the home page.", "menu")]
    visits: Annotated[int, about("Visits that began here.", 3)]
    views: Annotated[int, about("How often it was seen.", 9)]


class Referrer(msgspec.Struct, frozen=True):
    """Another host, whose pages led visitors here."""

    host: Annotated[str, about("The host; `*` for those beyond 200 a day, counted together.", "search.example")]
    visits: Annotated[int, about("Visits that it led to.", 5)]


class Statistics(msgspec.Struct, frozen=True):
    """Visits to a site, without anything about the visitors."""

    visits: Annotated[int, about("Visits begun: views that no page of the site itself led to.", 120)]
    views: Annotated[int, about("Pages seen.", 400)]
    days: Annotated[
        list[Day], about("Every day, the oldest first.", [{"date": "2026-01-31", "visits": 12, "views": 40}])
    ]
    pages: Annotated[list[PageViews], about(f"The {LISTED} seen most.", [{"path": "menu", "visits": 3, "views": 9}])]
    referrers: Annotated[
        list[Referrer], about(f"The {LISTED} that led to most visits.", [{"host": "search.example", "visits": 5}])
    ]


class StatisticsResponse(msgspec.Struct, frozen=True):
    """The statistics of a site."""

    statistics: Annotated[Statistics, about("Visits, pages and referrers.", {"visits": 120, "views": 400})]
