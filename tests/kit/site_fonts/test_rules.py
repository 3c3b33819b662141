"""The style rules of bundled fonts, and which files they name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sitewright.kit import site_fonts
from tests.support.bundled_fonts import CONTENT, EXTENDED, LATIN, OTHER_RELEASES, bundled_fonts


@pytest.fixture
def fonts(tmp_path: Path) -> Iterator[None]:
    with bundled_fonts(tmp_path):
        yield


def test_a_value_names_fonts_by_their_keys() -> None:
    assert site_fonts.families_in("font(lora), Georgia") == ["lora"]
    assert site_fonts.expand("font(lora)") == '"Lora","Lora Fallback",Georgia,serif'
    assert (site_fonts.families_in("Georgia, serif"), site_fonts.expand("Georgia")) == ([], "Georgia")


def test_an_unknown_font_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"no bundled font unheard-of; known are .*lora"):
        site_fonts.families_in("font(unheard-of)")


def test_each_subset_has_a_rule_and_each_weight_a_fallback_of_the_same_size(fonts: None) -> None:
    rules = site_fonts.face_rules(["lora", "figtree"])  # figtree was not built
    assert re.findall(r"url\(([^)]+)\)", rules) == [f"/_site/fonts/{name}" for name in (LATIN, EXTENDED)]
    assert rules.count("font-display:optional") == 2, "a font that is late must not move the page"
    assert site_fonts.swapping(rules).count("font-display:swap") == 2
    assert re.findall(r'"Lora Fallback";font-weight:([0-9 ]+)', rules) == ["100 549", "550 900"]
    assert "size-adjust:115.08%;ascent-override:87.42%;descent-override:23.64%" in rules
    assert "Figtree" not in rules


def test_only_the_latin_subset_is_preloaded(fonts: None) -> None:
    assert site_fonts.first_urls(["lora", "figtree"]) == [f"/_site/fonts/{LATIN}"]


def test_a_file_is_found_by_its_name_and_by_that_of_another_release(fonts: None) -> None:
    exact, other = site_fonts.find_file(LATIN), site_fonts.find_file(OTHER_RELEASES)
    assert (exact, other) == (
        site_fonts.FontFile(CONTENT[LATIN], is_exact=True),
        site_fonts.FontFile(CONTENT[LATIN], is_exact=False),
    )


@pytest.mark.parametrize("name", ["", "lora-latin.woff2", "../manifest.json", "manifest.json", "x-latin.0123456789ab"])
def test_no_other_name_is_found(fonts: None, name: str) -> None:
    assert site_fonts.find_file(name) is None


def test_a_manifest_may_have_fonts_that_this_release_no_longer_knows(fonts: None) -> None:
    assert set(site_fonts.manifest()) == {"lora"}
