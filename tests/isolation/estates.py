"""One object of every kind that a ref can refer to, for one account holder: an estate, with a word that marks it
all."""

import hashlib
import json
from datetime import timedelta
from typing import Any

import msgspec

from sitewright.kit import clock, tokens
from sitewright.kit.resources import Resources
from sitewright.sites.content.service import StoredContent
from sitewright.sites.publishing.render_input import DesignChoice, RenderSource
from sitewright.sites.publishing.versions.stored_input import encode_input
from tests.support.account_domains import DOMAIN_PACKAGES, make_account_domain
from tests.support.cast import OWN_BRAND
from tests.support.certificates import certificate_for, make_certificate
from tests.support.sites import make_domain, make_page, make_site, make_widget
from tests.support.users import OwnerConnection, assign_package, insert, make_reseller, make_user
from tests.web.account.factories import make_template

PRO = {1: 3, 2: 9}
STARTER = {1: 2, 2: 8}
LANGUAGES = {1: "es", 2: "fr"}
"""By brand: a language that the other does not have."""
DAY = timedelta(days=1)
"""Longer than the tests take."""
FIRST = 400_000_000
ROOM = 1_000
STEP = 20
"""Objects that the tests create get numbers in between."""
NUMBERED = (
    "user", "accountPackage", "profile", "reseller", "price", "site", "domain", "page", "parentPage", "widget",
    "accountDomain", "template", "subscription", "attempt", "certificate", "media", "message",
    "redirect", "version", "previewLink", "dnsRecord", "operator", "invitation", "consoleSession", "credential",
    "mail", "auditEntry",
)  # fmt: skip
"""Kinds whose refs are consecutive, from the estate's first number on."""
CHANGE_ID = "0b6c4c1e-6a0f-4f0e-9d57-1f8f6f0c2a11"
"""The example of requests: each site has a change with this id, so that a repeated one succeeds."""
NOTHING: dict[str, Any] = {"language": "en", "address": "", "profile": {}, "design": DesignChoice()}
Refs = dict[str, Any]


class Estate(msgspec.Struct, frozen=True):
    mark: str
    """A word that is part of every name and text of it, and of nothing else."""
    refs: Refs
    """Refs by kind."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Which estate is to be created, and what of it is soft-deleted."""

    mark: str
    number: int
    brand_ref: int = OWN_BRAND
    reseller_ref: int | None = None
    """The user's reseller. None: the user is the brand's own."""
    has_rival: bool = False
    """The user's reseller is part of the estate."""
    user_deleted: bool = False
    things_deleted: bool = False
    template_of_brand: bool = False
    """Its template is the brand's, and not private to the user."""

    @property
    def numbered(self) -> Refs:
        first = FIRST + self.number * ROOM
        numbers = {kind: first + place * STEP for place, kind in enumerate(NUMBERED)}
        return numbers | {"event": numbers["attempt"]}

    @property
    def texts(self) -> Refs:
        """Its name, and its keys."""
        seed = hashlib.sha256(self.mark.encode()).hexdigest()
        return {
            "host": f"{self.mark}.example",
            "hosts": [f"{self.mark}.example"],
            "globalValue": f"{self.mark}-value",
            "staticWidget": f"{self.mark}-zone",
            "mailbox": self.mark,
            "username": self.mark,
            "externalId": self.mark,
            "email": f"{self.mark}@mail.example",
            "job": f"{self.brand_ref}-{seed[:32]}",
            "resetHash": f"{self.brand_ref}-reset-{seed}",
            "verificationToken": f"{self.brand_ref}-verify-{seed}",
        }


class Builder:
    """Creates an estate by SQL, with the plan's numbers."""

    def __init__(self, owner: OwnerConnection, resources: Resources, plan: Plan) -> None:
        self.owner, self.resources, self.plan = owner, resources, plan
        self.brand_ref, self.mark = plan.brand_ref, plan.mark
        self.refs: Refs = plan.numbered | plan.texts
        self.now = clock.now()
        self.gone = self.now if plan.things_deleted else None

    async def build(self) -> Estate:
        await self._reseller()
        await self._user()
        await self._site()
        await self._account_domain()
        await self._webhook()
        await self._operations()
        await self._report()
        await self._staff()
        self.refs |= await self._catalogue()
        return Estate(self.mark, self.refs)

    async def _put(self, table: str, **row: Any) -> None:
        row = {"brand_ref": self.brand_ref} | row
        places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
        await self.owner.execute(f"insert into {table} ({', '.join(row)}) values ({places})", *row.values())

    @property
    def _health(self) -> dict[str, Any]:
        """A result of a moment ago, so that nothing is checked."""
        finding = {"code": "nameExists", "status": "ok", "reason": "exists", "found": self.mark}
        times = {"since": self.now, "started_at": self.now, "checked_at": self.now}
        return times | {"status": "ok", "state": "healthy", "findings": msgspec.json.encode([finding]).decode()}

    async def _reseller(self) -> None:
        if self.plan.reseller_ref is not None:
            self.refs["reseller"] = self.plan.reseller_ref
        await make_reseller(self.owner, self.brand_ref, self.refs["reseller"])
        price = {"package_ref": STARTER[self.brand_ref], "currency_ref": 1, "price": 7}
        months = self.plan.number + 100
        await self._put(
            "reseller_prices", ref=self.refs["price"], reseller_ref=self.refs["reseller"], **price,
            billing_period_months=months,
        )  # fmt: skip
        if self.gone and self.plan.reseller_ref is None:
            await self.owner.execute(
                "update resellers set deleted_at = $2 where ref = $1", self.refs["reseller"], self.gone
            )

    async def _user(self) -> None:
        names = {name: self.refs[name] for name in ("username", "email")}
        reseller_ref = self.refs["reseller"] if self.plan.has_rival else self.plan.reseller_ref
        user_ref = await make_user(
            self.owner, self.resources, self.brand_ref, ref=self.refs["user"], last_name=self.mark, **names,
            reseller_ref=reseller_ref, deleted_at=self.now if self.plan.user_deleted else None,
        )  # fmt: skip
        claim = {"external_id": self.refs["externalId"], "user_ref": user_ref, "created_at": self.now}
        await self._put("provisioned_accounts", **claim)
        for term in (self.mark, self.refs["email"]):
            await self._put("search_terms", user_ref=user_ref, source=0, term=term)
        await assign_package(
            self.owner, self.brand_ref, user_ref, PRO[self.brand_ref], ref=self.refs["accountPackage"],
            price=29, currency_ref=1, due_at=self.now + timedelta(days=20),
        )  # fmt: skip
        for kind, secret in (("reset", "resetHash"), ("verification", "verificationToken")):
            lasting = {"created_at": self.now, "expires_at": self.now + DAY}
            digest = tokens.digest_of(self.refs[secret])
            await self._put("one_time_tokens", digest=digest, kind=kind, user_ref=user_ref, **lasting)
        holder_ref = None if self.plan.template_of_brand else user_ref
        private = {"brand_ref": self.brand_ref, "account_holder_ref": holder_ref}
        await make_template(self.owner, self.mark, ref=self.refs["template"], **private)

    async def _site(self) -> None:
        site_ref = await make_site(
            self.owner, self.resources, self.brand_ref, user_ref=self.refs["user"], ref=self.refs["site"],
            deleted_at=self.gone, template_ref=1,
        )  # fmt: skip
        profile = {"user_ref": self.refs["user"], "fields": f'{{"business": "{self.mark}"}}', "updated_at": self.now}
        await self._put("profiles", ref=self.refs["profile"], **profile)
        await self.owner.execute("update sites set profile_ref = $2 where ref = $1", site_ref, self.refs["profile"])
        page = {"ref": self.refs["page"], "request": self.mark, "title": self.mark}
        page_ref = await make_page(self.owner, self.brand_ref, site_ref, **page)
        parent = {"ref": self.refs["parentPage"], "request": f"{self.mark}-parent", "title": self.mark}
        await make_page(self.owner, self.brand_ref, site_ref, **parent)
        widget = {"ref": self.refs["widget"], "name": self.mark}
        await make_widget(self.owner, self.brand_ref, site_ref, page_ref, **widget)
        await self._put("global_values", site_ref=site_ref, name=self.refs["globalValue"], value=self.mark)
        times = {"created_at": self.now, "updated_at": self.now}
        static = {"static_widget_id": self.refs["staticWidget"], "name": self.mark, "value": self.mark}
        await self._put("static_values", site_ref=site_ref, **static, **times)
        change = {"number": 1, "change_id": CHANGE_ID, "author": self.mark, "session": self.mark, "made_at": self.now}
        await self._put("content_changes", site_ref=site_ref, **change, kind="undo", label=self.mark, scope="{}")
        await self._media(site_ref)
        published = {"published_at": self.now, "template": self.mark, "author": f"user:{self.refs['user']}", "pages": 1}
        content = encode_input(RenderSource(**NOTHING, content=StoredContent([], [], "")))
        version = {"version_ref": self.refs["version"], "content": content}
        await self._put("site_versions", site_ref=site_ref, **version, **published)
        lasting = {"author": "system", "created_at": self.now, "expires_at": self.now + DAY}
        link = {"ref": self.refs["previewLink"], "digest": tokens.digest_of(self.mark)}
        await self._put("preview_links", site_ref=site_ref, **link, **lasting)
        moved = {"from_path": f"{self.mark}-former", "page_ref": page_ref, "is_automatic": True}
        await self._put("site_redirects", ref=self.refs["redirect"], site_ref=site_ref, created_at=self.now, **moved)
        message = {"page": "", "name": self.mark, "email": self.refs["email"], "message": self.mark, "visitor": b"x"}
        await self._put("contact_messages", ref=self.refs["message"], site_ref=site_ref, at=self.now, **message)
        erasure = {"requested_at": self.now, "erase_after": self.now + DAY, "was_live": False}
        reseller_ref = await self.owner.fetchval("select reseller_ref from sites where ref = $1", site_ref)
        await self._put("site_erasures", site_ref=site_ref, reseller_ref=reseller_ref, **erasure)
        await self._domain(site_ref)

    async def _media(self, site_ref: int) -> None:
        """Animated, and without bytes: its crop is refused, unlike that of a picture that does not exist."""
        size = {"width": 1, "height": 1, "frames": 2, "bytes": 1, "mime_type": "image/png", "compress": True}
        stored = {"digest": self.mark, "object_key": self.mark, "created_at": self.now, "updated_at": self.now}
        texts = {"name": self.mark, "alt": self.mark}
        owner = {"site_ref": site_ref, "user_ref": self.refs["user"]}
        await self._put("media", ref=self.refs["media"], **owner, **texts, **size, **stored)

    async def _domain(self, site_ref: int) -> None:
        """A deleted site has no domains: the former ones are stored."""
        host, ref = self.refs["host"], self.refs["domain"]
        if self.gone is not None:
            await self._put("former_site_domains", site_ref=site_ref, ref=ref, domain=host)
            return
        await make_domain(self.owner, self.brand_ref, site_ref, host, ref=ref)
        issued, certificate = certificate_for(host), {"ref": self.refs["certificate"]}
        await make_certificate(self.owner, self.resources, self.brand_ref, issued, host, **certificate)
        await self._put("domain_checks", domain_ref=self.refs["domain"], **self._health)

    async def _account_domain(self) -> None:
        gone = {"ended_at": self.gone, "released_at": self.gone, "deleted_at": self.gone}
        domain_ref = await make_account_domain(
            self.owner, self.brand_ref, self.refs["user"], f"{self.mark}.com", ref=self.refs["accountDomain"], **gone
        )
        times = {"created_at": self.now, "updated_at": self.now}
        mailbox = {"name": self.refs["mailbox"], "password_hash": "none", "status": "active"}
        await self._put("mailboxes", account_domain_ref=domain_ref, **mailbox, **times)
        await self._put("domain_checks", account_domain_ref=domain_ref, **self._health)
        await self._zone(domain_ref)

    async def _zone(self, domain_ref: int) -> None:
        """The zone of a domain that has ended is removed after its release."""
        name = f"{self.mark}.com"
        await self.owner.execute(
            "update brands set dns_provider = 'rfc2136', test_mode = true where brand_ref = $1", self.brand_ref
        )
        zone = {"name": name, "provider": "rfc2136", "created_at": self.now, "removed_at": self.gone}
        await self._put("dns_zones", account_domain_ref=domain_ref, **zone)
        record = {"type": "TXT", "name": name, "value": self.mark, "ttl": 3600, "owner": "holder"}
        await self._put(
            "dns_records", ref=self.refs["dnsRecord"], account_domain_ref=domain_ref, **record, updated_at=self.now
        )

    async def _webhook(self) -> None:
        """The event is inserted before the subscription, so that there is no delivery by fan-out."""
        subscription, sequence = self.refs["subscription"], self.refs["attempt"]
        event_id = hashlib.md5(self.mark.encode(), usedforsecurity=False).hexdigest()
        body = {"eventName": "site.publish", "id": event_id, "created": "", "note": self.mark, "sequence": sequence}
        event = {"id": event_id, "kind": "site.publish", "body": json.dumps(body), "at": self.now}
        await self._put("events", sequence=sequence, **event)
        url, times = f"https://{self.mark}.example/", {"created_at": self.now, "updated_at": self.now}
        hook = {"event": "site.publish", "url": url, "destination": f"{self.mark}.example:443", "active": True}
        await self._put("webhook_subscriptions", ref=subscription, **hook, **times)
        of_delivery = {"subscription_ref": subscription, "sequence": sequence}
        await self._put("webhook_deliveries", **of_delivery, attempts=1, dead_at=self.now)
        outcome = {"number": 1, "at": self.now, "outcome": "dead", "milliseconds": 1, "error": self.mark}
        await self._put("webhook_attempts", ref=self.refs["attempt"], **of_delivery, **outcome)

    async def _operations(self) -> None:
        """A mail that failed, and an audit entry."""
        times = {"created_at": self.now, "next_attempt_at": self.now, "failed_at": self.now}
        await self._put("mails", ref=self.refs["mail"], kind="welcome", facts=b"x", last_error=self.mark, **times)
        await self.owner.execute(
            "insert into audit_entries (brand_ref, ref, at, actor, action, subject) overriding system value"
            " values ($1, $2, $3, $4, 'edit', 'user')",
            self.brand_ref,
            self.refs["auditEntry"],
            self.now,
            f"shell:{self.mark}",
        )

    async def _report(self) -> None:
        """Finished, or failed: no worker processes it."""
        later = self.now + DAY
        times = {"created_at": self.now, "give_up_at": later, "finished_at": self.now, "expires_at": later}
        report = {"job": self.refs["job"], "link_key": self.mark.encode(), "show_deleted": False, "bytes": 1}
        ref = await insert(self.owner, "user_reports", {"brand_ref": self.brand_ref} | report | times)
        await self._put("user_report_pieces", report_ref=ref, attempt=0, number=0, piece=b"x")

    async def _staff(self) -> None:
        person = {"name": self.mark, "email": self.refs["email"], "role": "support"}
        ref, digest = self.refs["operator"], tokens.digest_of(self.mark)
        secrets = {"username": self.mark, "password_hash": "none"}
        await self._put("operators", ref=ref, **person, **secrets, created_at=self.now)
        lasting = {"created_at": self.now, "expires_at": self.now + DAY}
        await self._put("operator_invitations", ref=self.refs["invitation"], digest=digest, **person, **lasting)
        session = {"operator_ref": ref, "digest": digest, "awaits_code": False, "user_agent": self.mark}
        await self._put("console_sessions", ref=self.refs["consoleSession"], **session, **lasting, seen_at=self.now)
        oauth = {"consumer_key": self.mark, "consumer_secret": b"x", "access_token": self.mark, "access_secret": b"x"}
        await self._put(
            "api_credentials", ref=self.refs["credential"], role="viewer", label=self.mark, created_at=self.now, **oauth
        )

    async def _catalogue(self) -> Refs:
        """Objects of the brand's catalogue, which no account holder owns."""
        domain_package = DOMAIN_PACKAGES[self.brand_ref]
        return {
            "brand": self.brand_ref,
            "package": STARTER[self.brand_ref],
            "domainPackage": domain_package,
            "domainProduct": await self.owner.fetchval(
                "select ref from domain_products where package_ref = $1", domain_package
            ),
            "language": await self.owner.fetchval(
                "select ref from languages where code = $1", LANGUAGES[self.brand_ref]
            ),
        }
