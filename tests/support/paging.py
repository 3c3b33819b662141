"""Walks lists page by page, following the Link header."""

import re

import httpx


def refs_in(response: httpx.Response) -> list[int]:
    """The refs of the listed items."""
    assert response.status_code == 200, response.text
    [listed] = [value for value in response.json().values() if isinstance(value, list)]
    return [each["ref"] for each in listed]


def links(response: httpx.Response) -> dict[str, str]:
    """URLs by relation."""
    return {relation: url for url, relation in re.findall(r'<([^>]+)>; rel="(\w+)"', response.headers.get("Link", ""))}


async def walk(client: httpx.AsyncClient, path: str, relation: str = "next") -> list[list[int]]:
    """The refs of the pages from `path` on."""
    pages, following = [], path
    while following:
        response = await client.get(following)
        pages.append(refs_in(response))
        following = links(response).get(relation, "")
    return pages
