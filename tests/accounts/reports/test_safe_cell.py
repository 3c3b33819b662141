"""No cell is taken for a formula; the database's guard is the same as the one in Python."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.spreadsheets import safe_cell
from tests.support.depth import cases
from tests.support.users import OwnerConnection

SIGNS = "=+-@＝＋－＠﹢﹣﹦﹫"
SEPARATORS = ";,|\t\n\r\x0b\x0c\x85\u2028\u2029"
SKIPPED = ["", " ", "   ", '"', "\u00a0", "\u3000", "\u200b", "\ufeff", ' " ']
CHARACTERS = st.one_of(
    st.sampled_from(f"{SIGNS}{SEPARATORS}'\" \x00\u00a0\u2003\u200b\ufeff\u3000"), st.characters(codec="utf-8")
).filter(lambda c: c != "\0")


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("skipped", SKIPPED)
def test_an_apostrophe_precedes_every_character_that_could_begin_a_formula(sign: str, skipped: str) -> None:
    assert safe_cell(f"{skipped}{sign}1+1") == f"{skipped}'{sign}1+1"
    for separator in SEPARATORS:
        assert safe_cell(f"x{separator}{skipped}{sign}1+1") == f"x{separator}{skipped}'{sign}1+1"
    assert safe_cell(f";{sign}1\t{sign}2") == f";'{sign}1\t'{sign}2"


@pytest.mark.parametrize(
    "text", ["", "Ann", "1-2", "a=b", "ann+x@mail.example", "x; y, z", "'=1", "x;'=1", "3 - 4", "\t1"]
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert safe_cell(text) == text


def test_safe_text_is_unchanged() -> None:
    assert safe_cell(safe_cell("=1;+2")) == "'=1;'+2"


@pytest.mark.parametrize("repeated", [";", " ", "; ", "\t", '"', "=", ";=", " ;"])
def test_the_longest_cells_take_no_time(repeated: str) -> None:
    before = time.process_time()
    safe_cell(repeated * 100_000)
    assert time.process_time() - before < 2, "quadratic time would take minutes"


async def test_the_database_function_matches_the_python_one(owner_connection: OwnerConnection) -> None:
    @given(st.lists(st.text(CHARACTERS, max_size=4), max_size=50))
    @cases(40, 2000)
    def collect(texts: list[str]) -> None:
        collected.extend(texts)

    collected: list[str] = [*SIGNS, *SEPARATORS, "", *(f"x{each};{sign}" for each in SKIPPED for sign in SIGNS)]
    collect()
    guarded = await owner_connection.fetch(
        "select safe_cell(text) from unnest($1::text[]) with ordinality as given (text, place) order by place",
        collected,
    )
    assert [row[0] for row in guarded] == [safe_cell(text) for text in collected]
    assert await owner_connection.fetchval("select safe_cell(null)") is None
