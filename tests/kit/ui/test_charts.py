"""Charts in pages."""

import re
from decimal import Decimal
from typing import get_args

import pytest

from sitewright.kit.http.messages import COMMON_CATALOG
from sitewright.kit.ui.colors import contrast
from sitewright.kit.ui.plots import line_plot, stacked_plot
from sitewright.kit.ui.tokens import Theme, colors
from tests.support.sample_pages import sample_pages

THEMES = get_args(Theme)


def test_a_chart_without_data_says_so_in_words() -> None:
    page = sample_pages()["components"].body.decode()
    with_data, without = page.split("Visits of the last days", 1)[1].split("Visits before the first one", 1)
    assert "<svg" in with_data.split("</figure>")[0]
    empty = without.split("</figure>")[0]
    assert "There is no data yet." in empty
    assert "<svg" not in empty
    assert "<table" not in empty


def chart_of(title: str) -> str:
    page = sample_pages()["components"].body.decode()
    return page.split(f"<figcaption>{title}</figcaption>", 1)[1].split("</figure>")[0]


def test_a_chart_has_a_title_a_description_and_its_numbers_as_a_table() -> None:
    lines = chart_of("Accounts compared with the month before")
    assert 'role="img" aria-labelledby="lines-title lines-description"' in lines
    assert '<title id="lines-title">Accounts compared with the month before</title>' in lines
    assert "Accounts: 11,902 on 1 Jan, 12,494 on 31 Jan, at most 12,494." in lines
    table = lines.split("<details>")[1]
    assert table.count("<tr>") == 1 + 31
    cells = '<td class="number" data-value="12494">12,494</td><td class="number" data-value="11890">11,890</td>'
    assert f'<th scope="row">31 Jan</th>{cells}' in table
    assert 'class="curve series-2 previous"' in lines


def test_many_values_are_areas_and_few_are_bars() -> None:
    assert chart_of("Registrations by package").count("<rect") == 3 + 3 * 31  # with those of the legend
    assert chart_of("Accounts by package").count("<polygon") == 5


def test_charts_without_days_say_so_in_words() -> None:
    assert "There is no data yet." in chart_of("Revenue before the first day")
    assert "<svg" not in chart_of("Revenue before the first day")
    assert "<polyline" in chart_of("Revenue of one day")


def test_cohorts_show_shares_of_those_who_began() -> None:
    page = sample_pages()["components"].body.decode()
    table = page.split("<caption>Conversion by week of registration</caption>")[1].split("</table>")[0]
    cells = [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in re.findall(r"<td.*?</td>", table, re.DOTALL)]
    assert cells[:3] == ["412", "251 61%", "97 24%"]
    assert cells[-3:] == ["0", "0 0%", "0 0%"]


def test_the_reader_sees_numbers_in_their_language() -> None:
    german = COMMON_CATALOG.messages_for("de", None, "")
    assert german.number(12480.5) == "12.480,5"
    assert german.percent(0.25) == "25\xa0%"
    assert german.money(Decimal(1290), "EUR") == "1.290,00\xa0€"


@pytest.mark.parametrize(
    ("maximum", "ticks"),
    [
        (0, [1, 0]),
        (1, [1, 0]),
        (3, [3, 2, 1, 0]),
        (7, [8, 6, 4, 2, 0]),
        (10, [10, 5, 0]),
        (12, [15, 10, 5, 0]),
        (37, [40, 30, 20, 10, 0]),
        (98_000, [100_000, 50_000, 0]),
    ],
)
def test_a_scale_has_round_numbers(maximum: int, ticks: list[int]) -> None:
    plot = line_plot([[0, maximum]])
    assert plot.ticks == ticks
    assert (plot.lines[0], plot.lines[-1]) == (0, plot.height)


def test_series_stand_on_each_other() -> None:
    lower, upper = stacked_plot([[1, 2], [3, 0]]).bars
    assert [bar.y + bar.height for bar in upper] == [bar.y for bar in lower]
    assert upper[1].height == 0
    assert lower[0].y + lower[0].height == 200


@pytest.mark.parametrize("theme", THEMES)
def test_series_can_be_seen(theme: Theme) -> None:
    tokens = colors(theme)
    assert all(contrast(tokens[f"series-{number}"], tokens["surface"]) >= 3 for number in range(2, 6))
