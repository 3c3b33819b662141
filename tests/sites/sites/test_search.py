"""GET /sites?domain=: search by a part of a host name. Among many sites: `test_search_among_many.py`."""

import httpx

from tests.sites.sites.shapes import map_domain, ref_of_new_site
from tests.support.paging import refs_in, walk


async def find(client: httpx.AsyncClient, part: str, **more: int) -> list[int]:
    query: dict[str, str | int] = {"brandRef": 1, "domain": part, **more}
    return refs_in(await client.get("/sites", params=query))


async def test_any_part_of_a_name_finds_its_site(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "www.joes-bakery.example")
    await ref_of_new_site(owner, user_ref, "other.test")
    for part in ("www.joes-bakery.example", "joes", "JOES", "w", "s-", "-", ".ex", "ample", "www.j", "bakery.example"):
        assert await find(owner, part) == [ref], part
    for part in ("joes_", "zzz", "www.joes-bakery.example.", "%", "joes%", "_oes", "'", "\\", "joes bakery", "a:1:joe"):
        assert await find(owner, part) == [], part


async def test_internationalized_names_are_found_by_whole_labels(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "www.bücher.example")
    for part in ("bücher", "BÜCHER.example", "www.bücher", "xn--bcher", ".bücher."):
        assert await find(owner, part) == [ref], part
    assert await find(owner, "☃") == []


async def test_an_empty_part_is_no_filter(owner: httpx.AsyncClient, user_ref: int) -> None:
    ref = await ref_of_new_site(owner, user_ref, "a.example")
    assert await find(owner, "") == [ref]


async def test_a_site_with_several_matching_names_is_listed_once(owner: httpx.AsyncClient, user_ref: int) -> None:
    refs = [await ref_of_new_site(owner, user_ref, f"a{number}.example") for number in range(3)]
    for number in range(5):
        await map_domain(owner, refs[1], f"b{number}.example")
    assert await find(owner, "example") == refs
    assert await walk(owner, "/sites?brandRef=1&domain=example&limit=2") == [refs[:2], refs[2:]]


async def test_unmapped_names_and_deleted_sites_are_not_found(owner: httpx.AsyncClient, user_ref: int) -> None:
    first, second = [await ref_of_new_site(owner, user_ref, f"a{number}.example") for number in range(2)]
    domain_ref = await map_domain(owner, first, "extra.example")
    await owner.delete(f"/sites/{first}/domains/{domain_ref}")
    await owner.delete(f"/sites/{second}")
    assert await find(owner, "extra") == []
    assert await find(owner, "a1", deleted=1) == []
    assert await find(owner, "a0") == [first]
