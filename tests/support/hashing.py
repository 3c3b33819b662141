"""Password hashing in the tests' own process: real argon2id at its least cost, because many tests create users.

Services in processes of their own hash as in production, and so does every `Passwords` that a test makes itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher, Type

from sitewright.kit.auth.argon2id import HASHER
from sitewright.kit.auth.passwords import Passwords

CHEAP = PasswordHasher(memory_cost=8, time_cost=1, parallelism=1, type=Type.ID)


@contextmanager
def hashing_as_in_production(passwords: Passwords) -> Iterator[None]:
    """For tests of what is stored."""
    cheap, passwords.hasher = passwords.hasher, HASHER
    yield
    passwords.hasher = cheap
