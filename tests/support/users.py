"""Account holders created by SQL, for tests about something else."""

from typing import TYPE_CHECKING, Any, TypeAlias

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from sitewright.kit.text import key_of
from tests.support.cast import OWN_BRAND, PASSWORD

if TYPE_CHECKING:
    import asyncpg

OwnerConnection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
_hashes: dict[str, str] = {}


async def make_user(
    owner: OwnerConnection,
    resources: Resources,
    brand_ref: int = OWN_BRAND,
    *,
    password: str | None = PASSWORD,
    package_ref: int | None = None,
    **columns: Any,
) -> int:
    """An account holder with `package_ref`, otherwise the brand's default package; `columns` are those of `users`.

    Creates its reseller if it does not exist. Without a password nobody can log in.
    """
    now = clock.now()
    if password is not None and password not in _hashes:
        _hashes[password] = await resources.passwords.hash(password, None)
    row: dict[str, Any] = {
        "brand_ref": brand_ref,
        "first_name": "Ann",
        "last_name": "Example",
        "username": "ann",
        "email": "ann@mail.example",
        "password_hash": None if password is None else _hashes[password],
        "language_code": "en",
        "created_at": now,
        "updated_at": now,
    } | columns
    row = {"username_key": key_of(row["username"]), "email_key": key_of(row["email"])} | row
    if row.get("reseller_ref") is not None:
        await make_reseller(owner, brand_ref, row["reseller_ref"])
    user_ref = await insert(owner, "users", row)
    if package_ref is None:
        package_ref = await owner.fetchval("select default_package_ref from brands where brand_ref = $1", brand_ref)
    await assign_package(owner, brand_ref, user_ref, package_ref)
    return user_ref


async def assign_package(
    owner: OwnerConnection, brand_ref: int, user_ref: int, package_ref: int | None, **columns: Any
) -> int:
    """The user's subscription package from now on; `columns` are those of `account_packages`. Free by default."""
    now = clock.now()
    await owner.execute(
        "update account_packages set ended_at = $3 where brand_ref = $1 and user_ref = $2"
        " and is_subscription and ended_at is null",
        brand_ref,
        user_ref,
        now,
    )
    row = {
        "brand_ref": brand_ref,
        "user_ref": user_ref,
        "package_ref": package_ref,
        "is_subscription": True,
        "is_trial": False,
        "billing_period_months": 1,
        "price": 0,
        "delete_on_expiry": False,
        "started_at": now,
        "updated_at": now,
    }
    return await insert(owner, "account_packages", row | columns)


async def make_reseller(owner: OwnerConnection, brand_ref: int, ref: int) -> None:
    await owner.execute(
        "insert into resellers (brand_ref, ref, reseller_name, display_name, created_at)"
        " values ($1, $2, $3, $3, $4) on conflict do nothing",
        brand_ref,
        ref,
        f"reseller {ref}",
        clock.now(),
    )
    await owner.execute("select setval(pg_get_serial_sequence('resellers', 'ref'), max(ref)) from resellers")


async def insert(owner: OwnerConnection, table: str, row: dict[str, Any]) -> int:
    places = ", ".join(f"${number}" for number in range(1, len(row) + 1))
    statement = f"insert into {table} ({', '.join(row)}) values ({places}) returning ref"
    ref: int = await owner.fetchval(statement, *row.values())
    return ref
