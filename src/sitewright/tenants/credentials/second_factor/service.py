"""The second factor of operators: set up, used at log-in, replaced by recovery codes, and removed.

A code works once, and five wrong ones within five minutes stop further attempts for that time. A wrong code is an
outcome and not an error, so that the transaction that counts it is committed.
"""

import base64
import hashlib
import hmac
import os
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.tenants.credentials.second_factor import one_time_codes, store
from sitewright.tenants.credentials.second_factor.one_time_codes import in_base32, setup_uri
from sitewright.tenants.credentials.second_factor.store import SecondFactor

WRONG_CODES = 5
WAIT = timedelta(minutes=5)
RECOVERY_CODES = 10
RECOVERY_BYTES = 10
"""80 random bits: a digest of them cannot be reversed, so that no slow hash is needed."""
ISSUER = "Sitewright"


class Outcome(StrEnum):
    RIGHT = "right"
    WRONG = "wrong"
    TOO_MANY = "too_many"
    """Nothing was verified: too many wrong codes just before."""


class Setup(msgspec.Struct, frozen=True):
    """What the operator's authenticator app needs."""

    uri: str
    secret: str
    """In base32, for typing."""


async def begin_setup(tx: Transaction, sealer: Sealer, caller: Caller, ref: int) -> None:
    """Store a new secret, unless there is one in force. It is in force once a code of it was entered."""
    factor = await store.lock(tx, ref)
    if factor is None or factor.enabled_at is not None:
        return
    await store.begin(tx, ref, sealer.seal(one_time_codes.new_secret(), _context(ref)))
    await audit.record_by(tx, caller, "begin-second-factor", "operator", ref)


async def find_setup(tx: Transaction, sealer: Sealer, ref: int, account: str) -> Setup | None:
    """None unless a set-up has begun and is not complete."""
    factor = await store.find(tx, ref)
    if factor is None or factor.secret is None or factor.enabled_at is not None:
        return None
    secret = sealer.unseal(factor.secret, _context(ref))
    grouped = in_base32(secret)
    return Setup(setup_uri(secret, ISSUER, account), " ".join(grouped[at : at + 4] for at in range(0, len(grouped), 4)))


async def complete_setup(tx: Transaction, sealer: Sealer, caller: Caller, ref: int, code: str) -> list[str] | Outcome:
    """Enable it if the code is right; returns the recovery codes, which are shown this once."""
    factor = await store.lock(tx, ref)
    if factor is None or factor.enabled_at is not None:
        return Outcome.WRONG
    outcome = await _check(tx, sealer, ref, factor, code)
    if outcome is not Outcome.RIGHT:
        return outcome
    codes = _new_recovery_codes()
    await store.enable(tx, ref, clock.now(), [_digest(each) for each in codes])
    await audit.record_by(tx, caller, "enable-second-factor", "operator", ref)
    return codes


async def use_code(tx: Transaction, sealer: Sealer, caller: Caller, ref: int, code: str) -> Outcome:
    """Use up a one-time code or a recovery code of the operator."""
    factor = await store.lock(tx, ref)
    if factor is None or factor.enabled_at is None:
        return Outcome.WRONG
    outcome = await _check(tx, sealer, ref, factor, code)
    if outcome is Outcome.RIGHT and _is_recovery_code(factor, code):
        await audit.record_by(tx, caller, "use-recovery-code", "operator", ref)
    elif outcome is Outcome.WRONG:
        await audit.record_by(tx, caller, "wrong-code", "operator", ref)
    return outcome


async def replace_recovery_codes(
    tx: Transaction, sealer: Sealer, caller: Caller, ref: int, code: str
) -> list[str] | Outcome:
    """New recovery codes, for a right code; the former ones no longer work."""
    outcome = await use_code(tx, sealer, caller, ref, code)
    if outcome is not Outcome.RIGHT:
        return outcome
    codes = _new_recovery_codes()
    await store.replace_recovery_codes(tx, ref, [_digest(each) for each in codes])
    await audit.record_by(tx, caller, "replace-recovery-codes", "operator", ref)
    return codes


async def remove(tx: Transaction, sealer: Sealer, caller: Caller, ref: int, code: str) -> Outcome:
    """Remove the second factor, for a right code."""
    outcome = await use_code(tx, sealer, caller, ref, code)
    if outcome is Outcome.RIGHT:
        await reset(tx, caller, ref)
    return outcome


async def reset(tx: Transaction, caller: Caller, ref: int) -> None:
    """Remove the second factor without a code: for an operator who has lost it."""
    await store.remove(tx, ref)
    await audit.record_by(tx, caller, "remove-second-factor", "operator", ref)


async def count_recovery_codes(tx: Transaction, ref: int) -> int:
    factor = await store.find(tx, ref)
    return 0 if factor is None else len(factor.recovery_codes)


async def _check(tx: Transaction, sealer: Sealer, ref: int, factor: SecondFactor, typed: str) -> Outcome:
    now = clock.now()
    if _is_blocked(factor, now):
        return Outcome.TOO_MANY
    if factor.enabled_at is not None and _is_recovery_code(factor, typed):
        await store.use_recovery_code(tx, ref, _digest(typed))
        return Outcome.RIGHT
    step = None
    if factor.secret is not None:
        secret = sealer.unseal(factor.secret, _context(ref))
        step = one_time_codes.matching_step(secret, _plain(typed), clock.real_now().timestamp())
    if step is not None and (factor.last_code is None or step > factor.last_code):
        await store.use_code(tx, ref, step)
        return Outcome.RIGHT
    await store.count_wrong_code(tx, ref, _recent_wrong_codes(factor, now) + 1, now)
    return Outcome.WRONG


def _is_blocked(factor: SecondFactor, now: datetime) -> bool:
    return _recent_wrong_codes(factor, now) >= WRONG_CODES


def _recent_wrong_codes(factor: SecondFactor, now: datetime) -> int:
    is_recent = factor.wrong_code_at is not None and now - factor.wrong_code_at < WAIT
    return factor.wrong_codes if is_recent else 0


def _new_recovery_codes() -> list[str]:
    """Like `abcd-efgh-ijkl-mnop`."""
    texts = [base64.b32encode(os.urandom(RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    return ["-".join(text[at : at + 4] for at in range(0, len(text), 4)) for text in texts]


def _is_recovery_code(factor: SecondFactor, typed: str) -> bool:
    return any(hmac.compare_digest(_digest(typed), each) for each in factor.recovery_codes)


def _plain(typed: str) -> str:
    return "".join(each for each in typed if each.isalnum()).lower()


def _digest(code: str) -> str:
    return hashlib.sha256(_plain(code).encode()).hexdigest()


def _context(ref: int) -> str:
    return store.CONTEXT.format(ref=ref)
