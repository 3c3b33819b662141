"""A brand with two years of history, so that every list and chart of the console shows something at first use.

The rows are inserted once, in one transaction, directly into the tables of all features: calling the services 100,000
times would take minutes. Nothing in them is due, so no mail and no webhook is sent.
"""

import gzip
import hashlib
from collections.abc import Mapping
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from sitewright.accounts.reports import service as reports
from sitewright.accounts.reports.schemas import NewUserReport
from sitewright.accounts.search import service as search
from sitewright.demo.history import store
from sitewright.demo.history.certificates import DAYS_LEFT, put_certificates
from sitewright.demo.history.store import Page
from sitewright.kit import mail
from sitewright.kit.auth.caller import Caller, Role
from sitewright.kit.mail_kinds import MailKind
from sitewright.kit.resources import Resources
from sitewright.tenants.brands import service as brands

BRAND_REF = 100
"""Far from the refs that an operator would choose for a third brand."""
BRAND = "Harbour Hosting"
CATALOGUE = files("sitewright.demo.history") / "brand.yaml"
OPERATORS = {
    Role.BRAND_ADMIN: ("harbour", "Clara Lindqvist"),
    Role.SUPPORT: ("harbour-support", "Marek Novák"),
    Role.VIEWER: ("harbour-viewer", "Teresa Duarte"),
}
"""User name and name, by role."""
KINDS = (
    "welcome", "subscribed", "renewed", "upgraded", "downgraded", "cancelled", "trialEnded",
    "domainOrdered", "domainRenewed", "domainEnded",
)  # fmt: skip
_HTML = b"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A site of the demo's history</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>A site of the demo's history</h1>
<p>This site belongs to an invented customer. Only its figures exist, not its pages.</p></main></body></html>
"""


def catalogue_of(shared: str, own: Traversable = CATALOGUE) -> str:
    """The brand's catalogue: with the sections of `shared`, a catalogue file that ends with its brands."""
    sections, _, _ = shared.partition("\nbrands:\n")
    return f"{sections}\n{own.read_text(encoding='utf-8')}"


async def is_available(
    owner: "asyncpg.Connection[asyncpg.Record]", brand_ref: int = BRAND_REF, name: str = BRAND
) -> bool:
    """Whether no other brand has the ref."""
    async with owner.transaction():
        await store.select_brand(owner, brand_ref)
        return await store.read_name(owner) in (None, name)


async def ensure_history(
    owner: "asyncpg.Connection[asyncpg.Record]", resources: Resources, actor: Caller, at: datetime
) -> None:
    """Generate the history as it would be at `at`, unless the brand has customers. Its operators exist already."""
    async with owner.transaction():
        await store.select_brand(owner, BRAND_REF)
        if await store.read_name(owner) != BRAND or await store.has_history(owner):
            return
        brand = await brands.settings_of_brand(owner)
        await store.generate(owner, at, brand.time_zone, _page(), _mail_facts(resources))
        await put_certificates(owner, resources, actor, BRAND_REF, await store.list_own_hosts(owner, len(DAYS_LEFT)))
        await reports.request_report(owner, actor, brand, NewUserReport())
        await store.follow_up(owner)
    await search.continue_rebuilds(resources)


def _page() -> Page:
    return Page(f'"{hashlib.blake2b(_HTML, digest_size=16).hexdigest()}"', gzip.compress(_HTML, 6, mtime=0))


def _mail_facts(resources: Resources) -> Mapping[str, bytes]:
    """The sealed facts of a mail of each kind."""
    kinds: list[MailKind] = [resources.mail.kinds[name] for name in KINDS]
    mails = [mail.Mail(kind=kind, user_ref=None, facts=kind.sample_facts) for kind in kinds]
    return dict(zip(KINDS, mail.seal(resources.sealer, BRAND_REF, mails).facts, strict=True))
