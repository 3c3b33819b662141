"""Idempotency-Key: the first answer to a POST is kept for 24 hours and given again to whoever repeats the request.

Only answers of success are kept, sealed, in the transaction that did the work; an error frees the key. An answer that
tells of somebody who is anonymised since, or of a site that is erased, is forgotten, and its key stays used.
"""

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Self
from urllib.parse import parse_qsl

import msgspec

from sitewright.kit import clock
from sitewright.kit.db import Transaction
from sitewright.kit.http.answers import Answered
from sitewright.kit.http.call import Incoming
from sitewright.kit.http.idempotency import store
from sitewright.kit.problems import Conflict, Invalid
from sitewright.kit.sealing import Sealer
from sitewright.kit.validation.bodies import MAX_FORM_FIELDS

HEADER = "idempotency-key"
REPLAYED = "Idempotency-Replayed"
KEPT_FOR = timedelta(hours=24)
MAX_KEY = 255


class IdempotencyMismatch(Conflict):
    code = "idempotencyMismatch"
    title = "This key belongs to another request"
    detail = "The Idempotency-Key was used for a request with another path, query or body. Choose a new key."


class IdempotencyInProgress(Conflict):
    code = "idempotencyInProgress"
    title = "The first request still runs"
    detail = "A request with this Idempotency-Key is being worked on. Repeat it in a moment to get its answer."


class IdempotencyForgotten(Conflict):
    code = "idempotencyForgotten"
    title = "The answer was forgotten"
    detail = (
        "This request was carried out, and whom or what its answer tells of was anonymised or erased since."
        " To do it again, choose a new Idempotency-Key."
    )


class Repeatable(msgspec.Struct, frozen=True):
    """A request that says it may come again: whose it is, its key, and what it asks, as a digest.

    The digest is made with the master key: the rest of what was asked may be known, and a password in it guessed. There
    is one for each master key, the one in use first.
    """

    caller: str
    key: str
    digests: list[bytes]

    @classmethod
    def read(cls, incoming: Incoming, caller: str, sealer: Sealer) -> Self:
        key = incoming.headers[HEADER]
        if not 1 <= len(key) <= MAX_KEY:
            message = f"must hold 1 to {MAX_KEY} characters"
            raise Invalid.fields({"Idempotency-Key": {"invalidIdempotencyKey": message}})
        return cls(caller, key, _digests(incoming, sealer))

    @property
    def context(self) -> str:
        return f"idempotent_answers/{self.caller}/{self.key}"


async def find_kept(tx: Transaction, sealer: Sealer, repeatable: Repeatable) -> Answered | None:
    """The answer given before, or None for the one request that may do the work now."""
    not_before = clock.now() - KEPT_FOR
    kept = await store.find_answer(tx, repeatable.caller, repeatable.key, not_before)
    if kept is None:
        if not await store.try_lock(tx, repeatable.caller, repeatable.key):
            raise IdempotencyInProgress
        kept = await store.find_answer(tx, repeatable.caller, repeatable.key, not_before)  # kept just before the lock
    if kept is None:
        return None
    if kept.digest not in repeatable.digests:
        raise IdempotencyMismatch
    if kept.answer is None:
        raise IdempotencyForgotten
    answer = msgspec.msgpack.decode(sealer.unseal(kept.answer, repeatable.context), type=Answered)
    return msgspec.structs.replace(answer, headers=answer.headers | {REPLAYED: "true"})


async def keep(
    tx: Transaction,
    sealer: Sealer,
    repeatable: Repeatable,
    brand_ref: int | None,
    answer: Answered,
    refs: Mapping[str, int],
) -> None:
    """`refs`: of whom or what it tells, by `user_ref` and `site_ref`; others are of no interest."""
    row = store.NewAnswer(
        brand_ref=brand_ref,
        caller=repeatable.caller,
        key=repeatable.key,
        digest=repeatable.digests[0],
        answer=sealer.seal(msgspec.msgpack.encode(answer), repeatable.context),
        kept_at=clock.now(),
        user_ref=refs.get("user_ref"),
        site_ref=refs.get("site_ref"),
    )
    await store.keep_answer(tx, row)


async def forget_user(tx: Transaction, user_ref: int) -> None:
    await store.forget_user(tx, user_ref)


async def forget_site(tx: Transaction, site_ref: int) -> None:
    await store.forget_site(tx, site_ref)


def _digests(incoming: Incoming, sealer: Sealer) -> list[bytes]:
    """Method, path, query and body; less the OAuth parameters, which are new in every attempt."""
    form = incoming.form
    body = incoming.body if form is None else _unsigned(form)
    asked = msgspec.msgpack.encode(
        (incoming.trace.method, incoming.path, _unsigned(incoming.query.decode("latin-1")), body)
    )
    secrets = sealer.derivations("repeatable requests")
    return [hashlib.blake2b(asked, key=secret.encode(), digest_size=32).digest() for secret in secrets]


def _unsigned(encoded: str) -> list[tuple[str, str]]:
    try:
        pairs = parse_qsl(encoded, keep_blank_values=True, encoding="latin-1", max_num_fields=MAX_FORM_FIELDS)
    except ValueError:
        raise Invalid(f"A query or form may hold at most {MAX_FORM_FIELDS} fields.") from None
    return [pair for pair in pairs if not pair[0].startswith("oauth_")]
