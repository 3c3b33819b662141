"""Passwords: argon2id with fixed parameters, in threads of their own, never more at once than allowed."""

import asyncio
import gc
import os
import threading
import weakref
from collections.abc import AsyncIterator

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from sitewright.kit.auth.hashing import HASHER, NICENESS, HashingThreads
from sitewright.kit.auth.passwords import Passwords


@pytest.fixture
async def passwords() -> AsyncIterator[Passwords]:
    opened = Passwords(at_once=2)
    yield opened
    await opened.close()


def hashing_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("argon2")}


async def test_the_right_password_is_right(passwords: Passwords) -> None:
    assert await passwords.verify("correct horse", await passwords.hash("correct horse", None)) is True


@pytest.mark.parametrize(
    "wrong", ["", "correct horsf", "correct hors", "correct horse ", "Correct horse", "correct horse\0"]
)
async def test_any_other_password_is_wrong(passwords: Passwords, wrong: str) -> None:
    assert await passwords.verify(wrong, await passwords.hash("correct horse", None)) is False


@pytest.mark.parametrize("password", ["", "pässwörd", "😀", "a\0b", "line\nline", "\ud800", "x" * 1_000_000])
async def test_any_text_may_be_a_password(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, await passwords.hash(password, None)) is True


async def test_what_follows_a_nul_counts_too(passwords: Passwords) -> None:
    assert await passwords.verify("a\0c", await passwords.hash("a\0b", None)) is False


@pytest.mark.parametrize("password", ["", "anything"])
async def test_without_a_hash_every_password_is_wrong(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, None) is False


async def test_without_a_hash_the_work_is_done_all_the_same(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    verify = HashingThreads.verify

    async def count(own: HashingThreads, password_hash: str, password: str) -> bool:
        asked.append(password)
        return await verify(own, password_hash, password)

    monkeypatch.setattr(HashingThreads, "verify", count)
    await passwords.verify("anything", None)
    assert asked == ["anything"]
    assert passwords.needs_rehash(passwords._hash_of_nothing) is False, "it costs what any other hash costs"


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
    right = await passwords.hash("correct horse", None)
    changed = right[:-5] + ("A" if right[-5] != "A" else "B") + right[-4:]

    assert await passwords.verify("correct horse", changed) is False


async def test_it_is_argon2id_with_19_mib_two_rounds_and_one_lane(passwords: Passwords) -> None:
    parameters = extract_parameters(await passwords.hash("correct horse", None))

    assert parameters.type is Type.ID
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (19456, 2, 1)


async def test_a_hash_of_other_parameters_wants_to_be_made_anew(passwords: Passwords) -> None:
    older = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1, type=Type.ID).hash("correct horse")
    assert await passwords.verify("correct horse", older) is True
    assert passwords.needs_rehash(older) is True
    assert passwords.needs_rehash(await passwords.hash("correct horse", None)) is False


async def test_the_same_password_never_has_the_same_hash_twice(passwords: Passwords) -> None:
    assert await passwords.hash("correct horse", None) != await passwords.hash("correct horse", None)


@pytest.mark.parametrize("at_once", [1, 3])
async def test_there_are_as_many_threads_as_may_work_at_once(at_once: int) -> None:
    before = hashing_threads()
    passwords = Passwords(at_once=at_once)
    assert hashing_threads() == before, "none before there is work"
    known = await passwords.hash("correct horse", None)
    assert len(hashing_threads() - before) == 1
    results = await asyncio.gather(
        *(passwords.verify("correct horse", known) for _ in range(at_once * 4)),
        *(passwords.verify("wrong", known) for _ in range(at_once * 4)),
    )
    assert results == [True] * at_once * 4 + [False] * at_once * 4
    assert len(hashing_threads() - before) == at_once
    await passwords.close()
    assert hashing_threads() == before


async def test_threads_that_hash_have_a_low_priority_and_the_event_loop_has_not(passwords: Passwords) -> None:
    before, own = hashing_threads(), os.getpriority(os.PRIO_PROCESS, 0)
    await passwords.hash("correct horse", None)
    [thread] = hashing_threads() - before
    assert os.getpriority(os.PRIO_PROCESS, thread.native_id or 0) == own + NICENESS
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


async def test_an_error_in_a_thread_reaches_its_caller_and_nobody_else(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = await passwords.hash("correct horse", None)

    def fail(*_: object) -> str:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr("sitewright.kit.auth.hashing.HASHER", type("Broken", (), {"hash": staticmethod(fail)}))
        results = await asyncio.gather(*(passwords.hash("x", None) for _ in range(4)), return_exceptions=True)
    assert [type(result) for result in results] == [MemoryError] * 4
    assert await passwords.verify("correct horse", known) is True


class Secret(str):
    """A text that weak references can point to."""


async def test_a_caller_that_gives_up_leaves_no_password_and_no_thread_busy() -> None:
    """One thread: the first password is being hashed and the second waits when their callers give up."""
    passwords = Passwords(at_once=1)
    secrets = [Secret(f"the secret of {name}") for name in ("first", "second", "third")]
    known = [weakref.ref(secret) for secret in secrets]
    callers = [asyncio.create_task(passwords.hash(secret, None)) for secret in secrets]
    del secrets
    await asyncio.sleep(0)
    for caller in callers[:2]:
        caller.cancel()
    await asyncio.wait(callers[:2])
    del caller, callers[:2]
    gc.collect()
    assert [secret() for secret in known[:2]] == [None, None]
    assert HASHER.verify(await callers[0], "the secret of third")
    assert await passwords.verify("anything", None) is False, "the thread is free again"
    await passwords.close()


async def test_a_waiter_that_was_cancelled_delays_no_other(passwords: Passwords) -> None:
    known = await passwords.hash("correct horse", None)
    asked = [asyncio.create_task(passwords.verify("correct horse", known)) for _ in range(8)]
    await asyncio.sleep(0)
    for each in asked[::2]:
        each.cancel()
    assert await asyncio.gather(*asked[1::2]) == [True] * 4


async def test_the_event_loop_runs_while_a_password_is_hashed(passwords: Passwords) -> None:
    known = await passwords.hash("correct horse", None)
    at_work = asyncio.create_task(passwords.verify("correct horse", known))
    turns = 0
    while not at_work.done():
        turns += 1
        await asyncio.sleep(0)
    assert (await at_work, turns > 100) == (True, True)
