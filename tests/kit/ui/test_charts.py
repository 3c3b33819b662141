"""Charts in pages."""

from tests.support.sample_pages import sample_pages


def test_a_chart_without_data_says_so_in_words() -> None:
    page = sample_pages()["components"].body.decode()
    with_data, without = page.split("Visits of the last days", 1)[1].split("Visits before the first one", 1)
    assert "<svg" in with_data.split("</figure>")[0]
    empty = without.split("</figure>")[0]
    assert "There is no data yet." in empty
    assert "<svg" not in empty
    assert "<table" not in empty
