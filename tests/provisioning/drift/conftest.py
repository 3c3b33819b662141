"""One account for each kind of drift, and one that is as it should be."""

from datetime import timedelta
from typing import Any

import pytest

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.account_domains import make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.packages import FREE, PRO, USD
from tests.support.sites import make_domain, make_site
from tests.support.users import OwnerConnection, assign_package, insert, make_user

LIVE = {"live": True, "version_ref": 1, "last_version_ref": 1}


class Drifting:
    """Builds accounts by SQL, and knows their refs by name."""

    def __init__(self, owner: OwnerConnection, resources: Resources) -> None:
        self.owner = owner
        self.resources = resources
        self.refs: dict[str, int] = {}

    async def user(self, name: str, *, pays: bool = False, package_ref: int = FREE, **columns: Any) -> int:
        ref = await make_user(
            self.owner, self.resources, username=name, first_name=name.title(), package_ref=package_ref, **columns
        )
        if pays:
            await assign_package(self.owner, OWN_BRAND, ref, PRO, price=10, currency_ref=USD)
        self.refs[name] = ref
        if name != "unclaimed":
            await self.owner.execute(
                "insert into provisioned_accounts (brand_ref, external_id, user_ref, created_at)"
                " values ($1, $2, $3, $4)",
                OWN_BRAND, name, ref, clock.now(),
            )  # fmt: skip
        return ref

    async def site(self, name: str, user_ref: int, **columns: Any) -> int:
        """With the host name `<name>.example`."""
        site_ref = await make_site(self.owner, self.resources, user_ref=user_ref, **columns)
        self.refs[f"{name} site"] = site_ref
        self.refs[f"{name} domain"] = await make_domain(self.owner, OWN_BRAND, site_ref, f"{name}.example")
        return site_ref

    async def mailboxes(self, name: str, user_ref: int, number: int, **columns: Any) -> None:
        ref = await make_account_domain(self.owner, OWN_BRAND, user_ref, f"{name}.com", **columns)
        self.refs[f"{name} account domain"] = ref
        row = {"brand_ref": OWN_BRAND, "account_domain_ref": ref, "password_hash": "none", "status": "active"}
        times = dict.fromkeys(("created_at", "updated_at"), clock.now())
        for each in range(number):
            await insert(self.owner, "mailboxes", row | times | {"name": f"box{each}"})

    async def check(self, name: str, findings: str, state: str = "failing") -> None:
        row = {"brand_ref": OWN_BRAND, "domain_ref": self.refs[f"{name} domain"], "since": clock.now()}
        result = {"state": state, "status": "failing", "findings": findings}
        failing_check = "leadsHereIpv4" if state == "failing" else None
        await insert(self.owner, "domain_checks", row | result | {"failing_check": failing_check})

    async def certificate(self, host: str, days: int, *, source: str = "uploaded") -> int:
        now = clock.real_now()
        row = {
            "brand_ref": OWN_BRAND,
            "domain": host,
            "chain": "",
            "sealed_key": b"",
            "key_type": "EC",
            "names": [host],
        }
        times = {"not_before": now - timedelta(days=90), "not_after": now + timedelta(days=days), "created_at": now}
        ref = await insert(self.owner, "certificates", row | times | {"fingerprint": host, "source": source})
        await self.owner.execute("insert into certificate_bindings values ($1, $2, $3)", OWN_BRAND, host, ref)
        return ref


ELSEWHERE = (
    '[{"code":"nameExists","status":"ok","reason":"a"},{"code":"leadsHereIpv6","status":"failing","reason":"b"}]'
)
OTHER = '[{"code":"caa","status":"failing","reason":"a"},{"code":"leadsHereIpv4","status":"ok","reason":"b"}]'


@pytest.fixture
async def drifting(clean: None, owner_connection: OwnerConnection, resources: Resources) -> Drifting:
    made = Drifting(owner_connection, resources)
    await made.site("fine", await made.user("fine", pays=True), **LIVE)
    await made.user("siteless", pays=True)
    await made.site("unpublished", await made.user("unpublished", pays=True))
    await made.site("offline", await made.user("offline", pays=True), version_ref=1)
    await made.user("free")
    await made.user("unclaimed")
    await made.user("gone", pays=True, deleted_at=clock.now())
    many = await made.user("many")
    for number in (1, 2):
        await made.site(f"many{number}", many, **LIVE)
    await made.site("trial", await made.user("covered"), **LIVE)
    await made.mailboxes("mailing", await made.user("mailing", suspended_at=clock.now()), 2)
    await made.mailboxes("lost", await made.user("lost"), 1, status="failed")
    await made.mailboxes("working", made.refs["free"], 1)
    await made.check("fine", ELSEWHERE)
    await made.check("offline", OTHER)
    await made.check("trial", ELSEWHERE, "healthy")
    made.refs["ending"] = await made.certificate("fine.example", 5)
    made.refs["expired"] = await made.certificate("many1.example", -1, source="automatic")
    await made.certificate("many2.example", 5)
    await made.certificate("many2.example", 80)
    await made.certificate("offline.example", 20, source="automatic")
    return made
