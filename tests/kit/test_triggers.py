"""Triggers count, notify and guard; rules are called from services by name."""

import asyncpg

COUNT = {
    "count_new_users",
    "count_moved_user",
    "count_media_bytes",
    "count_registered_users",
    "count_deleted_user",
    "count_started_packages",
    "count_ended_packages",
    "count_repriced_package",
    "count_charges",
    "count_new_published_site",
    "count_published_site",
    "count_deleted_published_site",
    "count_new_visits",
    "count_more_visits",
    "count_again_in_time_zone",
    "count_voided_charge",
    "count_new_failed_delivery",
    "count_failed_delivery",
    "count_new_failed_mail",
    "count_failed_mail",
    "count_new_failing_domain",
    "count_failing_domain",
    "count_new_failing_address",
    "count_failing_address",
    "count_deleted_failing_address",
    "keep_deleted_failed_deliveries",
    "keep_deleted_failed_mails",
}
GUARD = {"list_unchained_audit_entries"}
"""So that no entry stays outside the hash chain, no matter what inserts it."""
NOTIFY = {
    "notify_site_changed",
    "notify_domain_changed",
    "notify_user_changed",
    "notify_packages_assigned",
    "notify_certificate_changed",
    "notify_own_certificate_changed",
    "notify_media_deleted",
    "notify_subscription_changed",
    "notify_subscription_deleted",
}
PREVIOUS_RELEASE = {
    "check_mapped_domain",
    "fan_out_event",
    "forget_unbound_certificate",
    "move_sites_with_user",
    "note_reseller_of_site",
    "resume_webhook_deliveries",
    "take_back_mailbox_tokens",
    "unbind_certificates",
}
TRIGGERS = """
select tgname, pg_get_triggerdef(oid) as definition from pg_trigger
 where not tgisinternal and tgrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
"""


async def test_every_trigger_is_listed_with_its_purpose(
    owner_connection: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    names = [row["tgname"] for row in await owner_connection.fetch(TRIGGERS)]
    assert sorted(names) == sorted(COUNT | NOTIFY | GUARD | PREVIOUS_RELEASE)


async def test_rules_of_the_previous_release_run_in_its_sessions_alone(
    owner_connection: "asyncpg.Connection[asyncpg.Record]",
) -> None:
    rows = await owner_connection.fetch(TRIGGERS)
    conditional = {row["tgname"] for row in rows if "is_previous_release()" in row["definition"]}
    assert conditional == PREVIOUS_RELEASE
