"""Passwords: argon2id with fixed parameters, off the event loop, never more at once than allowed."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from sitewright.kit.auth.passwords import Passwords

PATIENCE = 10  # seconds after which a test that would wait for ever fails instead


class WatchedHasher(PasswordHasher):
    """Hashes for real, and tells how many of its threads were inside at the same moment."""

    def __init__(self, before: Callable[[], object]) -> None:
        super().__init__(memory_cost=19 * 1024, time_cost=2, parallelism=1)
        self._before = before
        self._lock = threading.Lock()
        self._inside = 0
        self.most_inside = 0

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        with self:
            return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Any:  # noqa: A002 - argon2's own name
        with self:
            return super().verify(hash, password)

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            self.most_inside = max(self.most_inside, self._inside)
        self._before()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1


class WatchedPasswords(Passwords):
    def __init__(self, *, at_once: int, before: Callable[[], object]) -> None:
        super().__init__(at_once=at_once)
        self._hasher = self.watched = WatchedHasher(before)


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    opened = Passwords(at_once=2)
    yield opened
    opened.close()


async def test_the_right_password_is_right(passwords: Passwords) -> None:
    assert await passwords.verify("correct horse", await passwords.hash("correct horse")) is True


@pytest.mark.parametrize(
    "wrong", ["", "correct horsf", "correct hors", "correct horse ", "Correct horse", "correct horse\0"]
)
async def test_any_other_password_is_wrong(passwords: Passwords, wrong: str) -> None:
    assert await passwords.verify(wrong, await passwords.hash("correct horse")) is False


@pytest.mark.parametrize("password", ["", "pässwörd", "😀", "a\0b", "x" * 10_000])
async def test_any_text_may_be_a_password(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, await passwords.hash(password)) is True


async def test_what_follows_a_nul_counts_too(passwords: Passwords) -> None:
    assert await passwords.verify("a\0c", await passwords.hash("a\0b")) is False


@pytest.mark.parametrize("password", ["", "anything"])
async def test_without_a_hash_every_password_is_wrong(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, None) is False


async def test_without_a_hash_the_work_is_done_all_the_same() -> None:
    calls: list[None] = []
    watched = WatchedPasswords(at_once=1, before=lambda: calls.append(None))
    await watched.verify("anything", None)  # makes the hash it compares with from then on
    before = len(calls)

    await watched.verify("anything", None)

    watched.close()
    assert len(calls) == before + 1


@pytest.mark.parametrize(
    "broken",
    [
        "",
        "correct horse",
        "$argon2id$",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l",
        "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l$!!!!",
        "$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHRzb21l$YWFhYWFhYWFhYWFhYWFhYQ",
        "$2b$12$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuuabcdefghij",
        "$argon2id$v=19$m=19456,t=2,p=1$ä$ö",
        "\0",
    ],
)
async def test_a_broken_hash_is_wrong_and_not_an_error(passwords: Passwords, broken: str) -> None:
    assert await passwords.verify("correct horse", broken) is False


async def test_a_hash_with_one_letter_changed_is_wrong(passwords: Passwords) -> None:
    right = await passwords.hash("correct horse")
    changed = right[:-5] + ("A" if right[-5] != "A" else "B") + right[-4:]

    assert await passwords.verify("correct horse", changed) is False


async def test_it_is_argon2id_with_19_mib_two_rounds_and_one_lane(passwords: Passwords) -> None:
    parameters = extract_parameters(await passwords.hash("correct horse"))

    assert parameters.type is Type.ID
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (19456, 2, 1)


async def test_a_hash_of_other_parameters_wants_to_be_made_anew(passwords: Passwords) -> None:
    older = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1, type=Type.ID).hash("correct horse")
    assert await passwords.verify("correct horse", older) is True
    assert passwords.needs_rehash(older) is True
    assert passwords.needs_rehash(await passwords.hash("correct horse")) is False


async def test_the_same_password_never_has_the_same_hash_twice(passwords: Passwords) -> None:
    assert await passwords.hash("correct horse") != await passwords.hash("correct horse")


@pytest.mark.parametrize("at_once", [1, 2, 4])
async def test_as_many_hash_at_once_as_are_allowed_and_no_more(at_once: int) -> None:
    gate = threading.Barrier(at_once, timeout=PATIENCE)  # opens when that many are inside together
    watched = WatchedPasswords(at_once=at_once, before=gate.wait)

    await asyncio.gather(*(watched.hash("correct horse") for _ in range(at_once * 4)))

    watched.close()
    assert watched.watched.most_inside == at_once


async def test_hashing_and_verifying_share_the_same_places() -> None:
    watched = WatchedPasswords(at_once=2, before=threading.Barrier(2, timeout=PATIENCE).wait)
    known, _ = await asyncio.gather(watched.hash("correct horse"), watched.hash("another"))

    work = [watched.hash("correct horse") for _ in range(4)], [watched.verify("wrong", known) for _ in range(4)]
    await asyncio.gather(*work[0], *work[1])

    watched.close()
    assert watched.watched.most_inside == 2


@pytest.mark.parametrize("work", ["hash", "verify"])
async def test_the_event_loop_answers_while_a_password_is_worked_on(work: str) -> None:
    loop = asyncio.get_running_loop()
    inside, answered, waited = asyncio.Event(), threading.Event(), list[bool]()

    def wait_for_the_loop() -> None:
        loop.call_soon_threadsafe(inside.set)
        waited.append(answered.wait(PATIENCE))

    watched = WatchedPasswords(at_once=1, before=wait_for_the_loop)
    at_work = asyncio.ensure_future(
        watched.hash("correct horse") if work == "hash" else watched.verify("correct horse", "$argon2id$")
    )
    await inside.wait()
    answered.set()  # only a loop that is not held up by the work gets here before the patience ends
    await at_work

    watched.close()
    assert waited == [True]
