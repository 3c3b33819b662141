from sitewright.kit.housekeeping import SCHEDULES
from sitewright.kit.resources import Resources
from tests.support.users import OwnerConnection


async def run_all(resources: Resources) -> None:
    for schedule in SCHEDULES:
        await schedule.run(resources)


async def test_old_nonces_and_failures_are_pruned_and_fresh_ones_stay(
    resources: Resources, owner_connection: OwnerConnection, clean: None
) -> None:
    await owner_connection.execute(
        "insert into oauth_nonces values (1, 'old', now() - interval '11 min');"
        "insert into oauth_nonces values (1, 'valid', now() - interval '10 min');"
        "insert into authentication_failures values ('::1', 'k', now() - interval '6 min'), ('::1', 'k', now())"
    )
    await run_all(resources)
    assert await owner_connection.fetchval("select string_agg(nonce, ' ') from oauth_nonces") == "valid"
    assert await owner_connection.fetchval("select count(*) from authentication_failures") == 1


async def test_the_queues_log_is_pruned(resources: Resources, owner_connection: OwnerConnection, clean: None) -> None:
    await owner_connection.execute(
        "insert into jobs.log (created, job_id, status, priority, entrypoint, aggregated) values"
        " (now() - interval '15 days', 1, 'successful', 0, 'x', true), (now(), 2, 'successful', 0, 'x', true);"
        "insert into job_starts (job_id) values (12345)"
    )
    await run_all(resources)
    assert await owner_connection.fetchval("select array_agg(job_id) from jobs.log") == [2]
    assert await owner_connection.fetchval("select count(*) from job_starts") == 0
