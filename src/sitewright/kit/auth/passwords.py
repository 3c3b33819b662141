"""Passwords: argon2id, off the event loop, and never more at once than there are cores for it."""

from sitewright.kit.auth.argon2_process import HASHER, RIGHT
from sitewright.kit.auth.hashing import HashingProcesses


class Passwords:
    def __init__(self, *, at_once: int) -> None:
        self._processes = HashingProcesses(at_once)
        self._hash_of_nothing: str | None = None

    async def hash(self, password: str) -> str:
        return (await self._processes.ask(is_to_verify=False, password_hash="", password=password)).decode()

    async def verify(self, password: str, password_hash: str | None) -> bool:
        """Without a hash (nobody has that name) it takes as long as with one, and is wrong."""
        if password_hash is None:
            self._hash_of_nothing = self._hash_of_nothing or await self.hash("")
            await self._matches(self._hash_of_nothing, password)
            return False
        return await self._matches(password_hash, password)

    def needs_rehash(self, password_hash: str) -> bool:
        """Whether it was made with other parameters than those in force."""
        return HASHER.check_needs_rehash(password_hash)

    async def close(self) -> None:
        await self._processes.close()

    async def _matches(self, password_hash: str, password: str) -> bool:
        answer = await self._processes.ask(is_to_verify=True, password_hash=password_hash, password=password)
        return answer == RIGHT
