"""`sitewright billing stuck` and `retry`, and the metric: users whose due packages could not be changed."""

from pathlib import Path

import httpx

from sitewright.kit import clock
from sitewright.kit.resources import Resources
from tests.support.cast import OTHER_BRAND, OWN_BRAND
from tests.support.service import run_command
from tests.support.users import OwnerConnection, make_user

METRIC = "sitewright_billing_stuck_users "


async def dead_letter(owner: OwnerConnection, resources: Resources, brand_ref: int) -> int:
    user_ref = await make_user(owner, resources, brand_ref, password=None, ref=88_000 + brand_ref)  # in no other cell
    await owner.execute(
        "insert into package_sweep_failures (brand_ref, user_ref, account_package_ref, failed_at, attempts, reason)"
        " values ($1, $2, 17, $3, 2, 'UniqueViolationError 23505')",
        brand_ref,
        user_ref,
        clock.now(),
    )
    return user_ref


async def test_users_that_are_stuck_are_listed_counted_and_retried(
    tmp_path: Path,
    database_url: str,
    resources: Resources,
    owner_connection: OwnerConnection,
    anonymous: httpx.AsyncClient,
) -> None:
    async def billing(*arguments: str) -> tuple[int, str]:
        return await run_command(tmp_path, "billing", *arguments, database_url=database_url)

    async def waiting() -> list[int]:
        rows = await owner_connection.fetch("select user_ref from package_sweep_failures where retry_at is null")
        return [row["user_ref"] for row in rows]

    own = await dead_letter(owner_connection, resources, OWN_BRAND)
    other = await dead_letter(owner_connection, resources, OTHER_BRAND)
    assert METRIC + "2\n" in (await anonymous.get("/metrics")).text
    code, shown = await billing("stuck")
    assert code == 0
    assert all(word in shown for word in (str(own), str(other), "17", "UniqueViolationError 23505", "billing retry"))
    assert str(other) not in (await billing("stuck", "--brand", "1"))[1]
    reason = "InsufficientPrivilegeError" * 4
    await owner_connection.execute("update package_sweep_failures set reason = $1 where brand_ref = 1", reason)
    shown = (await billing("stuck", "--brand", "1"))[1]
    last_cells = (line.split("\u2502")[-2].strip() for line in shown.splitlines() if line.count("\u2502") > 2)
    assert "".join(last_cells) == reason, "folded, and nothing cut off"
    assert await billing("retry", str(own)) == (0, "Retrying 1 user.\n")
    assert await waiting() == [other]
    assert METRIC + "1\n" in (await anonymous.get("/metrics")).text
    assert await billing("retry") == (0, "Retrying 2 users.\n")
    assert await waiting() == []
    assert await owner_connection.fetchval("select count(*) from audit_entries where subject = 'due packages'") == 2
    code, shown = await billing("retry", "999999")
    assert (code, "billing stuck" in shown) == (1, True)
