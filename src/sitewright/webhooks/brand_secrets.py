"""The secret that signs a brand's deliveries: created on first use, sealed in the database, rotated by operators."""

from collections.abc import Sequence
from datetime import timedelta
from functools import lru_cache

from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import MasterKeyError, Sealer
from sitewright.webhooks import store
from sitewright.webhooks.signing import new_secret

ROTATION_OVERLAP = timedelta(hours=24)


async def ensure_secret(tx: Transaction, sealer: Sealer, brand_ref: int) -> str:
    """The secret of the transaction's brand."""
    sealed = await store.current_secret(tx)
    if sealed is None:
        await store.lock_secrets(tx)
        sealed = await store.current_secret(tx)
    if sealed is not None:
        return sealer.unseal(sealed, context_of(brand_ref)).decode()
    return await _add(tx, sealer, brand_ref)


async def rotate_secret(tx: Transaction, sealer: Sealer, actor: Caller, brand_ref: int) -> str:
    """Creates a new secret; for a day the former one signs in addition, so that receivers can switch.

    One whose master key is lost cannot sign, and would make every delivery fail: it ends at once.
    """
    await store.lock_secrets(tx)
    can_sign = _can_unseal(sealer, brand_ref, await store.current_secret(tx))
    await store.expire_secret(tx, clock.now() + (ROTATION_OVERLAP if can_sign else timedelta()))
    secret = await _add(tx, sealer, brand_ref)
    await audit.record_by(tx, actor, "rotate secret", "webhooks", brand_ref)
    return secret


def _can_unseal(sealer: Sealer, brand_ref: int, sealed: bytes | None) -> bool:
    try:
        return sealed is not None and bool(sealer.unseal(sealed, context_of(brand_ref)))
    except MasterKeyError:
        return False


async def _add(tx: Transaction, sealer: Sealer, brand_ref: int) -> str:
    secret = new_secret()
    await store.insert_secret(tx, sealer.seal(secret.encode(), context_of(brand_ref)), clock.now())
    return secret


def context_of(brand_ref: int) -> str:
    return f"webhook/{brand_ref}"


class SecretCache:
    """Caches unsealed secrets, because the same few sign thousands of deliveries."""

    def __init__(self, sealer: Sealer) -> None:
        self._sealer = sealer
        self._unseal_cached = lru_cache(maxsize=1000)(self._unseal)

    def unseal(self, brand_ref: int, sealed: Sequence[bytes]) -> list[str]:
        """Raises `MasterKeyError`."""
        return [self._unseal_cached(brand_ref, each) for each in sealed]

    def _unseal(self, brand_ref: int, sealed: bytes) -> str:
        return self._sealer.unseal(sealed, context_of(brand_ref)).decode()
