"""The HTTP interface: resources of RFC 8555 and 9773, and the documents that they return."""

from collections.abc import Awaitable, Callable
from email.utils import format_datetime
from typing import Any

import msgspec
from aiohttp import web

from sitewright.demo.authority.accounts import Accounts
from sitewright.demo.authority.behavior import Faults, Policy
from sitewright.demo.authority.challenges import Challenges
from sitewright.demo.authority.objects import Authorization, Challenge, Order, Refusal
from sitewright.demo.authority.orders import Orders
from sitewright.demo.authority.problems import AcmeProblem, malformed, not_found
from sitewright.demo.authority.registry import Registry
from sitewright.demo.authority.requests import Requests, Signed
from sitewright.demo.authority.revocation import revoke

Handler = Callable[[web.Request, Signed], Awaitable[web.Response]]
NAMES = web.RequestKey("names", list[str])
"""What a refused request was about, for the log."""


class AcmeServer:
    def __init__(
        self,
        base: str,
        registry: Registry,
        policy: Policy,
        faults: Faults,
        accounts: Accounts,
        orders: Orders,
        challenges: Challenges,
    ) -> None:
        self._base = base
        self._registry = registry
        self._policy = policy
        self._faults = faults
        self._accounts = accounts
        self._orders = orders
        self._challenges = challenges
        self._requests = Requests(registry, faults, base)

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._middleware])
        router = application.router
        router.add_get("/directory", self._directory)
        router.add_get("/new-nonce", self._new_nonce)  # with HEAD
        router.add_get("/renewal-info/{ref}", self._renewal_info)
        for path, handler in (
            ("/new-account", self._new_account),
            ("/account/{ref}", self._account),
            ("/new-order", self._new_order),
            ("/order/{ref}", self._order),
            ("/order/{ref}/finalize", self._finalize),
            ("/authorization/{ref}", self._authorization),
            ("/challenge/{ref}", self._challenge),
            ("/certificate/{ref}", self._certificate),
            ("/revoke-certificate", self._revoke),
        ):
            router.add_post(path, self._signed(handler))
        return application

    @web.middleware
    async def _middleware(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        response: web.StreamResponse
        try:
            self._faults.check_available()
            response = await handler(request)
        except AcmeProblem as problem:
            refusal = Refusal(problem.kind, request.path, request.get(NAMES, []), self._policy.now())
            self._registry.refusals.append(refusal)
            response = _json(problem.document, problem.status, "application/problem+json")
            response.headers.extend(problem.headers)
        if request.method in ("POST", "HEAD") or request.path == "/new-nonce":
            response.headers["Replay-Nonce"] = self._registry.new_nonce()
        response.headers["Cache-Control"] = "no-store"
        response.headers["Date"] = format_datetime(self._policy.now(), usegmt=True)
        response.headers.add("Link", f'<{self._base}/directory>;rel="index"')
        return response

    def _signed(self, handler: Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            return await handler(request, await self._requests.read(request))

        return handle

    async def _directory(self, _: web.Request) -> web.Response:
        meta: dict[str, Any] = {"externalAccountRequired": bool(self._policy.external_accounts)}
        if self._policy.profiles:
            meta["profiles"] = {name: f"valid for {length}" for name, length in self._policy.profiles.items()}
        document = {
            "newNonce": f"{self._base}/new-nonce",
            "newAccount": f"{self._base}/new-account",
            "newOrder": f"{self._base}/new-order",
            "revokeCert": f"{self._base}/revoke-certificate",
            "meta": meta,
        }
        if self._policy.has_renewal_info:
            document["renewalInfo"] = f"{self._base}/renewal-info"
        return _json(document)

    async def _new_nonce(self, request: web.Request) -> web.Response:
        return web.Response(status=200 if request.method == "HEAD" else 204)

    async def _renewal_info(self, request: web.Request) -> web.Response:
        issued = self._registry.issued.get(request.match_info["ref"])
        if issued is None or not self._policy.has_renewal_info:
            raise not_found("the certificate")
        start, end = self._policy.renewal_window(issued)
        response = _json({"suggestedWindow": {"start": start, "end": end}})
        response.headers["Retry-After"] = str(self._policy.renewal_info_seconds)
        return response

    async def _new_account(self, _: web.Request, signed: Signed) -> web.Response:
        account, is_new = self._accounts.register(signed)
        response = _json({"status": account.status, "contact": account.contact}, 201 if is_new else 200)
        response.headers["Location"] = f"{self._base}/account/{account.ref}"
        return response

    async def _account(self, request: web.Request, signed: Signed) -> web.Response:
        account = self._accounts.change(signed, request.match_info["ref"])
        return _json({"status": account.status, "contact": account.contact})

    async def _new_order(self, request: web.Request, signed: Signed) -> web.Response:
        identifiers = signed.fields.get("identifiers")
        request[NAMES] = [str(each.get("value")) for each in identifiers] if isinstance(identifiers, list) else []
        order = self._orders.create(signed.sender, signed.fields)
        return self._order_document(order, 201)

    async def _order(self, request: web.Request, signed: Signed) -> web.Response:
        order = self._registry.find(self._registry.orders, request.match_info["ref"], signed.sender)
        self._orders.update(order)
        return self._order_document(order)

    async def _finalize(self, request: web.Request, signed: Signed) -> web.Response:
        order = self._registry.find(self._registry.orders, request.match_info["ref"], signed.sender)
        request[NAMES] = order.names
        await self._orders.finalize(signed.sender, order, signed.fields)
        return self._order_document(order)

    async def _authorization(self, request: web.Request, signed: Signed) -> web.Response:
        ref = request.match_info["ref"]
        authorization = self._registry.find(self._registry.authorizations, ref, signed.sender)
        if (signed.payload or {}).get("status") == "deactivated":
            self._challenges.deactivate(authorization)
        return _json(self._authorization_document(authorization))

    async def _challenge(self, request: web.Request, signed: Signed) -> web.Response:
        authorization, challenge = self._challenges.find(signed.sender, request.match_info["ref"])
        if signed.payload is not None:
            self._challenges.start(signed.sender, authorization, challenge)
        response = _json(self._challenge_document(authorization, challenge))
        response.headers.add("Link", f'<{self._base}/authorization/{authorization.ref}>;rel="up"')
        return response

    async def _certificate(self, request: web.Request, signed: Signed) -> web.Response:
        if signed.payload is not None:
            raise malformed("certificates are read by POST-as-GET")
        issued = self._registry.find(self._registry.issued, request.match_info["ref"], signed.sender)
        return web.Response(text=issued.chain, content_type="application/pem-certificate-chain")

    async def _revoke(self, _: web.Request, signed: Signed) -> web.Response:
        revoke(self._registry, self._policy, signed)
        return web.Response()

    def _order_document(self, order: Order, status: int = 200) -> web.Response:
        url = f"{self._base}/order/{order.ref}"
        document: dict[str, Any] = {
            "status": order.status,
            "expires": order.expires,
            "identifiers": [{"type": "dns", "value": name} for name in order.names],
            "authorizations": [f"{self._base}/authorization/{ref}" for ref in order.authorizations],
            "finalize": f"{url}/finalize",
        }
        certificate = f"{self._base}/certificate/{order.certificate}" if order.certificate else None
        given = {"replaces": order.replaces, "profile": order.profile, "certificate": certificate, "error": order.error}
        document |= {name: value for name, value in given.items() if value is not None}
        response = _json(document, status)
        response.headers["Location"] = url
        return response

    def _authorization_document(self, authorization: Authorization) -> dict[str, Any]:
        document: dict[str, Any] = {
            "status": authorization.status,
            "expires": authorization.expires,
            "identifier": {"type": "dns", "value": authorization.host},
            "challenges": [self._challenge_document(authorization, each) for each in authorization.challenges],
        }
        return document | ({"wildcard": True} if authorization.is_wildcard else {})

    def _challenge_document(self, authorization: Authorization, challenge: Challenge) -> dict[str, Any]:
        document = {
            "type": challenge.type,
            "url": f"{self._base}/challenge/{authorization.ref}.{challenge.ref}",
            "status": challenge.status,
            "token": challenge.token,
        }
        given = {"error": challenge.error, "validated": challenge.validated}
        return document | {name: value for name, value in given.items() if value is not None}


def _json(document: object, status: int = 200, content_type: str = "application/json") -> web.Response:
    return web.Response(body=msgspec.json.encode(document), status=status, content_type=content_type)
