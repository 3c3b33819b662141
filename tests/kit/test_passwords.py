"""Passwords: argon2id with fixed parameters, in processes of their own, never more at once than allowed."""

import asyncio
import gc
import multiprocessing
import os
import signal
import sys
import weakref
from collections.abc import AsyncIterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from sitewright.kit.auth.argon2id import HASHER, NICENESS
from sitewright.kit.auth.hashing import ATTEMPTS, HUGE_PAGES, TUNABLES, HashingPool, process_pool
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.problems import Unavailable
from tests.support.eventually import eventually
from tests.support.service import is_alive


@pytest.fixture
async def passwords() -> AsyncIterator[Passwords]:
    opened = Passwords(at_once=2, new_executor=process_pool)
    yield opened
    await opened.close()


def hashing_processes() -> set[int]:
    return {child.pid or 0 for child in multiprocessing.active_children()}


async def test_the_right_password_is_accepted(passwords: Passwords) -> None:
    assert await passwords.verify("correct horse", await passwords.hash("correct horse", None)) is True


@pytest.mark.parametrize(
    "wrong", ["", "correct horsf", "correct hors", "correct horse ", "Correct horse", "correct horse\0"]
)
async def test_any_other_password_is_rejected(passwords: Passwords, wrong: str) -> None:
    assert await passwords.verify(wrong, await passwords.hash("correct horse", None)) is False


@pytest.mark.parametrize("password", ["", "pässwörd", "😀", "a\0b", "line\nline", "\ud800", "x" * 1_000_000])
async def test_any_text_may_be_a_password(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, await passwords.hash(password, None)) is True


async def test_characters_after_a_nul_count_too(passwords: Passwords) -> None:
    assert await passwords.verify("a\0c", await passwords.hash("a\0b", None)) is False


@pytest.mark.parametrize("password", ["", "anything"])
async def test_without_a_hash_every_password_is_rejected(passwords: Passwords, password: str) -> None:
    assert await passwords.verify(password, None) is False


async def test_without_a_hash_a_verification_does_the_same_work(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    verify = HashingPool.verify

    async def count(own: HashingPool, password_hash: str, password: str) -> bool:
        asked.append(password)
        return await verify(own, password_hash, password)

    monkeypatch.setattr(HashingPool, "verify", count)
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
async def test_a_malformed_hash_rejects_the_password_without_an_error(passwords: Passwords, broken: str) -> None:
    assert await passwords.verify("correct horse", broken) is False


async def test_a_hash_with_one_changed_character_rejects_the_password(passwords: Passwords) -> None:
    right = await passwords.hash("correct horse", None)
    changed = right[:-5] + ("A" if right[-5] != "A" else "B") + right[-4:]

    assert await passwords.verify("correct horse", changed) is False


async def test_it_is_argon2id_with_19_mib_two_rounds_and_one_lane(passwords: Passwords) -> None:
    parameters = extract_parameters(await passwords.hash("correct horse", None))

    assert parameters.type is Type.ID
    assert (parameters.memory_cost, parameters.time_cost, parameters.parallelism) == (19456, 2, 1)


async def test_a_hash_with_other_parameters_needs_to_be_renewed(passwords: Passwords) -> None:
    older = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1, type=Type.ID).hash("correct horse")
    assert await passwords.verify("correct horse", older) is True
    assert passwords.needs_rehash(older) is True
    assert passwords.needs_rehash(await passwords.hash("correct horse", None)) is False


async def test_the_same_password_never_has_the_same_hash_twice(passwords: Passwords) -> None:
    assert await passwords.hash("correct horse", None) != await passwords.hash("correct horse", None)


@pytest.mark.parametrize("at_once", [1, 3])
async def test_the_number_of_processes_is_the_allowed_concurrency(at_once: int) -> None:
    before = hashing_processes()
    passwords = Passwords(at_once=at_once, new_executor=process_pool)
    assert hashing_processes() == before, "none before there is work"
    known = await passwords.hash("correct horse", None)
    assert len(hashing_processes() - before) == 1
    verdicts = await asyncio.gather(
        *(passwords.verify("correct horse", known) for _ in range(at_once * 4)),
        *(passwords.verify("wrong", known) for _ in range(at_once * 4)),
    )
    assert verdicts == [True] * at_once * 4 + [False] * at_once * 4
    assert len(hashing_processes() - before) == at_once
    await passwords.close()
    assert hashing_processes() == before


async def test_only_hashing_processes_have_a_low_priority(passwords: Passwords) -> None:
    before, own = hashing_processes(), os.getpriority(os.PRIO_PROCESS, 0)
    await passwords.hash("correct horse", None)
    [process] = hashing_processes() - before
    assert os.getpriority(os.PRIO_PROCESS, process) == min(own + NICENESS, 19)
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


@pytest.mark.parametrize(("set_by_operator", "expected"), [(None, HUGE_PAGES), ("glibc.malloc.check=0", None)])
async def test_hashing_processes_use_huge_pages(
    passwords: Passwords, monkeypatch: pytest.MonkeyPatch, set_by_operator: str | None, expected: str | None
) -> None:
    monkeypatch.delenv(TUNABLES, raising=False)
    if set_by_operator is not None:
        monkeypatch.setenv(TUNABLES, set_by_operator)
    before = hashing_processes()
    await passwords.hash("correct horse", None)
    [process] = hashing_processes() - before
    environment = Path(f"/proc/{process}/environ").read_text().split("\0")
    assert f"{TUNABLES}={expected or set_by_operator}" in environment
    assert os.environ.get(TUNABLES) == set_by_operator, "only for hashing processes"


async def test_a_killed_process_is_replaced_without_an_error(
    passwords: Passwords, caplog: pytest.LogCaptureFixture
) -> None:
    before = hashing_processes()
    known = await passwords.hash("correct horse", None)
    [process] = hashing_processes() - before
    callers = [asyncio.create_task(passwords.verify("correct horse", known)) for _ in range(4)]
    await asyncio.sleep(0)
    os.kill(process, signal.SIGKILL)
    assert await asyncio.gather(*callers) == [True] * 4
    assert "replaced" in caplog.text


async def test_hashing_fails_after_some_attempts_if_its_processes_always_die(passwords: Passwords) -> None:
    executors: list[object] = []

    class Dying(Executor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            executors.append(self)
            failed: Future[Any] = Future()
            failed.set_exception(BrokenProcessPool("it died"))
            return failed

    refused = Passwords(at_once=1, new_executor=lambda _: Dying())
    with pytest.raises(Unavailable):
        await refused.hash("correct horse", None)
    assert len(set(map(id, executors))) == ATTEMPTS
    assert await passwords.verify("anything", None) is False, "others are not affected"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_hashing_processes_ignore_termination_signals(passwords: Passwords, number: int) -> None:
    before = hashing_processes()
    known = await passwords.hash("correct horse", None)
    [process] = hashing_processes() - before
    os.kill(process, number)
    assert await passwords.verify("correct horse", known) is True
    assert process in hashing_processes()


HASH_AND_WAIT = """
import asyncio, multiprocessing, sys
from sitewright.kit.auth.hashing import process_pool
from sitewright.kit.auth.passwords import Passwords

async def run():
    passwords = Passwords(at_once=1, new_executor=process_pool)  # kept: a collected pool ends its processes
    await passwords.hash("correct horse", None)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    await asyncio.sleep(600)

asyncio.run(run())
"""


async def test_a_hashing_process_ends_with_its_parent() -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", HASH_AND_WAIT, stdout=asyncio.subprocess.PIPE)
    assert parent.stdout is not None
    process = int(await parent.stdout.readline())
    assert is_alive(process)
    parent.kill()
    await parent.wait()
    await eventually(lambda: not is_alive(process))


class Secret(str):
    """A text that weak references can point to."""


async def test_a_cancelled_call_leaves_no_password_in_memory_and_no_busy_process() -> None:
    """One process: the first password is being hashed and the second waits when their callers give up."""
    passwords = Passwords(at_once=1, new_executor=process_pool)
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
    assert await passwords.verify("anything", None) is False, "the process is free again"
    await passwords.close()


async def test_a_cancelled_waiter_does_not_delay_others(passwords: Passwords) -> None:
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
