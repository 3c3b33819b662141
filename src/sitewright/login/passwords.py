"""Logging in with user name and password. No connection is held while argon2 works."""

import hashlib

import msgspec

from sitewright.brands import service as brands
from sitewright.kit import clock
from sitewright.kit.auth import store as auth_store
from sitewright.kit.auth.authenticator import Guesses
from sitewright.kit.db import Transaction
from sitewright.kit.resources import Resources
from sitewright.kit.sealing import Sealer
from sitewright.kit.text import key_of
from sitewright.login import store
from sitewright.login.destinations import destination
from sitewright.login.errors import AccountSuspended, SeveralAccounts, TooManyAttempts, WrongCredentials
from sitewright.login.service import LoggedIn, LogIn, begin_session, brand_seen_by
from sitewright.settings import Settings

EVERY_BRAND = 0
_guesses = Guesses()


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    username: str
    password: str
    brand_ref: int | None
    """None: of whichever brand both fit."""
    address: str

    def key(self, sealer: Sealer) -> str:
        """What failures are counted by, beside the address. It tells no name: people type passwords in its place."""
        name = f"{self.brand_ref or EVERY_BRAND}:{key_of(self.username)}".encode()
        secret = sealer.derive("failed log-ins").encode()
        return f"user:{hashlib.blake2b(name, key=secret, digest_size=16).hexdigest()}"


class Fitting(msgspec.Struct, frozen=True):
    """Whom the password fits, and its new hash where the old one is out of date."""

    brand_ref: int
    user_ref: int
    password_hash: str
    new_hash: str | None


async def log_in_by_password(resources: Resources, attempt: Attempt, wanted: LogIn) -> LoggedIn:
    fitting = await _fitting(resources, attempt)
    async with resources.database.transaction(fitting.brand_ref) as tx:
        brand = await brands.settings_of_brand(tx)
        location = destination(wanted.target, brand, None)
        holder = await store.lock_holder(tx, fitting.user_ref)
        if holder is None or holder.is_gone or holder.password_hash != fitting.password_hash:
            raise WrongCredentials  # changed in this very moment
        if holder.is_suspended:
            seen = await brand_seen_by(tx, brand, holder)
            raise AccountSuspended(language=holder.language_code, brand=seen)
        if fitting.new_hash is not None:
            await store.set_password_hash(tx, holder.user_ref, fitting.new_hash)
        session = await begin_session(tx, brand.brand_ref, holder, wanted, by="password")
    return LoggedIn(brand_ref=brand.brand_ref, user_ref=holder.user_ref, location=location, session=session)


async def _fitting(resources: Resources, attempt: Attempt) -> Fitting:
    """Guesses of one pair of address and name come one after another, so that each is counted before the next."""
    key = attempt.key(resources.sealer)
    async with _guesses.one_at_a_time((attempt.address, key)):
        async with resources.database.connection() as connection:
            failures = await _count_failures(connection, attempt.address, key, resources.settings)
            candidates = await store.list_candidates(connection, key_of(attempt.username), attempt.brand_ref)
        found = await _verified(resources, attempt.password, candidates)
        async with resources.database.connection() as connection:
            if not found:
                await auth_store.record_failure(connection, attempt.address, key)
                raise WrongCredentials
            if failures and len(candidates) == 1:  # else one's own account would clear the guesses at another's
                await auth_store.clear_failures(connection, attempt.address, key)
    if len(found) > 1:
        raise SeveralAccounts
    return found[0]


async def _count_failures(connection: Transaction, address: str, key: str, settings: Settings) -> int:
    window = settings.failure_window_seconds
    failures, oldest = await store.count_failures(connection, address, key, window)
    if oldest is not None and failures >= settings.failures_per_key:
        raise TooManyAttempts(max(1, round(window - (clock.real_now() - oldest).total_seconds())))
    return failures


async def _verified(resources: Resources, password: str, candidates: list[store.Candidate]) -> list[Fitting]:
    """Where nobody has the name, as long as where one does."""
    if not candidates:
        await resources.passwords.verify(password, None)
    found = []
    for each in candidates:
        known = each.password_hash
        if await resources.passwords.verify(password, known) and known is not None:
            is_old = resources.passwords.needs_rehash(known)
            new_hash = await resources.passwords.hash(password) if is_old else None
            found.append(Fitting(each.brand_ref, each.user_ref, known, new_hash))
    return found
