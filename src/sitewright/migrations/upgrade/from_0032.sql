-- From the 32 migrations of before the baselines to exactly what the baselines make (tests/kit/migrations/test_upgrade.py
-- compares both). Functions and triggers are not here: their files are applied afterwards, as after every change.
-- Until the next release every change of a baseline is made here too.

-- Functions that neither this release nor the previous one calls.
drop function authenticate_oauth, authenticate_basic, record_authentication_failure, count_authentication_failures;

-- Mail is claimed by brand.
drop index mails_waiting;
create index mails_due on mails (brand_ref, (not is_awaited), next_attempt_at, ref)
    where sent_at is null and failed_at is null;

-- Webhooks: services insert deliveries, and clear what receivers of an erased site's events responded.
grant insert on webhook_deliveries to sitewright_service;
grant update (answer) on webhook_attempts to sitewright_service;
