"""The database's guard against formulas is the same as the one in Python."""

from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.spreadsheets import safe_cell
from tests.support.depth import cases
from tests.support.users import OwnerConnection

CHARACTERS = st.one_of(st.sampled_from("=+-@\t\r\n'\"| \x0b\x00"), st.characters(codec="utf-8")).filter(
    lambda c: c != "\0"
)


async def test_the_databases_guard_is_ours(owner_connection: OwnerConnection) -> None:
    @given(st.lists(st.text(CHARACTERS, max_size=4), max_size=50))
    @cases(40, 2000)
    def collect(texts: list[str]) -> None:
        collected.extend(texts)

    collected: list[str] = [*"=+-@\t\r\n", ""]
    collect()
    guarded = await owner_connection.fetch(
        "select safe_cell(text) from unnest($1::text[]) with ordinality as given (text, place) order by place",
        collected,
    )
    assert [row[0] for row in guarded] == [safe_cell(text) for text in collected]
    assert await owner_connection.fetchval("select safe_cell(null)") is None
