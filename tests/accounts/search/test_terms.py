"""What texts are found by, and what a search looks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.accounts.search.terms import (
    MAX_TERM,
    MAX_TERMS_OF_TEXT,
    fold,
    terms_of_hosts,
    terms_of_texts,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Anna", {"anna"}),
        ("José María", {"jose", "maria"}),
        ("Weiß", {"weiss"}),
        ("Łukasz Ørsted", {"lukasz", "orsted"}),
        ("O'Brien", {"obrien"}),
        ("Anna-Lena", {"anna-lena", "lena"}),
        ("anna_schmidt", {"anna_schmidt", "schmidt"}),
        ("Example Ltd.", {"example", "ltd."}),
        ("J.Smith", {"j.smith", "smith"}),
        ("Анна", {"анна"}),
        ("山田", {"山田"}),
        ("Ａnna", {"anna"}),
        ("- !", set()),
        ("anna.schmidt@mail.example", {"anna.schmidt@mail.example", "schmidt@mail.example", "mail.example"}),
    ],
)
def test_terms_of_texts(text: str, terms: set[str]) -> None:
    assert terms_of_texts([text]) == terms


def test_terms_of_hosts_have_no_last_label_alone() -> None:
    assert terms_of_hosts(["www.my-shop.example.com"]) == {
        "www.my-shop.example.com",
        "my-shop.example.com",
        "shop.example.com",
        "example.com",
    }
    assert terms_of_hosts(["xn--bcher-kva.example"]) >= {"xn--bcher-kva.example", "bucher.example"}


@pytest.mark.parametrize(
    ("search", "words"),
    [
        ("  Anna   SCHMIDT ", ["anna", "schmidt"]),
        ("anna ann an", ["anna"]),
        ("(Anna), weiß!", ["anna", "weiss"]),
        ("Anna.Schmidt@Mail.Example", ["anna.schmidt@mail.example"]),
        ("o'br", ["obr"]),
        ("%", []),
        ("' - _", []),
    ],
)
def test_words_of_a_search(search: str, words: list[str]) -> None:
    assert words_of(search) == words


@given(st.text(max_size=300))
def test_terms_are_bounded_and_a_text_is_found_by_its_words(text: str) -> None:
    terms = terms_of_texts([text])
    assert len(terms) <= MAX_TERMS_OF_TEXT
    assert all(0 < len(term) <= MAX_TERM for term in terms)
    assert fold(fold(text)) == fold(text)
    words = words_of(text.partition("\n")[0])
    if len(terms) < MAX_TERMS_OF_TEXT and "@" not in fold(text):
        assert all(any(term.startswith(word) for term in terms) for word in words)
