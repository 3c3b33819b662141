"""Lists say when they were cut short, and how to see the rest."""

import pytest

from sitewright.cli.listing import MAX_LISTED, say_if_more


def test_nothing_is_said_about_a_complete_list(capsys: pytest.CaptureFixture[str]) -> None:
    say_if_more([1, 2], 2)
    assert capsys.readouterr().err == ""


def test_a_list_that_was_cut_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    say_if_more([1, 2, 3], 2)
    assert "first 2 are shown; there are more" in (said := capsys.readouterr().err)
    assert "--limit" in said


def test_the_largest_limit_is_not_suggested_again(capsys: pytest.CaptureFixture[str]) -> None:
    say_if_more(range(MAX_LISTED + 1), MAX_LISTED)
    assert "--limit" not in capsys.readouterr().err
