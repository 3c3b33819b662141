"""What giving a package has in common, whether it is the subscription or stands beside it."""

from sitewright.accounts.account_packages import store
from sitewright.accounts.account_packages.effects import apply_effects, effects_of
from sitewright.accounts.account_packages.lifecycle import Change
from sitewright.accounts.account_packages.store import Situation
from sitewright.accounts.account_packages.sweep.deciding import settle
from sitewright.kit import audit, clock
from sitewright.kit.auth.caller import Caller
from sitewright.kit.db import Transaction
from sitewright.kit.sealing import Sealer


async def settled_situation(tx: Transaction, sealer: Sealer, user_ref: int, package_ref: int | None) -> Situation:
    """The user's row is locked, and what is due of the user's packages is done first."""
    situation = await store.read_situation(tx, user_ref, package_ref)
    if any(held.due_at is not None and held.due_at <= clock.now() for held in situation.held):
        await settle(tx, sealer, situation.brand_ref, user_ref)
        situation = await store.read_situation(tx, user_ref, package_ref)
    return situation


async def make_change(tx: Transaction, sealer: Sealer, situation: Situation, change: Change) -> None:
    """With its effects: mails, and what observers of packages do."""
    await store.write_changes(tx, situation.brand_ref, [change], change.at)
    await apply_effects(tx, effects_of(sealer, situation.brand_ref, [change], situation.currency_codes))


async def record_given(tx: Transaction, caller: Caller, change: Change, package_ref: int) -> None:
    await audit.record_by(
        tx,
        caller,
        "give package",
        "user",
        change.user_ref,
        kind=change.kind.value,
        packageRef=package_ref,
        months=change.months,
    )
