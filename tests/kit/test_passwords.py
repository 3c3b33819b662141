"""Passwords: argon2id with fixed parameters, in processes of their own, never more at once than allowed."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from sitewright.kit.auth import argon2_process
from sitewright.kit.auth.hashing import HashingProcesses
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.problems import Unavailable
from tests.support.eventually import eventually
from tests.support.service import children_of, is_alive


@pytest.fixture
async def passwords() -> AsyncIterator[Passwords]:
    opened = Passwords(at_once=2)
    yield opened
    await opened.close()


def hashing() -> list[int]:
    """The processes of this one that hash."""
    return [pid for pid in children_of(os.getpid()) if argon2_process.__file__ in command_of(pid)]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


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
    verify = HashingProcesses.verify

    async def count(own: HashingProcesses, password_hash: str, password: str) -> bytes:
        asked.append(password)
        return await verify(own, password_hash, password)

    monkeypatch.setattr(HashingProcesses, "verify", count)
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
async def test_there_are_as_many_processes_as_may_work_at_once(at_once: int) -> None:
    before = set(hashing())
    passwords = Passwords(at_once=at_once)
    assert set(hashing()) == before, "none before there is work"
    known = await passwords.hash("correct horse", None)
    assert len(set(hashing()) - before) == 1
    answers = await asyncio.gather(
        *(passwords.verify("correct horse", known) for _ in range(at_once * 4)),
        *(passwords.verify("wrong", known) for _ in range(at_once * 4)),
    )
    assert answers == [True] * at_once * 4 + [False] * at_once * 4
    own = set(hashing()) - before
    assert len(own) == at_once
    await passwords.close()
    assert not any(is_alive(pid) for pid in own)


async def test_whoever_hashes_stands_back_for_everybody_else(passwords: Passwords) -> None:
    before = set(hashing())
    await passwords.hash("correct horse", None)
    [pid] = set(hashing()) - before
    assert os.getpriority(os.PRIO_PROCESS, pid) == argon2_process.NICENESS
    assert os.getsid(pid) == pid


async def test_whoever_hashes_knows_no_settings(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SITEWRIGHT_MASTER_KEY", "a secret that none needs for this")
    before = set(hashing())
    await passwords.hash("correct horse", None)
    [pid] = set(hashing()) - before
    assert "SITEWRIGHT_" not in Path(f"/proc/{pid}/environ").read_text()


async def test_the_work_of_a_killed_process_is_done_by_another(passwords: Passwords) -> None:
    before = set(hashing())
    known = await passwords.hash("correct horse", None)
    asked = [asyncio.create_task(passwords.verify("correct horse", known)) for _ in range(12)]
    await asyncio.sleep(0)
    for pid in set(hashing()) - before:
        os.kill(pid, signal.SIGKILL)
    assert await asyncio.gather(*asked) == [True] * 12


async def test_a_process_killed_in_its_sleep_is_replaced(passwords: Passwords) -> None:
    before = set(hashing())
    await passwords.hash("correct horse", None)
    [idle] = set(hashing()) - before
    os.kill(idle, signal.SIGKILL)
    await eventually(lambda: not is_alive(idle))
    assert await passwords.verify("correct horse", await passwords.hash("correct horse", None)) is True


@pytest.mark.parametrize("program", ["raise SystemExit(1)", "import os; os.kill(os.getpid(), 9)"])
async def test_where_none_stays_alive_the_caller_is_told(
    program: str, passwords: Passwords, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "broken.py").write_text(program)
    monkeypatch.setattr(argon2_process, "__file__", str(tmp_path / "broken.py"))
    with pytest.raises(Unavailable):
        await passwords.hash("correct horse", None)


async def test_where_none_starts_the_caller_is_told(passwords: Passwords, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/there/is/no/such/program")
    asked = [passwords.hash("correct horse", None), passwords.verify("correct horse", "$argon2id$")]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [type(answer) for answer in answers] == [Unavailable, Unavailable]


async def test_signals_to_a_whole_service_leave_it_at_work(passwords: Passwords) -> None:
    before = set(hashing())
    known = await passwords.hash("correct horse", None)
    [pid] = set(hashing()) - before
    os.kill(pid, signal.SIGTERM)
    os.kill(pid, signal.SIGINT)
    assert await passwords.verify("correct horse", known) is True
    assert set(hashing()) - before == {pid}


async def test_whoever_gave_up_waiting_holds_up_nobody(passwords: Passwords) -> None:
    known = await passwords.hash("correct horse", None)
    asked = [asyncio.create_task(passwords.verify("correct horse", known)) for _ in range(8)]
    await asyncio.sleep(0)
    for each in asked[::2]:
        each.cancel()
    assert await asyncio.gather(*asked[1::2]) == [True] * 4


async def test_the_event_loop_answers_while_a_password_is_worked_on(passwords: Passwords) -> None:
    known = await passwords.hash("correct horse", None)
    at_work = asyncio.create_task(passwords.verify("correct horse", known))
    turns = 0
    while not at_work.done():
        turns += 1
        await asyncio.sleep(0)
    assert (await at_work, turns > 100) == (True, True)
