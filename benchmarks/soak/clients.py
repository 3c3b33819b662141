"""The clients of a soak: integrators, account holders, visitors and staff, on a population that stays as it is."""

import asyncio
import itertools
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx

from benchmarks.soak.pace import Pace
from sitewright.sites.media.pictures.service import Format
from tests.provisioning.accounts.calls import ACCOUNTS, holder
from tests.support.customers import Customer, done, make_customer
from tests.support.http_clients import http_client
from tests.support.packages import PRO
from tests.support.pictures import picture
from tests.support.service import Service

BRAND = 1
CUSTOMERS = 40
"""Each belongs to one client at a time, so that no two change the same site."""
PICTURES = 3
"""Of each customer; the oldest one is deleted for a new one."""
NEW_SITES = 3
"""The same, of sites of new customers: the edge server keeps in memory what it knows of the hosts that it serves."""
PICTURE = picture(Format.PNG)
Action = Callable[["Member"], Awaitable[None]]


class Member:
    """One client at a time works for this customer."""

    def __init__(self, number: int, customer: Customer, client: httpx.AsyncClient, visitor: httpx.AsyncClient) -> None:
        self.number, self.customer, self.client, self.visitor = number, customer, client, visitor
        self.home = self.heading = 0
        self.pictures: list[int] = []
        self.newcomers: list[Customer] = []
        self.next = ""
        self.counts = itertools.count(1)

    async def make_site(self) -> None:
        self.home = await self.customer.add_page("home", "Home")
        self.heading = await self.customer.add_widget(self.home, "heading", "heading", text="Welcome")
        await self.customer.publish()

    async def visit(self) -> None:
        """A page of the published site."""
        response = await self.visitor.get("/", headers={"Host": self.customer.host})
        _require(response, 200)

    async def read(self) -> None:
        await done(self.client.get(f"/users/{self.customer.user_ref}"))
        await done(self.client.get("/users", params={"limit": 20, "search": self.customer.host.partition(".")[0]}))

    async def edit(self) -> None:
        await self.customer.set_values(self.heading, text=f"Welcome, visitor {next(self.counts)}")
        await self.customer.publish()

    async def upload(self) -> None:
        path = f"{self.customer.path}/media"
        made = await done(self.client.post(f"{path}?name=p.png", content=PICTURE))
        self.pictures.append(made["media"]["ref"])
        if len(self.pictures) > PICTURES:
            await done(self.client.delete(f"{path}/{self.pictures.pop(0)}"))

    async def describe(self) -> None:
        """The converging call, which changes something each time."""
        name, count = f"described-{self.number}", next(self.counts)
        description = {
            "accountHolder": holder(firstName=f"Joe {count}", username=name, email=f"{name}@mail.example"),
            "package": {"packageRef": PRO, "billingFrequency": 12},
            "sites": [{"domain": f"www.{name}.example", "businessName": f"Bakery {count}", "published": True}],
            "metadata": {"count": f"C-{count}"},
        }
        await done(self.client.put(f"{ACCOUNTS}/{name}", json=description))

    async def follow_events(self) -> None:
        query: dict[str, Any] = {"limit": 100, "after": self.next} if self.next else {"limit": 100}
        self.next = (await done(self.client.get("/events", params=query)))["next"]

    async def log_in(self) -> None:
        """As an account holder, by a link; then the workspace is read."""
        secret = (await done(self.client.post(f"/users/{self.customer.user_ref}/auto-login", json={})))["hash"]
        async with http_client(str(self.client.base_url), event_hooks=self.client.event_hooks) as browser:
            _require(await browser.get(f"/login?hash={secret}&r=/account"), 302, 303)
            for path in ("/account", f"/account{self.customer.path}"):
                _require(await browser.get(path, follow_redirects=True), 200)

    async def change_package(self) -> None:
        """To a higher and a lower one in turn; each change is charged, and sends an email."""
        body = {"packageRef": PRO, "billingFrequency": 12 if next(self.counts) % 2 else 1}
        await done(self.client.post(f"/users/{self.customer.user_ref}/account-packages", json=body))

    async def sign_up(self) -> None:
        """A new customer with a published site, for whose host a certificate is ordered."""
        host = f"new-{self.number}-{next(self.counts)}.example"
        customer = await make_customer(self.client, BRAND, host)
        await customer.publish()
        self.newcomers.append(customer)
        if len(self.newcomers) > NEW_SITES:
            await done(self.client.post(f"{self.newcomers.pop(0).path}/hard-delete"))


ACTIONS: dict[str, tuple[Action, float]] = {
    "visit a site": (Member.visit, 30),
    "read and search users": (Member.read, 20),
    "edit and publish": (Member.edit, 10),
    "upload a picture": (Member.upload, 4),
    "describe an account": (Member.describe, 6),
    "follow the events": (Member.follow_events, 10),
    "log in and read the workspace": (Member.log_in, 6),
    "change the package": (Member.change_package, 2),
    "sign up": (Member.sign_up, 0.3),
}
"""With how often each is chosen. Sign-ups are rare, since the host of each is checked every minute for an hour."""


class Clients:
    def __init__(self, members: list[Member]) -> None:
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []
        self._members = members

    async def work(self, number: int, is_enough: Callable[[], bool]) -> None:
        chance = random.Random(number)  # noqa: S311 - the same every time
        names, weights = list(ACTIONS), [weight for _, weight in ACTIONS.values()]
        while not is_enough():
            member = self._members.pop(0)
            [name] = chance.choices(names, weights)
            try:
                await ACTIONS[name][0](member)
                self.done[name] += 1
            except (AssertionError, httpx.HTTPError) as error:
                self.failures.append(f"{name}: {error!r}"[:500])
            self._members.append(member)


@asynccontextmanager
async def working_clients(service: Service, pace: Pace, count: int) -> AsyncIterator[Clients]:
    """During this context `count` clients work, at the given pace."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(_paced(service, pace))
        hooks = {"request": [pace.wait_for_turn]}
        visitor = await stack.enter_async_context(http_client(service.site_url, event_hooks=hooks))
        members = [await _member(number, client, visitor) for number in range(CUSTOMERS)]
        clients, enough = Clients(members), asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            for number in range(count):
                tasks.create_task(clients.work(number, enough.is_set))
            try:
                yield clients
            finally:
                enough.set()


def _paced(service: Service, pace: Pace) -> httpx.AsyncClient:
    basic = service.demo["brands"][0]["basic"]
    auth = (basic["username"], basic["password"])
    return http_client(service.api_url, auth=auth, event_hooks={"request": [pace.wait_for_turn]})


async def _member(number: int, client: httpx.AsyncClient, visitor: httpx.AsyncClient) -> Member:
    customer = await make_customer(client, BRAND, f"soak-{number}.example", package_ref=PRO)
    member = Member(number, customer, client, visitor)
    await member.make_site()
    return member


def _require(response: httpx.Response, *statuses: int) -> None:
    if response.status_code not in statuses:
        raise AssertionError(f"{response.request.url}: {response.status_code}")
