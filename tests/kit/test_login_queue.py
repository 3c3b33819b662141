"""The bounded queue before argon2, and the two queues behind it."""

import asyncio
from contextlib import ExitStack

import pytest

from sitewright.kit.auth.hashing import WaitingWork, Work
from sitewright.kit.auth.login_queue import LogInQueue, LogInQueueFull
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.problems import Unavailable


def fill(stack: ExitStack, queue: LogInQueue, *addresses: str) -> None:
    for address in addresses:
        stack.enter_context(queue.admit(address))


def test_a_full_queue_refuses_at_once_and_has_room_again_afterwards() -> None:
    queue = LogInQueue(4)
    with ExitStack() as stack:
        fill(stack, queue, "a", "b", "c", "d")
        with pytest.raises(LogInQueueFull) as full, queue.admit("e"):
            pass
        assert full.value.headers["Retry-After"] == "1"
    with queue.admit("e"):
        pass


def test_one_address_may_hold_half_of_it() -> None:
    queue = LogInQueue(4)
    with ExitStack() as stack:
        fill(stack, queue, "a", "a")
        with pytest.raises(LogInQueueFull), queue.admit("a"):
            pass
        fill(stack, queue, "b")


def test_several_verifications_take_several_places_and_an_empty_queue_takes_any() -> None:
    queue = LogInQueue(1)
    with queue.admit("a", 2), pytest.raises(LogInQueueFull), queue.admit("b"):
        pass


async def test_who_is_trusted_does_not_find_the_places_taken_by_strangers() -> None:
    passwords = Passwords(at_once=1, log_in_places=2)
    with passwords.admit_log_in("stranger"), passwords.admit_log_in("another"):
        with pytest.raises(LogInQueueFull), passwords.admit_log_in("ann"):
            pass
        with passwords.admit_log_in("ann", is_trusted=True):
            pass


async def test_new_passwords_and_log_ins_take_turns() -> None:
    waiting, loop = WaitingWork(), asyncio.get_running_loop()
    for number in range(3):
        for kind in (True, False):
            waiting.append(Work(b"%d" % number, loop.create_future(), kind))
    taken = [waiting.popleft() for _ in range(4)]
    waiting.put_back(taken[2:])
    taken[2:] = [waiting.popleft() for _ in range(4)]
    assert [work.request for work in taken] == [b"0", b"0", b"1", b"1", b"2", b"2"]
    assert [work.is_to_verify for work in taken] == [True, False] * 3
    assert not waiting


async def test_brands_take_turns_with_new_passwords_also_after_an_interruption() -> None:
    waiting, loop = WaitingWork(), asyncio.get_running_loop()
    for tenant, name in [*((1, b"a%d" % number) for number in range(5)), (2, b"b"), (3, b"c")]:
        waiting.append(Work(name, loop.create_future(), is_to_verify=False, tenant=tenant))
    taken = [waiting.popleft() for _ in range(2)]
    waiting.put_back(taken)
    waiting.keep(lambda work: work.request != b"a3")
    assert waiting.hashes_of(1) == 4
    served = [waiting.popleft().request for _ in range(6)]
    assert served == [b"a0", b"b", b"c", b"a1", b"a2", b"a4"]
    assert not waiting


async def test_a_brand_with_many_new_passwords_delays_no_other() -> None:
    passwords, order = Passwords(at_once=1), []

    async def hashed(tenant: int) -> None:
        await passwords.hash("secret", tenant)
        order.append(tenant)

    await asyncio.gather(*(hashed(tenant) for tenant in [1] * 12 + [2]))
    await passwords.close()
    assert order.index(2) <= 3, "no more than what was under way goes before it"


async def test_new_passwords_of_a_brand_beyond_its_bound_are_refused_at_once_and_others_are_not() -> None:
    passwords = Passwords(at_once=1, hashes_per_brand=3)
    flood = [asyncio.create_task(passwords.hash("secret", 1)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as full:
        await passwords.hash("secret", 1)
    assert int(full.value.headers["Retry-After"]) >= 1
    for waiting in flood[1:]:
        waiting.cancel()
    await asyncio.wait(flood[1:])
    assert len({await passwords.hash("secret", 2), await passwords.hash("secret", 1), await flood[0]}) == 3
    await passwords.close()


async def test_a_new_password_waits_up_to_its_time_limit() -> None:
    passwords = Passwords(at_once=1, log_in_places=1, hashing_wait_seconds=60)
    hashes = await asyncio.gather(*(passwords.hash("secret", None) for _ in range(5)))
    assert len(set(hashes)) == 5, "no bound but time"
    await passwords.close()
    hurried = Passwords(at_once=1, hashing_wait_seconds=0.001)
    with pytest.raises(Unavailable) as late:
        await hurried.hash("secret", None)
    assert int(late.value.headers["Retry-After"]) >= 1
    await hurried.close()


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("0:0:0:0:0:FFFF:192.0.2.7", "192.0.2.7"),
        ("no:address", "no:address"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_rate_limits_count_ipv6_by_64_bits(address: str, key: str) -> None:
    assert rate_limit_key(address) == key
