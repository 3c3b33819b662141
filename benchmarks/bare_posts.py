"""`python -m benchmarks.bare_posts URL FILE COUNT AT_ONCE`: bare POSTs by aiohttp. Prints the seconds they took."""

import asyncio
import sys
import time
from pathlib import Path

import aiohttp
import uvloop


async def post_all(url: str, body: bytes, count: int, at_once: int) -> float:
    left = iter(range(count))

    async def go_on(session: aiohttp.ClientSession) -> None:
        for _ in left:
            async with session.post(url, data=body, headers={"Content-Type": "application/json"}) as response:
                await response.read()
                response.raise_for_status()

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        begun = time.perf_counter()
        await asyncio.gather(*(go_on(session) for _ in range(at_once)))
        return time.perf_counter() - begun


if __name__ == "__main__":
    asked_url, file, asked_count, asked_at_once = sys.argv[1:]
    print(uvloop.run(post_all(asked_url, Path(file).read_bytes(), int(asked_count), int(asked_at_once))))
