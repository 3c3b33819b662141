"""Reading account holders: one of them, and lists with a thousand and a million users."""

import asyncio
import time
from statistics import median

import asyncpg
import httpx

from benchmarks.contest import Contestant, compete, interleave
from benchmarks.figures import Figure, Goal, MeasurementFailed
from benchmarks.measurement import Measurement
from benchmarks.peer import running_peer
from benchmarks.population import MILLION, Population, settle
from benchmarks.service import Service
from benchmarks.signing import authorization

AGAINST_BARE = Goal("signed GET of a user / bare asyncpg + msgspec handler", 0.4)
AGAINST_FEW = Goal("GET /users, page 1 of 1,000,000 users / of 1,000", 0.67)
TO_THE_END = Goal("GET /users following Link: next, speed of the last pages / of the first", 0.67)
FEW = Population(brand_ref=1, first_ref=1_000_000_000, users=1_000, package="free")
PAGE = "/users?limit=20"
LONG_PAGE = 1000
WALKED_PAGES = 20


def measure(service: Service) -> list[Figure]:
    already = asyncio.run(_fill(service.database_url))
    path = f"/users/{FEW.first_ref}"
    with running_peer("bare", service, ready_path=path) as bare_url:
        signed, bare = compete("one user", _reading(service, FEW, path), Contestant("bare", bare_url + path))
    of_many, of_few = _reading(service, MILLION, PAGE), _reading(service, FEW, PAGE)
    _check_page(of_many, already[MILLION.brand_ref] + MILLION.users)
    _check_page(of_few, already[FEW.brand_ref] + FEW.users)
    many, few = interleave("page 1 of the users", of_many, of_few)
    return [signed.against(bare, AGAINST_BARE), many.against(few, AGAINST_FEW), _walk_to_the_end(service)]


async def _fill(database_url: str) -> dict[int, int]:
    """How many users the brands had before."""
    owner = await asyncpg.connect(database_url)
    try:
        rows = await owner.fetch(
            "select b.brand_ref, count(u.ref) from brands b left join users u using (brand_ref) group by 1"
        )
        for population in (FEW, MILLION):
            await population.fill(owner)
        await settle(owner)
        return {row["brand_ref"]: row["count"] for row in rows}
    finally:
        await owner.close()


def _reading(service: Service, population: Population, path: str) -> Contestant:
    url, credentials = service.url + path, service.credentials(population.brand_ref)
    name = f"of {population.users:,}" if path == PAGE else "service"
    return Contestant(name, url, lambda: {"Authorization": authorization(credentials, "GET", url)})


def _check_page(contestant: Contestant, users: int) -> None:
    response = contestant.fetch()
    assert isinstance(response, dict)  # noqa: S101 - a success is an object
    if response["count"] != str(users) or len(response["accountHolders"]) != 20:
        raise MeasurementFailed(f"page 1 {contestant.name} is wrong: {str(response)[:200]}")


def _walk_to_the_end(service: Service) -> Figure:
    """Two walks in interleaved rounds, from the beginning and towards the end; the server has no state between
    pages."""
    start = f"/users?limit={LONG_PAGE}"
    with httpx.Client(base_url=service.url, trust_env=False, timeout=30) as client:
        first = Walk(service, client, start, MILLION.first_ref)
        last = Walk(service, client, start, MILLION.last_ref + 1 - WALKED_PAGES * LONG_PAGE)
        for _ in range(WALKED_PAGES):
            first.step()
            last.step()
    if first.path is None or last.path is not None:
        raise MeasurementFailed("the walk over the pages did not end where the users end")
    speeds = [1 / median(walk.seconds) for walk in (last, first)]
    return TO_THE_END.measured(
        speeds[0] / speeds[1],
        f"pages of {LONG_PAGE:,} of {MILLION.users:,} users, one connection; the last {WALKED_PAGES}"
        f" {1000 / speeds[0]:.0f} ms each, the first {WALKED_PAGES} {1000 / speeds[1]:.0f} ms each (medians)",
    )


class Walk:
    """Follow `Link: next` and time every page."""

    def __init__(self, service: Service, client: httpx.Client, path: str, first_ref: int) -> None:
        self._credentials = service.credentials(MILLION.brand_ref)
        self._client = client
        self._next_ref = first_ref
        self.path: str | None = f"{path}&after={first_ref - 1}"
        self.seconds: list[float] = []

    def step(self) -> None:
        if self.path is None:
            raise MeasurementFailed(f"the walk over the pages ended at user {self._next_ref}")
        url = str(self._client.base_url).rstrip("/") + self.path
        headers = {"Authorization": authorization(self._credentials, "GET", url)}
        started = time.perf_counter()
        response = self._client.get(url, headers=headers)
        self.seconds.append(time.perf_counter() - started)
        self._check(response)
        self.path = response.links.get("next", {}).get("url")

    def _check(self, response: httpx.Response) -> None:
        refs = [each["ref"] for each in response.json().get("accountHolders", [])]
        if refs != list(range(self._next_ref, self._next_ref + LONG_PAGE)):
            raise MeasurementFailed(f"not the page that begins with user {self._next_ref}: {response.text[:200]}")
        self._next_ref += LONG_PAGE


MEASUREMENT = Measurement(goals=[AGAINST_BARE, AGAINST_FEW, TO_THE_END], measure=measure)
