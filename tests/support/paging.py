"""Walks lists page by page, following the Link header."""

import re

import httpx


def refs_in(answer: httpx.Response) -> list[int]:
    """The refs of the listed items."""
    assert answer.status_code == 200, answer.text
    [listed] = [value for value in answer.json().values() if isinstance(value, list)]
    return [each["ref"] for each in listed]


def links(answer: httpx.Response) -> dict[str, str]:
    """URLs by relation."""
    return {relation: url for url, relation in re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers.get("Link", ""))}


async def walk(client: httpx.AsyncClient, path: str, relation: str = "next") -> list[list[int]]:
    """The refs of the pages from `path` on."""
    pages, following = [], path
    while following:
        answer = await client.get(following)
        pages.append(refs_in(answer))
        following = links(answer).get(relation, "")
    return pages
