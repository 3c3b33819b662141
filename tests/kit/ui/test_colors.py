"""The accent of a brand is readable wherever it is used, whatever color was configured."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitewright.kit.ui.colors import SURFACES, accent_for, contrast, luminance, mix
from sitewright.kit.ui.tokens import Theme, colors

THEMES = get_args(Theme)
COLORS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


@given(COLORS, st.sampled_from(THEMES))
def test_any_accent_is_readable(color: str, theme: Theme) -> None:
    accent, tokens = accent_for(color, theme), colors(theme)
    for other in (accent.on_accent, accent.accent_soft, *(tokens[name] for name in SURFACES)):
        assert contrast(accent.accent, other) >= 4.5


@given(COLORS, st.sampled_from(THEMES))
def test_a_readable_accent_is_kept(color: str, theme: Theme) -> None:
    corrected = accent_for(color, theme).accent
    assert accent_for(corrected, theme).accent == corrected


@given(COLORS, COLORS)
def test_contrast_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert contrast(one, other) == contrast(other, one)
    assert 1 <= contrast(one, other) <= 21
    assert contrast(one, one) == 1


def test_known_values() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)  # the lightest gray that passes on white
    assert luminance("#ff0000") == pytest.approx(0.2126)
    assert mix("#000000", "#ffffff", 0.5) == "#808080"


@pytest.mark.parametrize("theme", THEMES)
def test_the_default_accent_needs_no_correction(theme: Theme) -> None:
    tokens = colors(theme)
    accent = accent_for(tokens["accent"], theme)
    assert (accent.accent, accent.on_accent) == (tokens["accent"], tokens["on-accent"])
    assert accent.accent_soft == tokens["accent-soft"]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", ["ink", "soft", "good", "warn", "bad", "accent"])
def test_texts_are_readable_on_every_surface(name: str, theme: Theme) -> None:
    tokens = colors(theme)
    surfaces = [*SURFACES, *([f"{name}-soft"] if f"{name}-soft" in tokens else [])]
    assert all(contrast(tokens[name], tokens[surface]) >= 4.5 for surface in surfaces)


@pytest.mark.parametrize("theme", THEMES)
def test_fields_have_visible_borders(theme: Theme) -> None:
    assert contrast(colors(theme)["field-line"], colors(theme)["surface"]) >= 3
