"""`--demo`: two ready-to-use brands, a test brand, one with history, and `demo.json` with all that a client needs.

Every name and secret is derived from the master key, so ensuring the demo is idempotent.
"""

from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import asyncpg
import msgspec

from sitewright.catalogue.file import service as catalogue
from sitewright.catalogue.file.service import Planned
from sitewright.demo.data import BRANDS, TEST_BRAND, TEST_BRAND_NAME, DemoBrand
from sitewright.demo.history import service as history
from sitewright.demo.users import ensure_user
from sitewright.kit import clock
from sitewright.kit.advisory_locks import Lock, wait_for_lock
from sitewright.kit.atomic_files import replacing
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.primary import connect
from sitewright.kit.resources import Resources
from sitewright.settings import Settings
from sitewright.tenants.credentials import service as credentials
from sitewright.tenants.credentials.service import OAuthCredentials
from sitewright.webhooks import service as webhooks

ACTOR = Caller(role=Role.SYSTEM_OWNER, name="demo")


THUMBNAILS = files("sitewright.demo") / "thumbnails"


async def ensure_demo(resources: Resources, owner_url: str) -> None:
    """Create whatever part of the demo is missing; an advisory lock serializes concurrent starts."""
    owner = await connect(owner_url)
    try:
        await wait_for_lock(owner, Lock.DEMO)
        planned = await apply_demo_catalogue(owner, resources.mail.kinds)
        operator = await _ensure_operator(resources, None, "owner")
        staff = await _ensure_staff(resources, BRANDS[0].brand_ref)
        brands = [await _ensure_accounts(resources, brand, planned) | _describe(brand, planned) for brand in BRANDS]
        test_brand = await _ensure_test_brand(resources, owner)
        with_history = await _ensure_history_brand(resources, owner) if resources.settings.demo_history else None
    finally:
        await owner.close()
    accounts = {"systemOwner": operator, "brands": brands, "staff": staff}
    _write(resources.settings, accounts | {"testBrand": test_brand, "historyBrand": with_history})


async def apply_demo_catalogue(
    owner: "asyncpg.Connection[asyncpg.Record]", mail_kinds: Mapping[str, MailKind]
) -> Planned:
    """Add what is missing of the demo catalogue; the result has the refs of everything in it."""
    async with owner.transaction():
        return await catalogue.add_missing(owner, _catalogue(), ACTOR, mail_kinds)


def _catalogue() -> str:
    return (files("sitewright.demo") / "catalogue.yaml").read_text(encoding="utf-8")


async def generate_history(resources: Resources, owner_url: str, at: datetime | None = None) -> None:
    """Generate the history of its brand, which `ensure_demo` has created, unless it is there. It takes some seconds.

    `at`: when the history ends; None: now.
    """
    owner = await connect(owner_url)
    try:
        await wait_for_lock(owner, Lock.DEMO)
        await history.ensure_history(owner, resources, ACTOR, at or clock.now())
    finally:
        await owner.close()


async def _ensure_test_brand(
    resources: Resources, owner: "asyncpg.Connection[asyncpg.Record]"
) -> dict[str, Any] | None:
    """A brand whose clock can be moved; None where an operator has given its ref to another brand."""
    if not await history.is_available(owner, TEST_BRAND.brand_ref, TEST_BRAND_NAME):
        return None
    text = history.catalogue_of(_catalogue(), files("sitewright.demo") / "test_brand.yaml")
    async with owner.transaction():
        planned = await catalogue.add_missing(owner, text, ACTOR, resources.mail.kinds)
    accounts = await _ensure_accounts(resources, TEST_BRAND, planned)
    return accounts | _describe(TEST_BRAND, planned) | {"testMode": True}


async def _ensure_history_brand(
    resources: Resources, owner: "asyncpg.Connection[asyncpg.Record]"
) -> dict[str, Any] | None:
    """The brand with its operators, without customers; None where an operator has given its ref to another brand."""
    if not await history.is_available(owner):
        return None
    async with owner.transaction():
        planned = await catalogue.add_missing(owner, history.catalogue_of(_catalogue()), ACTOR, resources.mail.kinds)
    [brand] = planned.wanted.brands
    people = {
        role: await _ensure_operator(resources, history.BRAND_REF, username, role=role, name=name)
        for role, (username, name) in history.OPERATORS.items()
    }
    return {
        "brandRef": history.BRAND_REF,
        "model": "freemium",
        "name": brand.name,
        "domain": brand.domain,
        "languages": brand.languages,
        "console": people[Role.BRAND_ADMIN],
        "staff": {role: people[role] for role in (Role.SUPPORT, Role.VIEWER)},
        "oauth": msgspec.to_builtins(await _ensure_credential(resources, history.BRAND_REF)),
    }


def _describe(demo: DemoBrand, planned: Planned) -> dict[str, Any]:
    [brand] = [brand for brand in planned.wanted.brands if brand.ref == demo.brand_ref]
    keys = {"default": brand.default_package, "trial": demo.trial_package}
    return {
        "model": demo.model,
        "domain": brand.domain,
        "languages": brand.languages,
        "packages": {
            name: planned.refs.get(("package", demo.brand_ref, keys.get(name, name)))
            for name in ("default", "trial", "starter", "pro", "domain")
        },
        "templates": {
            "tag": demo.tag,
            "tagRef": planned.refs.get(("tag", demo.tag)),
            "categoryKey": demo.category,
            "templateGroupRef": planned.refs.get(("template group", demo.group)),
        },
    }


async def _ensure_accounts(resources: Resources, brand: DemoBrand, planned: Planned) -> dict[str, Any]:
    domain_package_ref = planned.refs.get(("package", brand.brand_ref, "domain"))
    return {
        "brandRef": brand.brand_ref,
        "basic": await _ensure_operator(resources, brand.brand_ref, f"brand{brand.brand_ref}"),
        "oauth": msgspec.to_builtins(await _ensure_credential(resources, brand.brand_ref)),
        "demoUser": await ensure_user(resources, ACTOR, brand.brand_ref, domain_package_ref),
        "webhookSecret": await _ensure_webhook_secret(resources, brand.brand_ref),
    }


async def _ensure_staff(resources: Resources, brand_ref: int) -> dict[str, dict[str, str]]:
    """An operator of the brand with each of the roles that change little."""
    return {
        role: await _ensure_operator(resources, brand_ref, role, role=role, name=f"Demo {role}")
        for role in (Role.SUPPORT, Role.VIEWER)
    }


async def _ensure_operator(
    resources: Resources,
    brand_ref: int | None,
    username: str,
    *,
    role: Role = Role.BRAND_ADMIN,
    name: str | None = None,
) -> dict[str, str]:
    password = resources.sealer.derive(f"demo/operator/{username}")
    async with resources.database.transaction(brand_ref) as tx:
        found = await credentials.find_operator(tx, username)
    if found is None or not await resources.passwords.verify(password, found.password_hash):
        password_hash = await resources.passwords.hash(password, brand_ref)
        async with resources.database.transaction(brand_ref) as tx:
            if found is None:
                await credentials.create_operator(
                    tx,
                    ACTOR,
                    brand_ref=brand_ref,
                    username=username,
                    password_hash=password_hash,
                    role=role,
                    name=name,
                )
            else:
                await credentials.change_operator_password(
                    tx, ACTOR, brand_ref=brand_ref, ref=found.ref, password_hash=password_hash
                )
    return {"username": username, "password": password}


async def _ensure_credential(resources: Resources, brand_ref: int) -> OAuthCredentials:
    derive = resources.sealer.derive
    names = ("consumerKey", "consumerSecret", "accessToken", "accessSecret")
    oauth = OAuthCredentials(*(derive(f"demo/brand/{brand_ref}/{name}") for name in names))
    async with resources.database.transaction(brand_ref) as tx:
        await credentials.ensure_api_credential(
            tx, resources.sealer, ACTOR, brand_ref=brand_ref, label="demo", credentials=oauth
        )
    return oauth


async def _ensure_webhook_secret(resources: Resources, brand_ref: int) -> str:
    async with resources.database.transaction(brand_ref) as tx:
        return await webhooks.ensure_secret(tx, resources.sealer, brand_ref)


def _write(settings: Settings, accounts: dict[str, Any]) -> None:
    document = {
        "apiUrl": settings.api_url,
        "siteUrl": settings.site_url,
        "siteTlsUrl": settings.site_tls_url,
        "mailDir": None if settings.smtp_host else str(settings.mail_path),
        **accounts,
        "nameServer": settings.dns_resolvers[0] if settings.dns_resolvers else None,
        "acmeDirectory": settings.acme_directory or None,
        "acmeCaFile": settings.acme_ca_file or None,
    }
    with replacing(demo_file(settings)) as file:
        file.write(msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")


def demo_file(settings: Settings) -> Path:
    return settings.data_path / "demo.json"


def read_demo(settings: Settings) -> dict[str, Any] | None:
    """The content of `demo.json`; None unless this service was started with `--demo`."""
    if not settings.is_demo:
        return None
    document: dict[str, Any] = msgspec.json.decode(demo_file(settings).read_bytes())
    return document
