"""Users by the thousand, each with one package, inserted with one statement."""

from datetime import timedelta

from tests.support.users import OwnerConnection

MAKE = """
with made as (
    insert into users (brand_ref, first_name, last_name, username, username_key, email, email_key, language_code,
                       created_at, updated_at)
    select $1, 'Ann', 'Example', name, name, name || '@mail.example', name || '@mail.example', 'en',
           now() - $6::interval, now()
      from generate_series(1, $3) n, lateral (select $4 || n) named (name) returning ref
)
insert into account_packages (brand_ref, user_ref, package_ref, is_subscription, is_trial, billing_period_months, price,
                              currency_ref, delete_on_expiry, started_at, due_at, updated_at)
select $1, ref, $2, true, $5, 1, case when $5 then 0 else 5.99 end,
       case when $5 then null else (select ref from currencies where alpha_code = 'USD') end, $5,
       now() - $6::interval, now() + $7::interval - ref * interval '1 second', now() from made
"""


async def make_packages(
    owner: OwnerConnection,
    count: int,
    *,
    brand_ref: int,
    package_ref: int,
    called: str,
    is_trial: bool,
    age: timedelta,
    due_in: timedelta = timedelta(),
) -> None:
    """Subscriptions, or trials. Each is due a second before the previous one; usernames begin with `called`."""
    await owner.execute(MAKE, brand_ref, package_ref, count, called, is_trial, age, due_in)
