"""Hostile pictures: each is refused with a problem, or becomes harmless variants; no process outlives its limits."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sitewright.sites.media.errors import MediaTooLarge, MediaUnreadable
from sitewright.sites.media.pictures.decoder_process import MEMORY_BYTES
from sitewright.sites.media.pictures.service import Kind, Pictures
from tests.support import fuzzing
from tests.support.depth import share
from tests.support.eventually import eventually
from tests.support.hostile_pictures import LARGE, bombs, case
from tests.support.pictures import check_harmless

DEEP_CASES = 10_000
CASES = DEEP_CASES if fuzzing.CASES else share(100, DEEP_CASES)
AT_ONCE = 4
KINDS: tuple[Kind, ...] = ("webp", "fallback", "avif")


@pytest_asyncio.fixture(scope="module")
async def decoder() -> AsyncIterator[Pictures]:
    own = Pictures(1, niceness=0)
    yield own
    await own.close()


async def outcome_of(pictures: Pictures, data: bytes, brand_ref: int = 1) -> str:
    """Raises what is neither of the two problems, which fails the test."""
    try:
        preview = await pictures.preview(data, brand_ref)
        variants = await pictures.variants(data, brand_ref, KINDS, existing=[preview.variant.name])
    except (MediaTooLarge, MediaUnreadable) as refused:
        assert refused.detail
        return refused.code
    for each in (preview.variant, *variants):
        check_harmless(each)
        assert each.width <= preview.inspection.width
    return "served"


@pytest.mark.fuzz
async def test_generated_pictures_are_refused_or_served_harmlessly() -> None:
    pictures, outcomes, seeds = Pictures(2, niceness=0), Counter[str](), iter(range(CASES))

    async def work(brand_ref: int) -> None:
        for seed in seeds:
            kind, data = case(seed)
            try:
                outcomes[await outcome_of(pictures, data, brand_ref)] += 1
            except BaseException as error:
                error.add_note(f"case({seed}): {kind}, {len(data)} bytes")
                raise

    async with asyncio.TaskGroup() as group:
        for brand_ref in range(AT_ONCE):
            group.create_task(work(brand_ref))
    pids = pictures.pool.pids
    assert len(pids) <= 2
    # A child exits just after its response was read; one that outlived its limits would never do so.
    await eventually(lambda: not any(Path(f"/proc/{pid}/task/{pid}/children").read_text() for pid in pids))
    assert pictures.pool.peak_kib < MEMORY_BYTES // 1024
    await pictures.close()
    assert [pid for pid in pids if Path(f"/proc/{pid}").exists()] == []
    assert set(outcomes) == {"served", "mediaTooLarge", "mediaUnreadable"}, outcomes


@pytest.mark.parametrize("name", sorted(set(bombs()) - LARGE))
async def test_bombs_are_refused_before_a_pixel_is_decoded(name: str, decoder: Pictures) -> None:
    """Each within the memory of a small picture."""
    await outcome_of(decoder, bombs()[name])
    assert decoder.pool.peak_kib < 500 * 1024
