"""Creates many users, ten at a time, and then lists them all. Usage: many_users.py BRAND_REF COUNT"""

import asyncio
import sys

from access import URL, oauth

from sitewright_client import AsyncClient
from sitewright_client import operations as api


async def create(client: AsyncClient, turn: asyncio.Semaphore, brand_ref: int, number: int) -> None:
    async with turn:
        await client.call(
            api.create_user(
                {
                    "brandRef": brand_ref,
                    "firstName": "User",
                    "lastName": str(number),
                    "username": f"imported-{number}",
                    "password": f"first password {number}",
                    "email": f"user-{number}@mail.example",
                    "languageCode": "en",
                }
            ),
            idempotency_key=f"import-2026-{number}",  # the whole program can be run again
        )


async def main() -> None:
    brand_ref, count = map(int, sys.argv[1:])
    turn = asyncio.Semaphore(10)
    async with AsyncClient(URL, oauth()) as client:
        async with asyncio.TaskGroup() as group:
            for number in range(count):
                group.create_task(create(client, turn, brand_ref, number))
        names = [user["username"] async for user in client.items(api.list_users(limit=1000))]
    print("imported:", sum(name.startswith("imported-") for name in names))


if __name__ == "__main__":
    asyncio.run(main())
