"""The requests whose cost is measured, each for one user or site after another."""

from collections.abc import Callable
from enum import Enum
from typing import Any

import msgspec

from benchmarks.growth.estate import EVENTS_OF_A_USER, host_of

BRAND = 2
FIRST = 2_000_000_000
"""The ref of the first user."""


class Sender(Enum):
    INTEGRATOR = "signs each request"
    STAFF = "is logged in to the console"
    HOLDER = "is logged in to the workspace"
    VISITOR = "of a published site"


class Call(msgspec.Struct, frozen=True):
    """Send the same request for one user after another."""

    name: str
    path: Callable[[int], str]
    method: str = "GET"
    body: Callable[[int], Any] | None = None
    sender: Sender = Sender.INTEGRATOR
    is_of_site: bool = False
    """For users with a site only; site and user have the same ref."""


SEARCHES: dict[str, Callable[[int], str]] = {
    "one user name": lambda ref: f"user-{ref}",
    "a word of every user": lambda _ref: "mail.exa",
    "a letter, of every 26th user": lambda _ref: "g",
    "two letters, of every 416th user": lambda _ref: "g%203",
    "two letters that no user has together": lambda _ref: "g%20h",
    "a word that nobody has": lambda _ref: "zzz",
}
CONSOLE = {
    "overview": "overview",
    "customers": "customers",
    "sites": "sites",
    "domains": "domains",
    "certificates": "certificates",
    "events": "events",
    "audit log": "audit",
    "charges": "charges",
    "mail": "mail",
    "what does not match": "drift",
}


def description_of(ref: int) -> dict[str, Any]:
    """As the account is: nothing changes."""
    return {"sites": [{"domain": host_of(ref), "published": True}]}


def _searching(path: str, words: Callable[[int], str]) -> Callable[[int], str]:
    return lambda ref: path + words(ref)


def _page_of(path: str) -> Callable[[int], str]:
    return lambda _ref: path


def _of_events(ref: int) -> int:
    return (ref - FIRST) * EVENTS_OF_A_USER


CALLED = [
    Call("GET /users/:ref", lambda ref: f"/users/{ref}"),
    Call("GET /users, page 1 with its count", lambda _ref: "/users?limit=20"),
    Call("GET /users, a page in the midst", lambda ref: f"/users?limit=20&after={ref}"),
    Call("GET /users?username=", lambda ref: f"/users?username=user-{ref}"),
    Call("GET /users?email=", lambda ref: f"/users?email=user-{ref}@mail.example"),
    *(Call(f"search: {name}", _searching("/users?search=", words)) for name, words in SEARCHES.items()),
    Call("PUT /users/:ref", lambda ref: f"/users/{ref}", "PUT", lambda _ref: {"firstName": "Another"}),
    Call("GET /sites, page 1", lambda _ref: f"/sites?brandRef={BRAND}&limit=20"),
    Call("GET /sites?domain=", lambda ref: f"/sites?brandRef={BRAND}&domain={host_of(ref)}", is_of_site=True),
    Call("GET /sites/:ref", lambda ref: f"/sites/{ref}", is_of_site=True),
    Call("GET /sites/:ref/pages", lambda ref: f"/sites/{ref}/pages", is_of_site=True),
    Call("GET /sites/:ref/media", lambda ref: f"/sites/{ref}/media", is_of_site=True),
    Call(
        "the converging call, nothing changes",
        lambda ref: f"/brands/{BRAND}/accounts/service-{ref}",
        "PUT",
        description_of,
        is_of_site=True,
    ),
    Call("GET /brands/:ref/accounts, page 1", lambda _ref: f"/brands/{BRAND}/accounts?limit=20"),
    Call("GET /events, 100 in the midst", lambda ref: f"/events?limit=100&after={_of_events(ref)}"),
    Call("GET /events, a rare kind", lambda ref: f"/events?types=user.deleted&limit=100&after={_of_events(ref)}"),
    Call("GET /statistics", lambda _ref: "/statistics"),
    *(
        Call(f"console, search: {name}", _searching("/console/customers?search=", words), sender=Sender.STAFF)
        for name, words in SEARCHES.items()
    ),
    *(Call(f"console, {name}", _page_of(f"/console/{path}"), sender=Sender.STAFF) for name, path in CONSOLE.items()),
    Call("console, a customer", lambda ref: f"/console/customers/{ref}", sender=Sender.STAFF),
    Call("workspace, overview", lambda _ref: "/account", sender=Sender.HOLDER),
    Call("workspace, a site", lambda _ref: f"/account/sites/{FIRST}", sender=Sender.HOLDER),
    Call("workspace, domains", lambda _ref: "/account/domains", sender=Sender.HOLDER),
    Call("editor, the content", lambda _ref: f"/account/sites/{FIRST}/edit/content", sender=Sender.HOLDER),
    Call("a published page", lambda _ref: "/", sender=Sender.VISITOR, is_of_site=True),
]
