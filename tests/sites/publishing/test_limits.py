"""Size and time limits of rendering, and which sites are rendered in a child process."""

from collections.abc import Iterator

import pytest

from sitewright.catalogue.templates.service import BUILTIN
from sitewright.sites.publishing import render_pool, sandboxed_renderer
from sitewright.sites.publishing.budget import MIB, Budget, Limits, RenderingTooLarge
from sitewright.sites.publishing.views import business_of
from sitewright.sites.publishing.widgets import WidgetViews
from tests.sites.publishing.conftest import Stage
from tests.sites.publishing.pages import input_with, page, page_with, source_of
from tests.sites.publishing.test_publishable import publishable
from tests.support.cast import OWN_BRAND
from tests.support.responses import problem_in
from tests.support.sample_parts import heading, text

FEW = Limits(page_bytes=30_000, site_bytes=100_000)


def rendered_with(*pages: object, limits: Limits = FEW, **fields: object) -> sandboxed_renderer.RenderResult:
    source = source_of(input_with(*pages, **fields))  # type: ignore[arg-type]
    return sandboxed_renderer.render(
        sandboxed_renderer.RenderRequest(str(BUILTIN / "consult"), source, "files", limits)
    )


async def fill(stage: Stage, mebibytes: int) -> None:
    """One page with widgets of a MiB each, which compress to next to nothing."""
    page_ref = await stage.page()
    await stage.rows.execute(
        """
        with created as (
            insert into widgets (brand_ref, site_ref, page_ref, parent_id, collection, name, type, position)
            select $1, $2, $3, 'page-zones__main', 'widgets', 'w' || n, 'html', n from generate_series(1, $4::integer) n
            returning ref)
        insert into widget_values (brand_ref, widget_ref, name, value)
        select $1, ref, 'html', repeat('a', 1048576) from created
        """,
        OWN_BRAND,
        stage.ref,
        page_ref,
        mebibytes,
    )


def test_a_page_beyond_the_limit_is_named() -> None:
    result = rendered_with(page(), page("large", ref=2, headscript="x" * 40_000))
    assert result.too_large == "The page large is larger than 0 MiB when rendered."
    assert (result.files, result.problem and result.problem.code) == ([], "siteTooLarge")


def test_a_page_is_counted_in_bytes() -> None:
    assert rendered_with(page(headscript="\u20ac" * 12_000)).problem is not None
    assert rendered_with(page(headscript="e" * 12_000)).problem is None


def test_shared_content_counts_for_each_page() -> None:
    pages = [page(f"p{number}", ref=number) for number in range(1, 8)]
    assert rendered_with(*pages).problem is None
    assert "All pages together" in rendered_with(*pages, global_values={"headscript": "x" * 15_000}).too_large


def test_rendering_stops_at_the_limit() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "x" * 1000

    with pytest.raises(RenderingTooLarge, match="The page a is larger than 1 MiB"):
        Budget(Limits(page_bytes=MIB)).page("a", endless())


def test_files_are_counted_compressed_too() -> None:
    budget = Budget(Limits(site_bytes=1000 * MIB))
    budget.add_file(64 * MIB, 64 * MIB)
    with pytest.raises(RenderingTooLarge, match="when compressed"):
        budget.add_file(1, 1)


def test_the_loop_over_widgets_has_a_deadline() -> None:
    over = Budget(Limits(seconds=-1))
    views = WidgetViews(page_with(text("<p>x</p>")), business_of({}), is_own_host=True, budget=over)
    with pytest.raises(RenderingTooLarge, match="takes too long"):
        views.sections()


def test_ids_of_many_equal_headings_are_found_in_linear_time() -> None:
    """Each number was tried again for each heading: 20,000 of them took a minute and a half."""
    many = page_with(*(heading("Team") for _ in range(20_000)))
    views = WidgetViews(many, business_of({}), is_own_host=True, budget=Budget(Limits()))
    names = [section.heading["id"] for section in views.sections() if section.heading]
    assert (names[0], names[1], names[-1], len(set(names))) == ("team", "team-2", "team-20000", 20_000)


async def test_a_page_that_is_too_large_is_not_publishable(stage: Stage) -> None:
    await fill(stage, 11)
    response = await stage.client.post(f"{stage.path}/publish")
    assert problem_in(response) == (409, "siteTooLarge")
    assert response.json()["detail"].startswith("The page home is larger than 10 MiB")
    assert await stage.versions() == []
    assert await publishable(stage) == (False, ["siteTooLarge"])
    await stage.rows.execute("delete from widgets where name > 'w1'")
    assert await publishable(stage) == (True, [])


async def test_a_site_that_only_looks_small_is_rendered_in_a_child_process(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    where: list[bool] = []
    render = render_pool.render

    async def watched(*arguments: object, small: bool, **more: object) -> sandboxed_renderer.RenderResult:
        where.append(small)
        return await render(*arguments, small=small, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(render_pool, "render", watched)
    await stage.rows.execute("update profiles set fields = jsonb_build_object('copyright', repeat('c', 500000))")
    for number in range(9):
        await stage.page(f"p{number}", display_order=number)
    await stage.publish()
    assert where == [True, False]
    assert "c" * 500_000 in await stage.shown("p3")


async def test_check_results_are_cached(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    rendered = 0
    render = render_pool.render

    async def counted(*arguments: object, **options: bool) -> sandboxed_renderer.RenderResult:
        nonlocal rendered
        rendered += 1
        return await render(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(render_pool, "render", counted)
    page_ref = await stage.page("home", "Only here and nowhere else")
    for _ in range(3):
        assert await publishable(stage) == (True, ["noContent"])
    await stage.client.put(f"{stage.path}/pages/{page_ref}", json={"title": "Another"})
    assert await publishable(stage) == (True, ["noContent"])
    assert rendered == 2
