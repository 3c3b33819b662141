"""A customer with much of everything, by SQL: former packages, charges, sites, domains, mailboxes, mails, messages."""

from datetime import timedelta

from sitewright.kit import clock
from tests.support.account_domains import make_account_domain
from tests.support.packages import PRO, STARTER, USD
from tests.support.users import OwnerConnection, insert

MANY = 14
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


async def fill_customer(owner: OwnerConnection, brand_ref: int, user_ref: int, name: str = "busy") -> None:
    """`name` begins the names of the domains, which are unique. The user has its current package already."""
    await _add_packages(owner, brand_ref, user_ref)
    sites = [await _add_site(owner, brand_ref, user_ref, f"{name}-{number}.example") for number in range(MANY)]
    await _add_domains(owner, brand_ref, user_ref, name)
    now = clock.now()
    of_user = {"brand_ref": brand_ref, "user_ref": user_ref}
    for number, kind in enumerate(("welcome", "subscribed", "passwordReset", "renewed", "renewed", "contactMessage")):
        at = now - timedelta(days=20 - number)
        outcome = {"failed_at": at, "last_error": "refused"} if kind == "passwordReset" else {"sent_at": at}
        await insert(owner, "mails", of_user | {"kind": kind, "created_at": at, "next_attempt_at": at} | outcome)
    for number in range(MANY):
        message = {
            "brand_ref": brand_ref,
            "site_ref": sites[0],
            "page": "",
            "name": f"Bo Visitor {number}",
            "email": "bo@visitor.example",
            "message": "Hello,\nwhen are you open on Sundays? I would like to come by with my family.",
            "visitor": b"x",
            "at": now - timedelta(hours=number),
        }
        await insert(owner, "contact_messages", message)
        await owner.execute(
            "insert into sessions (brand_ref, digest, user_ref, created_at, expires_at, user_agent)"
            " values ($1, $2, $3, $4, $5, $6)",
            brand_ref,
            f"{user_ref}-{number}".encode(),
            user_ref,
            now - timedelta(hours=number),
            now + timedelta(hours=8),
            FIREFOX,
        )


async def _add_packages(owner: OwnerConnection, brand_ref: int, user_ref: int) -> None:
    now = clock.now()
    for number in range(MANY):
        start, end = now - timedelta(days=30 * (number + 1)), now - timedelta(days=30 * number)
        package = {
            "brand_ref": brand_ref,
            "user_ref": user_ref,
            "package_ref": PRO if number % 2 else STARTER,
            "is_subscription": True,
            "is_trial": False,
            "billing_period_months": 1,
            "price": 9.99,
            "currency_ref": USD,
            "delete_on_expiry": False,
            "started_at": start,
            "ended_at": end,
            "updated_at": end,
        }
        ref = await insert(owner, "account_packages", package)
        charge = {
            "brand_ref": brand_ref,
            "user_ref": user_ref,
            "event_ref": -ref,
            "account_package_ref": ref,
            "package_ref": package["package_ref"],
            "currency_ref": USD,
            "amount": 9.99,
            "billing_period_months": 1,
            "period_starts_at": start,
            "period_ends_at": end,
            "at": start,
        }
        await insert(owner, "charges", charge)


async def _add_site(owner: OwnerConnection, brand_ref: int, user_ref: int, domain: str) -> int:
    now = clock.now()
    profile = {"brand_ref": brand_ref, "user_ref": user_ref, "updated_at": now}
    site = {
        "brand_ref": brand_ref,
        "user_ref": user_ref,
        "profile_ref": await insert(owner, "profiles", profile),
        "site_type": "responsive",
        "created_at": now,
        "updated_at": now,
    }
    ref = await insert(owner, "sites", site)
    name = {"brand_ref": brand_ref, "site_ref": ref, "domain": domain, "created_at": now}
    await owner.execute(
        "update sites set primary_domain_ref = $2 where ref = $1", ref, await insert(owner, "site_domains", name)
    )
    return ref


async def _add_domains(owner: OwnerConnection, brand_ref: int, user_ref: int, name: str) -> None:
    now = clock.now()
    for number in range(MANY):
        ref = await make_account_domain(owner, brand_ref, user_ref, f"{name}-shop-{number}.example")
        mailbox = {
            "brand_ref": brand_ref,
            "account_domain_ref": ref,
            "name": "office",
            "password_hash": "x",
            "status": "active",
            "created_at": now,
            "updated_at": now,
        }
        await insert(owner, "mailboxes", mailbox)
