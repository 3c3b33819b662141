"""Every regular expression takes linear time on any text."""

import re

import pytest

from tests.support.expressions import Expression, expressions, slow_input

FORMER_AUTHORIZATION = r'\s*([^\s=",]+)\s*=\s*(?:"([^"]*)"|([^\s",]*))\s*(?:,|$)'
FORMER_RANGE = r"\s*bytes\s*=\s*(?P<first>[0-9]{0,18})\s*-\s*(?P<last>[0-9]{0,18})\s*"


@pytest.fixture(scope="module")
def all_expressions() -> list[Expression]:
    return expressions()


def test_every_expression_takes_linear_time(all_expressions: list[Expression]) -> None:
    """Where this fails, use possessive quantifiers (`*+`, `++`), which never backtrack; see decision 0034."""
    slow = {f"{each.place} {each.pattern!r}": slow_input(each) for each in all_expressions}
    assert {place: example for place, example in slow.items() if example is not None} == {}


@pytest.mark.parametrize(
    ("pattern", "flags", "is_searched"),
    [
        (FORMER_AUTHORIZATION, 0, False),
        (FORMER_RANGE, re.IGNORECASE, False),
        (r"(a+)+b", 0, False),
        (r"(?:a|ab?)*c", 0, False),
        (r"\s+$", 0, True),
        (rb"[a-z]+@[a-z]+", 0, True),
        (r"<!--.*?-->", re.DOTALL, True),
    ],
)
def test_slow_expressions_are_detected(pattern: str | bytes, flags: int, is_searched: bool) -> None:
    assert slow_input(Expression("here", pattern, flags, is_searched)) is not None


def test_the_expressions_of_the_source_are_found(all_expressions: list[Expression]) -> None:
    """Compiled, inline, of message fields, and one that only another module uses, with `fullmatch`."""
    places = {expression.place.rpartition(":")[0] for expression in all_expressions}
    assert places >= {
        f"sitewright/{name}.py" for name in ("kit/auth/oauth1", "sites/publishing/sanitizing", "settings")
    }
    [request_id] = [each for each in all_expressions if each.place.startswith("sitewright/kit/http/request_context.py")]
    assert not request_id.is_searched
