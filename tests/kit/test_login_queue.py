"""The bounded queue before argon2, and the order in which callers get a thread."""

import asyncio
from contextlib import ExitStack

import pytest

from sitewright.kit.auth.hashing import QUEUED, Kind, Turns
from sitewright.kit.auth.login_queue import LogInQueue, LogInQueueFull
from sitewright.kit.auth.passwords import Passwords
from sitewright.kit.origin import rate_limit_key
from sitewright.kit.problems import Unavailable


def fill(stack: ExitStack, queue: LogInQueue, *addresses: str) -> None:
    for address in addresses:
        stack.enter_context(queue.admit(address))


def test_a_full_queue_refuses_at_once_until_a_place_is_free() -> None:
    queue = LogInQueue(4)
    with ExitStack() as stack:
        fill(stack, queue, "a", "b", "c", "d")
        with pytest.raises(LogInQueueFull) as full, queue.admit("e"):
            pass
        assert full.value.headers["Retry-After"] == "1"
    with queue.admit("e"):
        pass


def test_one_address_may_use_half_of_the_queue() -> None:
    queue = LogInQueue(4)
    with ExitStack() as stack:
        fill(stack, queue, "a", "a")
        with pytest.raises(LogInQueueFull), queue.admit("a"):
            pass
        fill(stack, queue, "b")


def test_several_verifications_take_several_places_and_an_empty_queue_accepts_any_number() -> None:
    queue = LogInQueue(1)
    with queue.admit("a", 2), pytest.raises(LogInQueueFull), queue.admit("b"):
        pass


async def test_untrusted_clients_do_not_fill_the_queue_of_trusted_addresses() -> None:
    passwords = Passwords(at_once=1, log_in_places=2)
    with passwords.admit_log_in("untrusted"), passwords.admit_log_in("another"):
        with pytest.raises(LogInQueueFull), passwords.admit_log_in("ann"):
            pass
        with passwords.admit_log_in("ann", is_trusted=True):
            pass


class Queue:
    """Callers by name, in the order in which `Turns` serves them."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.callers: dict[str, asyncio.Task[None]] = {}
        self._served: list[str] = []

    async def push(self, name: str, kind: Kind, tenant: int | None = None) -> None:
        self.callers[name] = asyncio.create_task(self._wait(name, kind, tenant))
        await asyncio.sleep(0)

    async def give_up(self, name: str) -> None:
        self.callers[name].cancel()
        await asyncio.wait([self.callers[name]])

    async def served(self) -> list[str]:
        while self.turns.hand_over():
            pass
        await asyncio.wait(self.callers.values())
        return self._served

    async def _wait(self, name: str, kind: Kind, tenant: int | None) -> None:
        await self.turns.wait(kind, tenant, lambda: None)
        self._served.append(name)


async def test_new_passwords_and_log_ins_take_turns() -> None:
    queue = Queue()
    for number in range(3):
        await queue.push(f"new {number}", "new password")
    for number in range(2):
        await queue.push(f"log-in {number}", "log-in")
    assert await queue.served() == ["log-in 0", "new 0", "log-in 1", "new 1", "new 2"]


async def test_brands_take_turns_with_new_passwords_and_cancelled_callers_are_skipped() -> None:
    queue = Queue()
    for number in range(5):
        await queue.push(f"a{number}", "new password", 1)
    await queue.push("b", "new password", 2)
    await queue.push("c", "new password", 3)
    await queue.give_up("a3")
    assert queue.turns.count("new password", 1) == 4
    assert await queue.served() == ["a0", "b", "c", "a1", "a2", "a4"]


async def test_a_brand_with_many_new_passwords_delays_no_other() -> None:
    passwords, order = Passwords(at_once=1), []

    async def hashed(tenant: int) -> None:
        await passwords.hash("secret", tenant)
        order.append(tenant)

    await asyncio.gather(*(hashed(tenant) for tenant in [1] * 12 + [2]))
    await passwords.close()
    assert order.index(2) <= 3, "no more than what was under way goes before it"


async def test_new_passwords_beyond_a_brands_limit_are_refused_at_once() -> None:
    passwords = Passwords(at_once=1, hashes_per_brand=3)
    flood = [asyncio.create_task(passwords.hash("secret", 1)) for _ in range(1 + QUEUED + 3)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as full:
        await passwords.hash("secret", 1)
    assert int(full.value.headers["Retry-After"]) >= 1
    for waiting in flood[1 + QUEUED :]:
        waiting.cancel()
    await asyncio.wait(flood[1 + QUEUED :])
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
