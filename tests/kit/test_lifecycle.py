"""Lifecycle hooks: the one list in `app` is complete, and a process without it changes nothing."""

import asyncio
import pkgutil
import subprocess
import sys
from importlib import import_module

import httpx
import pytest

import sitewright
from sitewright.accounts.clocks.due_work import due_work
from sitewright.accounts.users import service as users
from sitewright.accounts.users.hooks import access_revoked
from sitewright.features import LIFECYCLE
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.db import Transaction
from sitewright.kit.lifecycle import Hook, Lifecycle, LifecycleNotInstalled
from sitewright.kit.resources import Resources
from tests.accounts.users.shapes import get_user, ref_of_new_user
from tests.support.cast import OWN_BRAND
from tests.support.hooks import also_observed_by

SHELL = Caller(role=Role.SYSTEM_OWNER, name="shell:test")


async def suspend(resources: Resources, user_ref: int) -> None:
    async with resources.database.transaction(OWN_BRAND) as tx:
        user = await users.find_user(tx, SHELL, user_ref, lock=True)
        await users.suspend_user(tx, SHELL, user, None)


def test_the_list_names_every_hook_once() -> None:
    modules = [each.name for each in pkgutil.walk_packages(sitewright.__path__, "sitewright.")]
    declared = {
        hook
        for module in modules
        if module.endswith(".hooks")
        for hook in vars(import_module(module)).values()
        if isinstance(hook, Hook)
    }
    assert len(declared) >= 8, "hooks are no longer found"
    names = [due_work.name, *(hook.name for hook in declared)]
    assert sorted(wiring.hook.name for wiring in LIFECYCLE.wirings) == sorted(names)
    assert all(wiring.observers for wiring in LIFECYCLE.wirings)


def test_importing_everything_adds_no_observer() -> None:
    script = (
        "import sitewright.processes, sitewright.cli.commands\n"
        "from sitewright.features import LIFECYCLE\n"
        "print([wiring.hook.name for wiring in LIFECYCLE.wirings if wiring.hook.observers is not None])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_process_without_the_list_changes_nothing(
    owner: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = await ref_of_new_user(owner)
    monkeypatch.setattr(access_revoked, "observers", None)
    with pytest.raises(LifecycleNotInstalled, match=r"access_revoked.*lifecycle=features\.LIFECYCLE"):
        await suspend(resources, ref)
    assert (await get_user(owner, ref))["suspended"] == 0


async def test_a_change_fails_with_its_observer(owner: httpx.AsyncClient, resources: Resources) -> None:
    async def fail(_tx: Transaction, _user_ref: int) -> None:
        raise RuntimeError("observer failed")

    ref = await ref_of_new_user(owner)
    with also_observed_by(access_revoked, fail), pytest.raises(RuntimeError, match="observer failed"):
        await suspend(resources, ref)
    assert (await get_user(owner, ref))["suspended"] == 0


async def test_observers_are_called_in_the_order_of_the_list(resources: Resources) -> None:
    hook: Hook[str] = Hook("probe")
    calls: list[str] = []

    async def first(_tx: Transaction, what: str) -> None:
        await asyncio.sleep(0)
        calls.append(f"first {what}")

    async def second(_tx: Transaction, what: str) -> None:
        calls.append(f"second {what}")

    Lifecycle(hook.observed_by(first, second)).install()
    async with resources.database.transaction(1) as tx:
        await hook.notify(tx, "change")
    assert calls == ["first change", "second change"]
