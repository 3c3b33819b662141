"""A compact summary of a user's packages in the database, for comparisons."""

from datetime import datetime
from typing import Any

import msgspec

from sitewright.kit import mail
from sitewright.kit.resources import Resources
from tests.support.sequencing import sequence_events
from tests.support.users import OwnerConnection


class Ledger(msgspec.Struct):
    owner: OwnerConnection
    resources: Resources

    async def events(self, user_ref: int) -> list[str]:
        rows = await self.owner.fetch(
            "select kind, reason, from_package_ref, package_ref from lifecycle_events where user_ref = $1 order by ref",
            user_ref,
        )
        return [_event(*row) for row in rows]

    async def event_times(self, user_ref: int) -> list[datetime]:
        rows = await self.owner.fetch("select at from lifecycle_events where user_ref = $1 order by ref", user_ref)
        return [row["at"] for row in rows]

    async def charges(self, user_ref: int) -> list[str]:
        rows = await self.owner.fetch(
            "select c.amount, x.alpha_code, c.billing_period_months from charges c"
            " join currencies x on x.ref = c.currency_ref where user_ref = $1 order by c.ref",
            user_ref,
        )
        return [f"{amount} {currency} for {months}" for amount, currency, months in rows]

    async def mails(self, user_ref: int) -> list[str]:
        rows = await self.owner.fetch("select kind from mails where user_ref = $1 order by ref", user_ref)
        return [row["kind"] for row in rows]

    async def domain_mails(self, user_ref: int) -> list[str]:
        """The kind of each mail, and the domain that it names."""
        rows = await self.owner.fetch(
            "select brand_ref, kind, facts from mails where user_ref = $1 order by ref", user_ref
        )
        opened = [(kind, mail.open_facts(self.resources.sealer, brand, facts)) for brand, kind, facts in rows]
        return [f"{kind} {facts.get('domain')}" for kind, facts in opened]

    async def facts_of_last_mail(self, user_ref: int) -> dict[str, Any]:
        row = await self.owner.fetchrow(
            "select brand_ref, facts from mails where user_ref = $1 order by ref desc limit 1", user_ref
        )
        assert row is not None
        return mail.open_facts(self.resources.sealer, row["brand_ref"], row["facts"])

    async def publications(self, user_ref: int) -> list[tuple[int, int]]:
        """The site and the version of each `site.publish` event of the user's sites."""
        await sequence_events(self.owner)
        rows = await self.owner.fetch(
            "select (body #>> '{site,ref}')::bigint, (body ->> 'versionRef')::bigint from events"
            " where kind = 'site.publish' and (body #>> '{accountHolder,ref}')::bigint = $1 order by sequence",
            user_ref,
        )
        return [(site_ref, version_ref) for site_ref, version_ref in rows]

    async def current(self, user_ref: int) -> int | None:
        """The user's current subscription package; a unique index allows at most one."""
        package_ref: int | None = await self.owner.fetchval(
            "select package_ref from account_packages where user_ref = $1 and is_subscription and ended_at is null",
            user_ref,
        )
        return package_ref

    async def rows(self) -> tuple[int, ...]:
        """The number of rows in every table that a package call may write."""
        row = await self.owner.fetchrow(
            "select (select count(*) from account_packages), (select count(*) from lifecycle_events),"
            " (select count(*) from charges), (select count(*) from mails), (select count(*) from audit_entries)"
        )
        assert row is not None
        return tuple(row)


def _event(kind: str, reason: str | None, was: int | None, then: int | None) -> str:
    return f"{kind}{f' ({reason})' if reason else ''} {was or '-'}>{then or '-'}"
