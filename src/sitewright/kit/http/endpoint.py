"""An endpoint: a path, the right that it requires, and a function from a `Call` to a response.

The lifecycle of a request: read the body, reject cross-site Basic requests (`cross_site`), authenticate the caller,
check role, HTTPS and brand, determine the API release, do slow work that needs no database (`prepare`), begin one
transaction for the brand, replay the response stored under the Idempotency-Key or run the function, serialize and store
its response, commit, send.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, TypedDict, Unpack, get_args, get_type_hints

import msgspec

from sitewright.kit import versions
from sitewright.kit.auth.authenticator import AuthenticationRequest
from sitewright.kit.auth.caller import EVERY_ROLE, Caller, Role
from sitewright.kit.auth.oauth1 import SignedParts
from sitewright.kit.auth.rights import ROLES_WITH, Right, default_right
from sitewright.kit.db import Lease
from sitewright.kit.http import idempotency
from sitewright.kit.http.brand import brand_of
from sitewright.kit.http.call import LARGE_BODY, Call, Request, parse_large_body
from sitewright.kit.http.cross_site import refuse_cross_site
from sitewright.kit.http.list_size_limit import is_too_long, truncated
from sitewright.kit.http.pending import Pending, pending_response
from sitewright.kit.http.responses import Response, json_response
from sitewright.kit.problems import Forbidden, NotFound, Problem
from sitewright.kit.resources import Resources
from sitewright.kit.retries import retry_stale

Method = Literal["GET", "POST", "PUT", "DELETE"]
Result = msgspec.Struct | None
Function = Callable[..., Awaitable[Result]]
Prepare = Callable[[Call], Awaitable[None]]


class Upload(msgspec.Struct, frozen=True):
    """An endpoint whose `prepare` reads the body while it arrives (`request.stream`): a file, alone or in a form."""

    form: type[msgspec.Struct]
    """The other fields of the form, for the API reference."""
    description: str


class HttpsRequired(Forbidden):
    code = "httpsRequired"
    title = "HTTPS is required"
    detail = "Make this call over HTTPS."


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    method: Method
    path: str
    function: Function
    right: Right
    roles: frozenset[Role]
    """Those that have the right, unless the endpoint excludes them."""
    status: int = 200
    needs_brand: bool = True
    https_only: bool = False
    brand_in_body: bool = False
    prepare: Prepare | None = None
    query: type[msgspec.Struct] | None = None
    body: type[msgspec.Struct] | None = None
    upload: Upload | None = None
    list_field: str | None = None
    may_continue: bool = False
    may_create: bool = False
    has_etag: bool = False
    since: tuple[versions.Since, ...] = ()
    errors: tuple[type[Problem], ...] = ()

    @property
    def streams_body(self) -> bool:
        return self.upload is not None

    @property
    def request_types(self) -> list[type[msgspec.Struct]]:
        """The structs whose fields a request may have."""
        form = None if self.upload is None else self.upload.form
        return [kind for kind in (self.body, form, self.query) if kind is not None]

    @property
    def name(self) -> str:
        """Its name in the table of API releases and in tests: `GET /users/{user_ref:int}`."""
        return f"{self.method} {self.path}"

    @property
    def response_type(self) -> type[msgspec.Struct] | None:
        """None for a response without a body."""
        return next((kind for kind in self._returned if kind not in (Pending, type(None))), None)

    @property
    def may_be_pending(self) -> bool:
        """Whether it may respond that the requested work is not done yet."""
        return Pending in self._returned

    @property
    def _returned(self) -> tuple[Any, ...]:
        returned = get_type_hints(self.function)["return"]
        return get_args(returned) or (returned,)

    async def handle(self, request: Request, path_parameters: dict[str, Any], resources: Resources) -> Response:
        refuse_cross_site(request, resources.settings.public_url)
        async with resources.database.lease() as lease:
            caller = await resources.authenticator.authenticate(authentication_request(request), lease)
            request.context.caller = caller.name
            self._check_caller(caller, request)
            if self.body is not None and len(request.body) > LARGE_BODY:
                lease.release()
                await parse_large_body(request)
            caller = msgspec.structs.replace(caller, request_id=request.context.request_id)
            brand_ref = brand_of(
                caller, path_parameters, request, required=self.needs_brand, in_body=self.brand_in_body
            )
            request.context.brand_ref = brand_ref
            release = versions.release_for(self.since, versions.release_of(request.headers.get("x-api-version")))
            request.context.version = str(release)
            self._check_refs(path_parameters)
            call = Call(
                request=request,
                resources=resources,
                caller=caller,
                brand_ref=brand_ref,
                release=release,
                json_only=self.https_only,
            )
            if self.prepare is None:
                return await self._in_transaction(call, path_parameters, lease)
            return await retry_stale(partial(self._prepared, self.prepare, call, path_parameters, lease))

    async def _prepared(self, prepare: Prepare, call: Call, path_parameters: dict[str, Any], lease: Lease) -> Response:
        lease.release()
        call.prepared = None
        await prepare(call)
        return await self._in_transaction(call, path_parameters, lease)

    async def _in_transaction(self, call: Call, path_parameters: dict[str, Any], lease: Lease) -> Response:
        lease.release_beyond_share(call.brand_ref)
        async with lease.transaction(call.brand_ref) as call.transaction:
            return await self._once(call, path_parameters)

    async def _once(self, call: Call, path_parameters: dict[str, Any]) -> Response:
        if self.method != "POST" or idempotency.HEADER not in call.request.headers:
            return await self._run(call, path_parameters)
        idempotent = idempotency.IdempotentRequest.read(call.request, call.caller.name, call.resources.sealer)
        stored = await idempotency.find_stored(call.tx, call.resources.sealer, idempotent)
        if stored is not None:
            return stored
        response = await self._run(call, path_parameters)
        refs = path_parameters | call.subject_refs
        await idempotency.save(call.tx, call.resources.sealer, idempotent, call.brand_ref, response, refs)
        return response

    async def _run(self, call: Call, path_parameters: dict[str, Any]) -> Response:
        value = await self.function(call, **path_parameters)
        if isinstance(value, Pending):
            return pending_response(call)
        response = json_response(value, call.status or self.status, call.response_headers)
        if self.list_field is None or not is_too_long(response) or self.response_type is None:
            return response
        return truncated(response, value, self.response_type, self.list_field, call)

    def _check_refs(self, path_parameters: dict[str, Any]) -> None:
        """A malformed ref gets the same response as one that does not exist: the endpoint's own 404."""
        malformed = next((name for name, ref in path_parameters.items() if ref is None), None)
        if malformed is not None:
            raise self._not_found(malformed)

    def _not_found(self, ref_name: str) -> type[Problem]:
        """The declared problem for a missing ref: accountPackageNotFound for `account_package_ref`."""
        first, *others = ref_name.removesuffix("_ref").removesuffix("_id").split("_")
        code = first + "".join(other.capitalize() for other in others) + "NotFound"
        declared = [problem for problem in self.errors if issubclass(problem, NotFound)]
        return next((problem for problem in declared if problem.code == code), [*declared, NotFound][0])

    def _check_caller(self, caller: Caller, request: Request) -> None:
        if caller.role not in self.roles:
            raise Forbidden(f"A {caller.role} may not make this call.")
        if self.https_only and not request.origin.is_secure:
            raise HttpsRequired


class Options(TypedDict, total=False):
    """What an endpoint may declare besides its method and path; the defaults are those of `Endpoint`."""

    right: Right
    """What it requires of its caller: by default, GET requires to read, and all others to change."""
    roles: frozenset[Role]
    """Excludes roles that have the right."""
    status: int
    needs_brand: bool
    https_only: bool
    brand_in_body: bool
    prepare: Prepare
    """Runs before a connection is acquired, for slow work like hashing a password. If the function raises `Stale`, both
    run again."""
    query: type[msgspec.Struct]
    body: type[msgspec.Struct]
    upload: Upload
    """A body of any size is not read before authentication, but by `prepare`, in chunks."""
    list_field: str
    """The response field that is a paginated list (`paging.set_links`); its response is bounded in bytes."""
    may_continue: bool
    """The status may also be 202, with the same body (`Call.status`), while the work goes on."""
    may_create: bool
    """The status may also be 201 (`Call.status`)."""
    has_etag: bool
    """What it is about has an entity tag: responses carry `ETag`, and a change takes `If-Match`."""
    since: tuple[versions.Since, ...]
    """What later API releases added to it."""
    errors: tuple[type[Problem], ...]
    """Its own problems, for the API reference."""


def endpoint(method: Method, path: str, **options: Unpack[Options]) -> Callable[[Function], Endpoint]:
    """Declare an endpoint."""
    options.setdefault("right", default_right(method))
    options["roles"] = options.get("roles", EVERY_ROLE) & ROLES_WITH[options["right"]]

    def make(function: Function) -> Endpoint:
        return Endpoint(method=method, path=path, function=function, **options)

    return make


def authentication_request(request: Request) -> AuthenticationRequest:
    """The parts of a request that authentication reads."""
    parts = SignedParts(
        method=request.context.method,
        scheme=request.origin.scheme,
        host=request.origin.host,
        path=request.path,
        query=request.query.decode("latin-1"),
        authorization=request.headers.get("authorization"),
        form=request.form,
    )
    return AuthenticationRequest(
        parts=parts,
        body=request.body,
        address=request.origin.address,
        request_id=request.context.request_id,
        expect_body_hash=None if request.stream is None else request.stream.expect_hash,
    )
