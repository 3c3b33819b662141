"""The program of a process that works on passwords, and on nothing else. It ends with whoever started it.

It is run by its path and imports little, so that it starts in no time and knows none of the service's secrets. On a
busy machine everybody else goes first: whoever waits for a password waits long anyway, and whoever asks for something
else shall not wait for it. A thread cannot stand back like this (decision 0032).
"""

import signal
import struct
import sys

from argon2 import PasswordHasher, Type
from argon2.exceptions import VerificationError

from sitewright.kit.scheduling import stand_back

HASHER = PasswordHasher(memory_cost=19 * 1024, time_cost=2, parallelism=1, type=Type.ID)
REQUEST = struct.Struct("!?II")  # whether to verify, the length of the hash to verify, the length of the password
RIGHT, WRONG = b"right", b"wrong"

NICENESS = 10  # behind callers, but not behind all else: a log-in waits while large sites are rendered


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the one who started it, who may have work for it still
        signal.signal(number, signal.SIG_IGN)
    stands_back = stand_back(NICENESS)
    while head := sys.stdin.buffer.read(REQUEST.size):
        stands_back = stands_back or stand_back(NICENESS)
        is_to_verify, hash_length, password_length = REQUEST.unpack(head)
        password_hash = sys.stdin.buffer.read(hash_length)
        password = sys.stdin.buffer.read(password_length)
        answer = _verify(password_hash, password) if is_to_verify else HASHER.hash(password).encode()
        sys.stdout.buffer.write(answer + b"\n")
        sys.stdout.buffer.flush()


def _verify(password_hash: bytes, password: bytes) -> bytes:
    try:
        HASHER.verify(password_hash, password)
    except (VerificationError, ValueError):
        return WRONG
    return RIGHT


if __name__ == "__main__":
    main()
