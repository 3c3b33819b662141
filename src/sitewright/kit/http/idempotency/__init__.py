"""Idempotency-Key: the response to a POST is stored for 24 hours and replayed when the client retries the request.

Only successful responses are stored, encrypted, in the transaction that did the work; after an error the key is free
again. When a user is anonymized or a site erased, stored responses with their data are erased, and the keys stay used.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Self
from urllib.parse import parse_qsl

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.http.call import Call, Request
from sitewright.kit.http.idempotency import store
from sitewright.kit.http.responses import Response
from sitewright.kit.problems import Conflict, Invalid
from sitewright.kit.sealing import Sealer
from sitewright.kit.validation.bodies import MAX_FORM_FIELDS

HEADER = "idempotency-key"
REPLAYED = "Idempotency-Replayed"
RETENTION = timedelta(hours=24)
MAX_KEY = 255


class IdempotencyMismatch(Conflict):
    code = "idempotencyMismatch"
    title = "This key belongs to another request"
    detail = "The Idempotency-Key was used for a request with another path, query or body. Choose a new key."


class IdempotencyInProgress(Conflict):
    code = "idempotencyInProgress"
    title = "The first request is still in progress"
    detail = "A request with this Idempotency-Key is in progress. Repeat it in a moment to get its response."


class IdempotencyForgotten(Conflict):
    code = "idempotencyForgotten"
    title = "The stored response was erased"
    detail = (
        "This request was carried out. The user or site in its response was anonymized or erased since."
        " To carry it out again, choose a new Idempotency-Key."
    )


class IdempotentRequest(msgspec.Struct, frozen=True):
    """A request with an Idempotency-Key: its caller, its key, and keyed digests of its content.

    A digest depends on the master key, so that a password in the request cannot be guessed from it. There is one for
    each master key, the current one first.
    """

    caller: str
    key: str
    digests: list[bytes]

    @classmethod
    def read(cls, request: Request, caller: str, sealer: Sealer) -> Self:
        key = request.headers[HEADER]
        if not 1 <= len(key) <= MAX_KEY:
            message = f"must hold 1 to {MAX_KEY} characters"
            raise Invalid.fields({"Idempotency-Key": {"invalidIdempotencyKey": message}})
        return cls(caller, key, _digests(request, sealer))

    @property
    def context(self) -> str:
        return f"idempotent_answers/{self.caller}/{self.key}"


async def find_stored(tx: Transaction, sealer: Sealer, request: IdempotentRequest) -> Response | None:
    """Return the stored response; None if the request is to be executed now, which holds the lock of its key."""
    not_before = clock.now() - RETENTION
    stored = await store.find_response(tx, request.caller, request.key, not_before)
    if stored is None:
        if not await store.try_lock(tx, request.caller, request.key):
            raise IdempotencyInProgress
        stored = await store.find_response(tx, request.caller, request.key, not_before)  # just stored
    if stored is None:
        return None
    if stored.digest not in request.digests:
        raise IdempotencyMismatch
    if stored.response is None:
        raise IdempotencyForgotten
    response = msgspec.msgpack.decode(sealer.unseal(stored.response, request.context), type=Response)
    return msgspec.structs.replace(response, headers=response.headers | {REPLAYED: "true"})


async def is_stored(call: Call) -> bool:
    """Whether the call's response is stored: then a `prepare` that changes something must not do it again."""
    if HEADER not in call.request.headers:
        return False
    request = IdempotentRequest.read(call.request, call.caller.name, call.resources.sealer)
    async with call.resources.database.transaction(call.brand_ref) as tx:
        return await find_stored(tx, call.resources.sealer, request) is not None


async def save(
    tx: Transaction,
    sealer: Sealer,
    request: IdempotentRequest,
    brand_ref: int | None,
    response: Response,
    refs: Mapping[str, int],
) -> None:
    """Store the response. `refs`: the `user_ref` and `site_ref` whose data it contains; others are ignored."""
    row = store.NewResponse(
        brand_ref=brand_ref,
        caller=request.caller,
        key=request.key,
        digest=request.digests[0],
        response=sealer.seal(msgspec.msgpack.encode(response), request.context),
        kept_at=clock.now(),
        user_ref=refs.get("user_ref"),
        site_ref=refs.get("site_ref"),
    )
    await store.save_response(tx, row)


async def erase_user(tx: Transaction, user_ref: int) -> None:
    await store.erase_user(tx, user_ref)


async def erase_site(tx: Transaction, site_ref: int) -> None:
    await store.erase_site(tx, site_ref)


def _digests(request: Request, sealer: Sealer) -> list[bytes]:
    """Compute digests of method, path, query and body, without the OAuth parameters, which differ in every retry."""
    form = request.form
    body = request.body if form is None else _without_oauth(form)
    if request.stream is not None:
        body = request.stream.fingerprint
    content = msgspec.msgpack.encode(
        (request.context.method, request.path, _without_oauth(request.query.decode("latin-1")), body)
    )
    secrets = sealer.derivations("repeatable requests")
    return [hashlib.blake2b(content, key=secret.encode(), digest_size=32).digest() for secret in secrets]


def _without_oauth(encoded: str) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, encoding="latin-1", max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise Invalid(f"A query or form may hold at most {MAX_FORM_FIELDS} fields.") from None
    return [pair for pair in pairs if not pair[0].startswith("oauth_")]
