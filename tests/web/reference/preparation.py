"""Prepares what the example of an operation needs, by calling the operations that the reference names for it."""

import itertools
import os
import re
from collections.abc import Mapping
from email import message_from_bytes
from email.policy import default
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from PIL import Image

from sitewright.app import ENDPOINTS, PUBLIC
from sitewright.kit.http.openapi import document_of
from sitewright.web.reference.demo_access import demo_access
from sitewright.web.reference.examples.declared import Source
from sitewright.web.reference.examples.request import (
    ExampleRequest,
    Operation,
    example_request,
    operations_of,
    sources_of,
)
from tests.support.certificates import certificate_for
from tests.support.eventually import eventually

OPERATIONS = operations_of(document_of(ENDPOINTS, PUBLIC))
METRICS = "readMetrics"
EXAMPLES = {
    each.id: each
    for each in sorted(OPERATIONS.values(), key=lambda operation: operation.method != "GET")
    if not each.is_for_browsers and each.id != METRICS
}
"""Operations with examples, except that of the metrics, which has a test of its own. Those that read come first: others
may erase what they read."""
UNIQUE = {
    "createUser": {"username": "user-{}", "email": "user-{}@mail.example"},
    "createReseller": {"name": "partner-{}"},
    "createResellerPrice": {"billingPeriodMonths": "{}"},
    "createSite": {"subdomain": "site-{}"},
    "mapDomain": {"domain": "www.example-{}.example"},
    "buyAccountDomain": {"domainName": "bakery-{}.com"},
    "createDnsRecord": {"name": "shop-{}"},
    "editDnsRecord": {"name": "store-{}"},
    "createPage": {"pageUrl": "page-{}"},
    "createRedirect": {"from": "old-menu-{}"},
    "createWidget": {"name": "heading{}"},
    "createGlobalValue": {"name": "value{}"},
    "putMailbox": {"user": "info-{}"},
}
"""Values that may exist once only: the examples of several languages run against one service."""
MAY_CREATE = {"putAccount"}
"""Operations whose first call is a 201."""
MAILED = {"resetPassword": ("hash", "h"), "validateEmailVerificationToken": ("token", "token")}
"""Values that arrive by mail: the field, and the parameter of the link in the mail."""
OF_ERASED = {"getErasure"}
"""They read what is left of objects that were erased for them."""
IDENTICAL = {"accountHolderRef": "userRef"}
_numbers = itertools.count(1)


def picture() -> bytes:
    """Different each time: the same bytes are stored once."""
    stream = BytesIO()
    Image.new("RGB", (64, 48), tuple(os.urandom(3))).save(stream, "png")
    return stream.getvalue()


def _upload(file_type: str) -> dict[str, Any]:
    return {"content": picture(), "headers": {"content-type": file_type}}


def field_of(response: Any, path: str) -> Any:
    """None where a list is still empty."""
    for step in path.split("."):
        if isinstance(response, list):
            if not response:
                return None
            response = response[int(step)]
        else:
            response = response[step]
    return response


class Preparation:
    """Objects are created for one example only where it changes them: those of the last ref in its path."""

    def __init__(self, client: httpx.AsyncClient, demo: dict[str, Any], hook_url: str) -> None:
        self._client, self._demo, self._hook_url = client, demo, hook_url
        self._shared = demo_access(demo).values
        packages = demo["brands"][0]["packages"]
        self._catalogue = {"packageRef": packages["pro"], "account_domains.packageRef": packages["domain"]}

    async def request(self, operation: Operation) -> ExampleRequest:
        """The example, with refs that exist."""
        values = await self._values(operation, is_fresh=operation.method != "GET" or operation.id in OF_ERASED)
        request = example_request(operation, values)
        if operation.method == "GET":
            await eventually(lambda: self._is_ready(operation, request))
        return request

    async def _is_ready(self, operation: Operation, request: ExampleRequest) -> bool:
        """Some results exist only once the worker has made them."""
        response = await self._client.get(request.path)
        assert response.status_code in (operation.status, 202), f"{operation.id}: {response.text}"
        return response.status_code == operation.status

    async def _values(self, operation: Operation, *, is_fresh: bool) -> dict[str, Any]:
        values = self._shared | self._catalogue | self._chosen(operation)
        if operation.id in MAILED:
            values |= await self._new_user()
        values |= await self._refs(operation, values, is_fresh=is_fresh)
        if operation.feature == "certificates":
            issued = certificate_for(values["domain"])
            values |= {"key": issued.key, "cert": issued.chain}
        for before in operation.declared.before:
            await self._send(OPERATIONS[before], values)
        return values | await self._beyond_calls(operation, values)

    async def _refs(self, operation: Operation, values: dict[str, Any], *, is_fresh: bool) -> dict[str, Any]:
        changed = operation.path_names[-1] if is_fresh and operation.path_names else None
        was_created = False
        for name, source in sources_of(operation, OPERATIONS).items():
            if name in self._catalogue or (operation.id in MAILED and name == "userRef"):
                continue
            if name == "siteRef" == changed:  # packages limit the published sites of a user
                values |= await self._new_user()
            was_created |= name == changed
            if was_created or name not in self._shared:
                values[name] = await self._created(source, values)
                self._shared |= {} if was_created else {name: values[name]}
            values |= {alias: values[name] for alias, of in IDENTICAL.items() if of == name}
        return values

    async def _created(self, source: Source, values: Mapping[str, Any]) -> Any:
        operation = OPERATIONS[source.operation]
        if source.after:
            await self._send(OPERATIONS[source.after], values)
        known = {name: values[name] for name in (*operation.path_names, *IDENTICAL) if name in values}
        own = await self._values(operation, is_fresh=False) | known | self._chosen(operation)
        return await eventually(lambda: self._field(operation, own, source.field))

    async def _field(self, operation: Operation, values: Mapping[str, Any], field: str) -> Any:
        return field_of((await self._send(operation, values)).json(), field)

    async def _send(self, operation: Operation, values: Mapping[str, Any]) -> httpx.Response:
        request = example_request(operation, self._chosen(operation) | dict(values))
        sent = {"json": request.body} if request.file_type is None else _upload(request.file_type)
        response = await self._client.request(request.method, request.path, **sent)
        expected = {operation.status, 201} if operation.id in MAY_CREATE else {operation.status}
        assert response.status_code in expected, f"{request.method} {request.path}: {response.text}"
        return response

    def _chosen(self, operation: Operation) -> dict[str, Any]:
        number = next(_numbers) if operation.id in UNIQUE else 0
        unique = {name: form.format(number) for name, form in UNIQUE.get(operation.id, {}).items()}
        return unique | ({"url": self._hook_url} if operation.feature == "webhooks" else {})

    async def _new_user(self) -> dict[str, Any]:
        create = OPERATIONS["createUser"]
        made = self._chosen(create)
        user = (await self._send(create, self._shared | made)).json()["accountHolder"]
        return {"email": made["email"], "userRef": user["ref"], "accountHolderRef": user["ref"]}

    async def _beyond_calls(self, operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values that no response has under that name."""
        if operation.id in MAILED:
            name, parameter = MAILED[operation.id]
            return {name: await eventually(lambda: self._mailed(values["email"], parameter))}
        if operation.id == "downloadUserReport":
            report = await eventually(lambda: self._report(values["job"]))
            return {name: each[0] for name, each in parse_qs(urlsplit(report).query).items()}
        return {}

    async def _report(self, job: str) -> str | None:
        response = await self._client.get(f"/user-reports/{job}")
        return str(response.json()["report"]) if response.status_code == 200 else None

    def _mailed(self, address: str, parameter: str) -> str | None:
        for path in sorted(Path(self._demo["mailDir"]).glob("*.eml"), reverse=True):
            message = message_from_bytes(path.read_bytes(), policy=default)
            body = message.get_body(("plain",))
            found = re.search(rf"[?&]{parameter}=([\w-]+)", "" if body is None else body.get_content())
            if message["to"] == address and found:
                return found[1]
        return None
