"""Password hashing in the tests' own process and in what it forks: real argon2id at its least cost, because many tests
create users, and every start of the demo hashes passwords.

Services that are executed hash as in production, and so does every `Passwords` that a test makes itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from argon2 import PasswordHasher, Type

from sitewright.kit.auth.argon2id import HASHER

if TYPE_CHECKING:  # imported later by the fork server, which chooses the hashing of all that it imports
    from sitewright.kit.auth.passwords import Passwords

CHEAP = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1, type=Type.ID)


@contextmanager
def hashing_as_in_production(passwords: "Passwords") -> Iterator[None]:
    """For tests of what is stored."""
    cheap, passwords.hasher = passwords.hasher, HASHER
    yield
    passwords.hasher = cheap
