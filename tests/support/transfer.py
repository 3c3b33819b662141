"""A brand with rows in almost every table, exported to an archive, and empty installations to import it into."""

import base64
import json
import zipfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import msgspec

from sitewright.features import LIFECYCLE, MAIL, SEALED_COLUMNS
from sitewright.kit.key_file import new_key
from sitewright.kit.resources import Resources, open_resources
from sitewright.settings import Settings
from sitewright.sites.media.pictures.service import Format
from sitewright.sites.media.storage import service as media_storage
from sitewright.transfer import recipients
from sitewright.transfer.archive import Manifest, open_archive
from sitewright.transfer.exports.service import export_brand
from sitewright.transfer.imports import service as imports
from sitewright.transfer.store import connect
from tests.isolation.estates import Builder, Plan
from tests.support.cast import OWN_BRAND, TESTER
from tests.support.customers import Customer, done, make_customer
from tests.support.hashing import CHEAP
from tests.support.pictures import picture
from tests.support.users import OwnerConnection

HOST = "moving.example"
PLANS = (Plan(mark="movingqq", number=0), Plan(mark="leavingqq", number=1, things_deleted=True))


async def make_brand(owner: httpx.AsyncClient, connection: OwnerConnection, resources: Resources) -> Customer:
    """Fill the tables of the first brand; the customer's site is published and shows a picture."""
    for plan in PLANS:
        await Builder(connection, resources, plan).build()
    await connection.execute("delete from api_credentials where consumer_secret = 'x'")
    for ref, site_ref in await connection.fetch("select ref, site_ref from media"):
        stored = await media_storage.put(resources, OWN_BRAND, site_ref, chunks_of(b"picture" * 100_000))
        async with resources.database.transaction(OWN_BRAND) as tx:
            await media_storage.keep(tx, [stored.key])
        await connection.execute("update media set object_key = $2 where ref = $1", ref, stored.key)
    customer = await make_customer(owner, OWN_BRAND, HOST)
    content = {"file": ("bar.jpg", picture(Format.JPEG))}
    media = (await done(owner.post(f"{customer.path}/media", files=content)))["media"]
    page_ref = await customer.add_page("home", "Home")
    await customer.add_widget(page_ref, "content", "text", content="<p>We are moving.</p>")
    await customer.add_widget(page_ref, "image", "picture", image=f"media:{media['ref']}")
    await customer.publish()
    body = {"event": "site.publish", "url": "https://hooks.example/", "active": True}
    await done(owner.post("/webhooks/subscription", json=body))
    return customer


async def chunks_of(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def export(
    resources: Resources, url: str, file: Path, recipient: str | None, brand_ref: int = OWN_BRAND
) -> Manifest:
    with file.open("wb") as opened:
        return await export_brand(resources, url, SEALED_COLUMNS, brand_ref, opened, recipient)


class Installation(msgspec.Struct, frozen=True):
    """An installation that a brand is imported into."""

    url: str
    resources: Resources
    owner: OwnerConnection

    async def load(self, file: Path, key: Path | None = None, **options: Any) -> int:
        """Import a brand, and return its ref."""
        ref: int = await self._with_import(
            file, key, options, lambda opened: imports.import_brand(opened, SEALED_COLUMNS, TESTER, refs_of(file))
        )
        return ref

    async def check(self, file: Path, key: Path | None = None, **options: Any) -> list[str]:
        """The collisions that a dry run finds."""
        found: list[str] = []
        options |= {"is_dry_run": True, "on_collision": found.append}
        refs = await self._with_import(file, key, options, lambda opened: imports.check_import(opened, SEALED_COLUMNS))
        assert refs.collisions == len(found)
        return found

    async def _with_import(
        self, file: Path, key: Path | None, options: dict[str, Any], work: Callable[..., Any]
    ) -> Any:
        connection = await connect(self.url, "tests")
        try:
            with open_archive(file) as archive:
                box = None
                if key is not None:
                    assert archive.manifest.secrets is not None
                    box = recipients.open_box(archive.manifest.secrets, recipients.read_private_key(key))
                chosen = imports.Options(box=box, **options)
                return await work(await imports.open_import(self.resources, connection, archive, chosen))
        finally:
            await connection.close()

    async def is_empty(self) -> bool:
        """Nothing is there except for pending media."""
        tables = await self.owner.fetch(
            "select relname from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r'"
            " and relname not in ('schema_files', 'schema_migrations', 'media_objects', 'media_chunks')"
        )
        await self.owner.execute("select set_config('sitewright.brand_ref', '1', false)")
        return not [row[0] for row in tables if await self.owner.fetchval(f"select exists (select from {row[0]})")]

    async def staged(self) -> list[str]:
        rows = await self.owner.fetch("select nspname from pg_namespace where nspname ~ '^brand_(import|check)_'")
        return [row[0] for row in rows]


@asynccontextmanager
async def opened_installation(url: str, settings: Settings, **chosen: Any) -> AsyncIterator[Installation]:
    """With a master key of its own, and the data folder of all tests: a process writes its metrics to one folder."""
    key = base64.b64encode(new_key()).decode()
    settings = msgspec.structs.replace(settings, master_key=key, **chosen)
    owner = await asyncpg.connect(url)
    try:
        async with open_resources(
            settings, url, name="tests", lifecycle=LIFECYCLE, mail=MAIL, hasher=CHEAP
        ) as resources:
            yield Installation(url, resources, owner)
    finally:
        await owner.close()


def refs_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.refs.csv")


def tables_of(file: Path) -> dict[str, list[Any]]:
    """The content of an archive: the rows of each table that has some."""
    with zipfile.ZipFile(file) as archive:
        return {
            name: rows
            for name in archive.namelist()
            if name != "manifest.json" and (rows := [json.loads(line) for line in archive.read(name).splitlines()])
        }
