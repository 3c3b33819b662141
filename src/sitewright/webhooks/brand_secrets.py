"""The secret that signs a brand's deliveries: made when first needed, sealed in the database, rotated by operators."""

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer
from sitewright.webhooks import store
from sitewright.webhooks.signing import new_secret

FORMER_SIGNS_FOR = timedelta(hours=24)


async def ensure_secret(tx: Transaction, sealer: Sealer, brand_ref: int) -> str:
    """The secret of the transaction's brand."""
    sealed = await store.current_secret(tx)
    if sealed is None:
        await store.take_turn_with_secrets(tx)
        sealed = await store.current_secret(tx)
    if sealed is not None:
        return sealer.unseal(sealed, context_of(brand_ref)).decode()
    return await _add(tx, sealer, brand_ref)


async def rotate_secret(tx: Transaction, sealer: Sealer, actor: Caller, brand_ref: int) -> str:
    """A new secret; the former one signs beside it for a day, so that receivers can change over meanwhile."""
    await store.take_turn_with_secrets(tx)
    await store.expire_secret(tx, clock.now() + FORMER_SIGNS_FOR)
    secret = await _add(tx, sealer, brand_ref)
    await audit.record_by(tx, actor, "rotate secret", "webhooks", brand_ref)
    return secret


async def _add(tx: Transaction, sealer: Sealer, brand_ref: int) -> str:
    secret = new_secret()
    await store.insert_secret(tx, sealer.seal(secret.encode(), context_of(brand_ref)), clock.now())
    return secret


def context_of(brand_ref: int) -> str:
    return f"webhook/{brand_ref}"


class Opener:
    """Remembers what it has opened: the same few secrets sign thousands of deliveries."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._opened = lru_cache(maxsize=1000)(self._unseal)

    def open(self, brand_ref: int, sealed: Sequence[bytes]) -> list[str]:
        """Raises `MasterKeyError`."""
        return [self._opened(brand_ref, each) for each in sealed]

    def _unseal(self, brand_ref: int, sealed: bytes) -> str:
        return self._sealer.unseal(sealed, context_of(brand_ref)).decode()
